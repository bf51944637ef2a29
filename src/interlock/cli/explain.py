"""`interlock explain`: the page of a rule, or the sentence of a reason."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from interlock.cli.failure import Failure
from interlock.cli.screen import Cell, screen
from interlock.cli.settings import rule_name
from interlock.gate.table import DECISION_TABLE
from interlock.history.rules import BY_NAME, RULES
from interlock.history.rules.base import Rule

__all__ = ["run"]


def run(options: Namespace) -> int:
    """Print what is known about a word; without one, list the rules."""
    if options.what is None:
        _list(options)
        return 0
    rows = [row for row in DECISION_TABLE if row.reason == options.what]
    if rows:
        entries: list[dict[str, Any]] = [{"reason": row.reason, "action": row.action, "says": row.says} for row in rows]
        for entry in entries:
            print(json.dumps(entry) if options.json else f"{entry['reason']}: {entry['action']}. {entry['says']}")
        return 0
    try:
        rule = BY_NAME[rule_name(options.what)]
    except Failure as failure:
        raise Failure(f"explain: {failure}; `interlock explain` lists the rules") from None
    print(json.dumps(_entry(rule)) if options.json else rule.page.strip())
    return 0


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
