"""`interlock check`: what is wrong with a history."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from interlock.cli.audit import show_audit
from interlock.cli.documents import document_of
from interlock.cli.failure import Failure
from interlock.cli.kinds import is_many
from interlock.cli.screen import screen
from interlock.cli.settings import settings_of
from interlock.cli.sources import label, opened, read_all, shown
from interlock.errors import WireError
from interlock.history.engine import check

__all__ = ["run"]


def run(options: Namespace) -> int:
    """Check a file; 0 when nothing is found, else 1."""
    settings = settings_of(options)
    with opened(options.file) as file:
        if is_many(file, options.file):
            from interlock.cli.bulk import check_lines

            return check_lines(file, options, settings)
        data = read_all(file, options.file)
    document = document_of(data, label(options.file))
    try:
        result = check(document.value, **settings.arguments())
    except WireError as error:
        raise Failure(f"{label(options.file)}: {error}") from None
    if options.json:
        print(json.dumps(result.to_json()))
    else:
        out = screen(sys.stdout)
        rules = f"rules of {result.provider}" if result.provider else "rules that all providers share"
        out.line(f"{shown(options.file)}: {result.wire}, {rules}")
        show_audit(out, result.findings, done=False)
        count = len(result.findings)
        out.line("Nothing found." if result.valid else f"{count} finding{'' if count == 1 else 's'}.", "strong")
    return 0 if result.valid else 1
