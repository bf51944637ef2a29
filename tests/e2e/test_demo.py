"""The demo: no key, no network, quick, and it shows what it promises."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_ends_by_itself_in_time_and_needs_no_key():
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment["COLUMNS"] = "100"  # as the README shows it
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment
    )
    assert time.monotonic() - start < 20
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    for number, decisions in enumerate((["execute"], ["retry"], ["retry"], ["retry"], ["execute"] * 2), 1):
        scene = text.partition(f"{number}. ")[2].partition(f"{number + 1}. ")[0].partition("Out:")[0]
        words = [word.strip(",") for word in scene.split()]
        assert [word for word in words if word in ("execute", "retry", "reject")] == decisions
    assert "delete_folder(path='/srv/app')" in text
    assert "IL001 orphan-tool-call" in text and "Healed again: 0 repairs." in text
