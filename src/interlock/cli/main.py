"""The entry point: the command's name, its exit status, and how it ends when something goes wrong.

Only this file decides what is printed on stderr when a command fails. It
imports next to nothing, so that `interlock --version` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from interlock import __version__
from interlock.cli.failure import Failure

__all__ = ["main"]

_UNREADABLE: Final = 2  # unreadable input, or bad usage
_INTERRUPTED: Final = 130  # 128 + SIGINT, as a shell reports it
_PIPE_CLOSED: Final = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        argv: The arguments, without the program's name; those of the process when left out.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stderr is None:  # closed by whoever started the command; `print` would take stdout in its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        return _complain("standard output is closed; > /dev/null leaves nothing but the exit status")
    try:
        if arguments in (["--version"], ["-V"]):
            print(f"interlock {__version__}")
            status = 0
        else:
            status = _run(arguments)
        sys.stdout.flush()  # here, so that a closed pipe, or a full disk, shows here
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _PIPE_CLOSED
    except OSError as error:
        from interlock.cli.sources import why

        return _complain(f"{error.filename or 'input/output'}: {why(error)}")
    finally:
        _let_go_of_stdout()
    return status


def _run(arguments: Sequence[str]) -> int:
    from interlock.errors import InterlockError

    try:
        from interlock.cli.arguments import parse_arguments

        options = parse_arguments(arguments)
        return int(options.run(options))
    except Failure as failure:
        return _complain(str(failure))
    except InterlockError as error:  # an unknown wire, an ambiguous one, a policy that does not exist, ...
        return _complain(str(error))
    except SystemExit as done:  # --help
        return int(done.code or 0)
    except OSError:
        raise
    except MemoryError:
        return _complain("not enough memory for this input")
    except Exception as error:
        # Nothing that a file holds may end in a traceback; this line is a defect of interlock all the same.
        return _complain(f"internal error, please report it: {type(error).__name__}: {error}")


def _complain(message: str) -> int:
    from interlock.cli.terminal import escape, shorten

    print(f"interlock: {shorten(escape(message), 1000)}", file=sys.stderr)
    return _UNREADABLE


def _let_go_of_stdout() -> None:
    """Keep the interpreter from complaining when it flushes stdout for the last time."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # stdout is no file of the system, as in a test
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
