"""Run the commands in the console blocks of the Markdown files and write what they print below them.

python scripts/update_readme.py            rewrite the files
python scripts/update_readme.py --check    say which file is out of date; exit 1 if one is
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_CONSOLE = re.compile(r"^```console\n\$ (.+)\n(?:.*\n)*?```$", re.MULTILINE)


def rendered(text: str) -> str:
    """Return a file's text with the output of each of its commands as it is now."""
    return _CONSOLE.sub(lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", text)


def printed(command: str) -> str:
    """Return what a command prints, run in the project's root by the Python that runs this."""
    words = shlex.split(command)
    tools = Path(sys.executable).parent
    program = sys.executable if words[0] == "python" else str(tools / words[0])
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [program, *words[1:]],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    lines = done.stdout.decode().strip("\n").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def main() -> int:
    """Rewrite or check all files."""
    stale = []
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        new = rendered(text)
        if new != text:
            stale.append(path)
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is out of date' if '--check' in sys.argv else 'was rewritten'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
