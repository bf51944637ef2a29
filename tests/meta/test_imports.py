"""The directions of imports, as pyproject.toml states them, hold."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_all_import_contracts_are_kept(tmp_path):
    command = [str(Path(sys.executable).with_name("lint-imports")), "--cache-dir", str(tmp_path)]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout
