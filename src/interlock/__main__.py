"""`python -m interlock`: the same as the installed `interlock` command."""

import sys

from interlock.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
