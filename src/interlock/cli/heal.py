"""`interlock heal`: a history that the provider accepts."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from interlock.cli.audit import show_audit
from interlock.cli.diff import diff
from interlock.cli.documents import Document, document_of, history_of
from interlock.cli.failure import Failure
from interlock.cli.kinds import is_many
from interlock.cli.screen import screen
from interlock.cli.settings import settings_of
from interlock.cli.sources import STDIN, label, opened, read_all, shown
from interlock.cli.writing import write
from interlock.errors import WireError
from interlock.history.engine import HealResult, heal

__all__ = ["run"]


def run(options: Namespace) -> int:
    """Heal a file; 0 when the result is fit to send, else 1."""
    settings = settings_of(options)
    if options.write and options.file == STDIN:
        raise Failure("heal: --write needs a file; standard input has no place to write to")
    if options.json and options.output == STDIN:
        raise Failure("heal: --json and --output - both want standard output; choose one")
    with opened(options.file) as file:
        if is_many(file, options.file):
            from interlock.cli.bulk import heal_lines

            return heal_lines(file, options, settings)
        data = read_all(file, options.file)
    document = document_of(data, label(options.file))
    try:
        result = heal(document.value, **settings.arguments())
    except WireError as error:
        raise Failure(f"{label(options.file)}: {error}") from None
    _put(options, document, result, data)
    if options.json:
        print(json.dumps(result.to_json()))
    else:
        _show(options, document, result)
    return 1 if result.remaining or (result.changed and options.exit_non_zero_on_fix) else 0


def _put(options: Namespace, document: Document, result: HealResult, data: bytes) -> None:
    healed = data
    if result.changed:
        healed = document.style.write(result.messages if result.request is None else result.request)
    if options.output is not None:
        write(options.output, healed)
    elif options.write and result.changed:
        write(options.file, healed)


def _show(options: Namespace, document: Document, result: HealResult) -> None:
    out = screen(sys.stderr if options.output == STDIN else sys.stdout)
    rules = f"rules of {result.provider}" if result.provider else "rules that all providers share"
    out.line(f"{shown(options.file)}: {result.wire}, {rules}")
    show_audit(out, (*result.repairs, *result.remaining), done=True)
    if options.diff:
        for line, style in diff(result, history_of(document.value)):
            out.line(line, style)
        if result.changed:
            out.line()
    count = len(result.repairs)
    found = f"{count} repair{'' if count == 1 else 's'}" if result.changed else "Nothing to repair"
    left = f", {len(result.remaining)} cannot be healed" if result.remaining else ""
    out.line(f"{found}{left}.", "strong")
    if options.output not in (None, STDIN):
        out.line(f"Written to {options.output}.")
    elif options.write and result.changed:
        out.line(f"{options.file} was replaced.")
    elif result.changed and options.output is None:
        out.line("Nothing was written: --write replaces the file, --output FILE writes another.", "dim")
