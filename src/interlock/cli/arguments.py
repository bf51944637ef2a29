"""What may be written behind `interlock`. Commands are imported when they run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from interlock import __version__
from interlock.cli.failure import Failure
from interlock.vocabulary import SOURCE_ENDS

__all__ = ["parse_arguments"]

_DESCRIPTION = """\
The integrity layer for LLM tool calls. It runs no tool, calls no model and opens no connection.
"""
_EXAMPLES = """\
examples:
  interlock judge recording.sse --tools tools.json
  curl -sN ... | interlock judge - --json
  interlock check conversation.json --provider anthropic
  interlock heal conversation.json --diff
  interlock heal conversation.json --write
  interlock heal archive.jsonl --output healed.jsonl
  interlock explain IL001

exit status:
  judge  0 every call executes, 1 some call does not
  check  0 nothing found, 1 something found
  heal   0 fit to send, 1 something remains that no edit can heal
  all    2 unreadable input or bad usage
"""
_JUDGE_EXAMPLES = """\
FILE is told by its suffix: .sse as received, .jsonl one event a line (or "[DONE]", or {"raw": "..."} for
data that was no JSON), .json an array of events, .bin an AWS event stream. Standard input (-) and other
suffixes are told by their first bytes.

examples:
  interlock judge recording.sse
  interlock judge recording.jsonl --wire openai_chat --tools tools.json --json
  interlock judge broken.sse --end error
"""
_HISTORY_EXAMPLES = """\
FILE is an array of messages, or a whole request body; in a .jsonl file each line is a conversation. Without
a suffix, and on standard input (-), the first line tells which.

Settings are read from the next pyproject.toml above the current directory; the command line goes first:

  [tool.interlock]
  provider = "anthropic"
  ignore = ["empty-message"]            # the same as the policy "keep"
  [tool.interlock.policy]
  orphan-tool-call = "drop-call"
"""
_HEAL_EXAMPLES = """
examples:
  interlock heal conversation.json --diff
  interlock heal request.json --write
  interlock heal conversation.json --policy orphan-tool-call=drop-call --output -
  interlock heal archive.jsonl --output healed.jsonl     interrupted? the same command goes on
"""
_CHECK_EXAMPLES = """
examples:
  interlock check conversation.json --provider anthropic
  interlock check request.json --pending call_7 --json
  interlock check archive.jsonl
"""

_EXPLAIN_EXAMPLES = """\
Without WHAT and --error all rules are listed. The exit status is 1 when an error's words are not known.

examples:
  interlock explain IL001
  interlock explain truncated
  interlock explain --error 'messages.3: `tool_use` ids were found without `tool_result` blocks' --history chat.json
  interlock explain --error - < answer.json
"""


class _Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        raise Failure(f"{f'{command}: ' if command else ''}{message}; see `{self.prog} --help`")


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options; `.run` is the command to call with them.

    Raises:
        Failure: bad usage.
    """
    parser = _Parser(
        prog="interlock",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"interlock {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    _judge(commands)
    _history(commands, "check", "report what is wrong with a history", _CHECK_EXAMPLES)
    _heal(_history(commands, "heal", "repair a history", _HEAL_EXAMPLES))
    _explain(commands)
    return parser.parse_args(arguments)


def _command(commands: Any, name: str, summary: str, epilog: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=_lazy(f"interlock.cli.{name}"))
    return parser


def _lazy(module: str) -> Callable[[argparse.Namespace], int]:
    def run(options: argparse.Namespace) -> int:
        return int(import_module(module).run(options))

    return run


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the file to read; - is standard input")
    parser.add_argument("--wire", help="the format; told from the data when left out")
    parser.add_argument("--json", action="store_true", help="print JSON (one object; for histories one a conversation)")


def _judge(commands: Any) -> None:
    parser = _command(commands, "judge", "decide on the tool calls of a recorded stream", _JUDGE_EXAMPLES)
    _common(parser)
    parser.add_argument(
        "--tools",
        metavar="TOOLS.json",
        help="the tools that were offered: name -> JSON Schema, a list of {name, parameters}, or a provider's "
        "own tools array; a call to another tool is rejected",
    )
    parser.add_argument(
        "--end", choices=SOURCE_ENDS, default="eof", help="how the source of the stream stopped (eof when left out)"
    )
    parser.add_argument("--allow-unknown-tools", action="store_true", help="let calls to other tools pass, unchecked")
    parser.add_argument(
        "--trust-projections",
        action="store_true",
        help="accept arguments that arrived only as a value that somebody else parsed",
    )
    parser.add_argument(
        "--confirm-on-done",
        action="store_true",
        help="accept [DONE], or a clean end, where the provider never gave an end reason",
    )
    parser.add_argument(
        "--on-length",
        choices=("retry", "keep_closed"),
        default="retry",
        help="keep_closed: a call that its own end event closed before a token limit may execute",
    )
    parser.add_argument("--unwrap-double-encoding", action="store_true", help="decode, once, JSON inside a JSON string")
    parser.add_argument("--check-formats", action="store_true", help="check JSON Schema's `format` too")
    parser.add_argument(
        "--control-characters",
        choices=("reject", "keep"),
        default="reject",
        help="keep: accept raw control characters inside strings",
    )


def _history(commands: Any, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    parser = _command(commands, name, summary, _HISTORY_EXAMPLES + examples)
    _common(parser)
    parser.add_argument("--provider", help="whose rules to satisfy; the wire's own provider when left out")
    parser.add_argument("--model", help="the model that the history goes to")
    parser.add_argument(
        "--pending",
        metavar="ID",
        action="append",
        default=[],
        help="a call that is still being answered (repeatable); `keep`: all of the last turn",
    )
    parser.add_argument(
        "--options",
        metavar="JSON",
        help="the request's other settings that rules look at, as a JSON object, or @FILE; a whole request "
        "body says it all",
    )
    parser.add_argument(
        "--policy", metavar="RULE=ACTION", action="append", default=[], help="what a rule does (repeatable)"
    )
    parser.add_argument(
        "--select", metavar="RULE", action="append", default=[], help="run only these rules (repeatable)"
    )
    parser.add_argument("--ignore", metavar="RULE", action="append", default=[], help="do not run a rule (repeatable)")
    parser.add_argument("--no-config", action="store_true", help="do not read pyproject.toml")
    return parser


def _heal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--diff", action="store_true", help="show what was changed")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--write", action="store_true", help="put the healed history in the file's place")
    where.add_argument(
        "--output", metavar="FILE", help="write the healed history to another file; - is standard output"
    )
    parser.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 after any repair")


def _explain(commands: Any) -> None:
    parser = _command(commands, "explain", "say what a rule, a reason or a provider's error means", _EXPLAIN_EXAMPLES)
    parser.add_argument(
        "what", metavar="WHAT", nargs="?", help="a rule (IL001, orphan-tool-call) or a reason (truncated)"
    )
    parser.add_argument("--error", metavar="TEXT", help="what a provider said, also its whole answer; - reads it")
    parser.add_argument("--history", metavar="FILE", help="the history that was refused: is the fault in it?")
    parser.add_argument("--wire", help="the history's format; told from the data when left out")
    parser.add_argument("--provider", help="who refused it; the wire's own provider when left out")
    parser.add_argument("--model", help="the model that refused it")
    parser.add_argument("--options", metavar="JSON", help="the request's other settings, as for `heal`")
    parser.add_argument("--json", action="store_true", help="print JSON")
