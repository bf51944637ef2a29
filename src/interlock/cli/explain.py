"""`interlock explain`: the page of a rule, or the sentence of a reason."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from interlock.cli.audit import show_audit
from interlock.cli.documents import document_of
from interlock.cli.failure import Failure
from interlock.cli.screen import Cell, screen
from interlock.cli.settings import request_options, rule_name
from interlock.cli.sources import STDIN, decode, label, opened, read_all
from interlock.gate.table import DECISION_TABLE
from interlock.history.rules import BY_NAME, RULES
from interlock.history.rules.base import Rule

__all__ = ["run"]


def run(options: Namespace) -> int:
    """Print what is known about a word or an error; without one, list the rules."""
    if options.error is not None:
        if options.what is not None:
            raise Failure("explain: give WHAT or --error, not both")
        return _error(options)
    for name in ("history", "wire", "provider", "model", "options"):
        if getattr(options, name) is not None:
            raise Failure(f"explain: --{name} goes with --error")
    if options.what is None:
        _list(options)
        return 0
    rows = [row for row in DECISION_TABLE if row.reason == options.what]
    if rows:
        entries: list[dict[str, Any]] = [{"reason": row.reason, "action": row.action, "says": row.says} for row in rows]
        for entry in entries:
            print(json.dumps(entry) if options.json else f"{entry['reason']}: {entry['action']}. {entry['says']}")
        return 0
    if options.what.startswith(("E_", "W_", "I_")):
        raise Failure(
            f"explain: {options.what} is a remark, which says what it found; see docs/reference/diagnostics.md"
        )
    try:
        rule = BY_NAME[rule_name(options.what)]
    except Failure as failure:
        raise Failure(f"explain: {failure}; `interlock explain` lists the rules") from None
    print(json.dumps(_entry(rule)) if options.json else rule.page.strip())
    return 0


def _error(options: Namespace) -> int:
    """Say which rule a provider's words are about; 0 when they are known, else 1."""
    from interlock.history.diagnose import diagnose
    from interlock.history.engine import heal

    settings = {
        "wire": options.wire,
        "provider": options.provider,
        "model": options.model,
        "options": None if options.options is None else request_options(options.options),
    }
    heal([], **settings)  # says what does not exist
    if options.error == STDIN and options.history == STDIN:
        raise Failure("explain: standard input holds one thing, the error or the history")
    error = options.error
    if error == STDIN:
        with opened(STDIN) as file:
            error = decode(read_all(file, STDIN), label(STDIN))
    history = None
    if options.history is not None:
        with opened(options.history) as file:
            history = document_of(read_all(file, options.history), label(options.history)).value
    found = diagnose(error, history, **settings)
    if options.json:
        print(json.dumps(found.to_json()))
        return 0 if found.rule else 1
    out = screen(sys.stdout)
    out.line(found.says, "strong")
    if found.named != found.rule:
        out.line(f"The words alone say {found.named}; the history shows this cause of them.")
    place = [] if found.message_index is None else [f"message {found.message_index}"]
    place += [] if found.part_index is None else [f"part {found.part_index}"]
    if place or found.ids:
        out.line(f"The error names {', '.join((*place, *found.ids))}.")
    show_audit(out, found.findings, done=False)
    if found.fix:
        out.line("What can be done:")
    for line in found.fix.splitlines():
        out.line(f"  {line}")
    if found.code:
        out.line(f"More: interlock explain {found.code}", "dim")
    return 0 if found.rule else 1


def _list(options: Namespace) -> None:
    rules = sorted(RULES, key=lambda rule: rule.code)
    if options.json:
        for rule in rules:
            print(json.dumps(_entry(rule)))
        return
    screen(sys.stdout).table(
        ("rule", "what it finds", "policies"),
        [
            (
                Cell(f"{rule.code} {rule.name}", "strong"),
                Cell(_title(rule)),
                Cell("\n".join(f"{name}{' (default)' if name == rule.default else ''}" for name in rule.policies)),
            )
            for rule in rules
        ],
    )


def _title(rule: Rule) -> str:
    return rule.page.strip().partition("\n")[0].partition(": ")[2]


def _entry(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "rule": rule.name,
        "title": _title(rule),
        "policies": dict(rule.policies),
        "default": rule.default,
        "page": rule.page.strip(),
    }
