"""Write the reference pages that the code can tell by itself.

python scripts/generate_docs.py            write the pages
python scripts/generate_docs.py --check    say which page is out of date; exit 1 if one is

A page is a line in `pages`: its path below docs/, and its text. The text comes from docstrings and tables; to
change a page, change the code.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from interlock import vocabulary
from interlock.gate.table import DECISION_TABLE
from interlock.history.providers import PROFILES
from interlock.history.rules import RULES
from interlock.history.rules.base import Rule
from interlock.limits import Limits
from interlock.parser.codes import CODES
from interlock.stream.wires import WIRES, Traits

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "interlock"
DOCS = ROOT / "docs"
MARK = "<!-- Written by scripts/generate_docs.py: change the code, not this page. -->\n"

ENDS = {
    "turn": "the turn's own end event is enough",
    "stream": "an event that ends the whole stream is needed too",
    "source": "no event ends the stream: its source must end cleanly, or send its end marker",
}


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page's path below docs/ and its text."""
    yield "wires/index.md", wires_index()
    for wire in vocabulary.STREAM_WIRES:
        yield f"wires/{wire}.md", wire_page(wire)
    yield "rules/index.md", rules_index()
    for rule in RULES:
        yield f"rules/{rule.code}.md", rule_page(rule)
    yield "reference/decisions.md", decisions()
    yield "reference/end-reasons.md", end_reasons()
    yield "reference/limits.md", limits()
    yield "reference/diagnostics.md", diagnostics()


# -- the wires ---------------------------------------------------------------


def wires_index() -> str:
    """One line a wire."""
    rows = []
    for wire in vocabulary.STREAM_WIRES:
        module = import_module(WIRES[wire])
        traits: Traits = module.Adapter.traits
        title = inspect.getdoc(module).splitlines()[0].rstrip(".")
        rows.append((f"[`{wire}`]({wire}.md)", title, _bytes(traits), "yes" if traits.calls_end else "no", traits.ends))
    return (
        "# Wires\n\n"
        "The formats in which tool calls are streamed. `Guard(wire)` takes an event as a dict or as the SDK's own\n"
        "object; where a wire has a byte form, `push_bytes` takes the raw body.\n\n"
        + table(("Wire", "Format", "Bytes", "A call has an end of its own", "What ends it"), rows)
        + "\n"
        + "".join(f"- `{word}`: {says}.\n" for word, says in ENDS.items())
    )


def wire_page(wire: str) -> str:
    """One wire: its docstring, its words, and what the decision has to know about it."""
    module = import_module(WIRES[wire])
    traits: Traits = module.Adapter.traits
    title, _, rest = inspect.getdoc(module).partition("\n")
    facts = [
        ("A call is identified by", module.SOURCE_KEY),
        ("A call has an end event of its own", "yes; without it, it is not whole" if traits.calls_end else "no"),
        ("What ends it", ENDS[traits.ends]),
        (
            "No argument text at all means `{}`",
            "yes" if traits.empty_is_object else "only if the tool's schema accepts `{}`",
        ),
        ("The wire repeats the arguments as text", "yes; the copies are compared" if traits.repeats_text else "no"),
        ("Raw bytes", _bytes(traits)),
    ]
    words = [(f"`{said}`", f"`{reason}`") for said, reason in module.END_REASONS.items()]
    return (
        f"# `{wire}`\n\n{title}\n{markdown(rest)}\n\n## For the decision\n\n"
        + table(("Question", "Answer"), facts)
        + "\n## End reasons\n\nA word that is not listed is `unknown`, and never confirms. What they mean:\n"
        + "[end reasons](../reference/end-reasons.md).\n\n"
        + table(("The wire's word", "End reason"), words)
    )


def _bytes(traits: Traits) -> str:
    names = {
        "sse": "server-sent events",
        "ndjson": "JSON lines",
        "aws_event_stream": "AWS event stream",
        "sse_or_json": "server-sent events, or a JSON array",
        "none": "no byte form",
    }
    return names[traits.framing]


# -- the rules ---------------------------------------------------------------


def rules_index() -> str:
    """One line a rule, in the order of the codes."""
    rows = [
        (
            f"[{rule.code}]({rule.code}.md)",
            f"`{rule.name}`",
            f"`{rule.default}`",
            rule.policies[rule.default],
            _targets(rule),
        )
        for rule in sorted(RULES, key=lambda rule: rule.code)
    ]
    return (
        "# Rules for histories\n\n"
        "What `interlock check` finds and `interlock heal` repairs, with the policy that is followed unless you\n"
        "ask for another. Each rule's page says what every policy does and what it loses; `interlock explain IL001`\n"
        "prints it.\n\n" + table(("code", "name", "default policy", "loses", "targets"), rows)
    )


def rule_page(rule: Rule) -> str:
    """The rule's own page, its policies and whom it is for."""
    sections = re.split(r"^(\S[^\n]*):\n", rule.page.split("\n", 1)[1], flags=re.MULTILINE)
    body = ""
    for heading, text in zip(sections[1::2], sections[2::2], strict=True):
        text = textwrap.dedent(text).strip("\n")
        fixed = heading in ("Example", "Fix", "Loss")
        body += f"## {heading}\n\n" + (f"```text\n{text}\n```\n\n" if fixed else f"{text}\n\n")
    rows = [(f"`{policy}`", loss) for policy, loss in rule.policies.items()]
    return (
        f"# {rule.code}: {rule.name}\n\n{body}"
        f"## Policies\n\n{table(('policy, default first', 'loss'), rows)}\nFor: {_targets(rule)}. Since {rule.since}.\n"
    )


def _targets(rule: Rule) -> str:
    names = rule.providers(PROFILES)
    return "all" if len(names) == len(PROFILES) else ", ".join(names) or "some models or settings"


# -- text --------------------------------------------------------------------


def markdown(docstring: str) -> str:
    """Turn a docstring's literal blocks and indented sections into Markdown."""
    out: list[str] = []
    for block in re.split(r"\n\n+(?=\S)", docstring.strip("\n")):
        head, _, body = block.partition("\n")
        indented = bool(body) and all(line.startswith(" ") or not line for line in body.splitlines())
        if head.endswith("::") and indented:
            out.append(f"{head[:-1]}\n\n```text\n{textwrap.dedent(body).strip()}\n```")
        elif head in ("Source:", "Args:") and indented:
            out.append(f"**{head[:-1]}:** {' '.join(body.split())}")
        else:
            out.append(block)
    return "\n" + "\n\n".join(out)


# -- the reference -----------------------------------------------------------


def decisions() -> str:
    """The decision table, in order."""
    rows = [(str(at), f"`{row.action}`", f"`{row.reason}`", row.says) for at, row in enumerate(DECISION_TABLE, 1)]
    return (
        "# Decisions\n\nOne decision a call: the first row that holds. One row executes; it needs every positive\n"
        "fact, and the rows above it take what speaks against the call.\n\n"
        + table(("#", "Action", "Reason", "When"), rows)
    )


def end_reasons() -> str:
    """Our words for the end of a stream, and each wire's words for them."""
    source = inspect.getsource(vocabulary)
    said = dict(re.findall(r'^    "(\w+)",  # (.+)$', source[source.index("EndReason = ") :], re.MULTILINE))
    rows = [(f"`{reason}`", said[reason]) for reason in vocabulary.END_REASONS]
    text = "# End reasons\n\nWhy a stream, or a turn of it, stopped. Only `complete` can confirm.\n\n"
    text += table(("End reason", "Means"), rows)
    for reason in vocabulary.END_REASONS:
        found = []
        for wire in vocabulary.STREAM_WIRES:
            words = [f"`{word}`" for word, means in import_module(WIRES[wire]).END_REASONS.items() if means == reason]
            if words and wire != "normalized":
                found.append((f"[`{wire}`](../wires/{wire}.md)", " ".join(words)))
        if found:
            text += f"\n## {reason}\n\n" + table(("Wire", "Its words"), found)
    return text


def limits() -> str:
    """Every bound, with its default and what passing it leads to."""
    doc = inspect.getdoc(Limits) or ""
    head, _, rest = doc.partition("Attributes:")
    attributes, _, source = rest.partition("Source:")
    says = dict(re.findall(r"^ +(\w+): (.+?)(?=\n +\w+: |\Z)", attributes.strip("\n"), re.MULTILINE | re.DOTALL))
    rows = [(f"`{one.name}`", f"{one.default:,}", " ".join(says[one.name].split())) for one in fields(Limits)]
    return (
        f"# Limits\n\n{head.strip()}\n\n"
        "`Guard(wire, limits=interlock.Limits(calls=16))` and `Parser(limits=...)` take them.\n\n"
        + table(("Field of `Limits`", "Default", "Bounds"), rows)
        + f"\n{' '.join(source.split())}\n"
    )


def diagnostics() -> str:
    """Every code that a diagnostic may carry, with the messages it comes with."""
    rows = []
    for code, messages in sorted(_codes().items()):
        says = dict(CODES).get(code) or "; ".join(sorted(messages)) or "its message says what was found"
        rows.append((f"`{code}`", says))
    return (
        "# Diagnostics\n\nA diagnostic is a remark about what arrived, never an exception. `E_` is an error,\n"
        "`W_` a warning, `I_` a note; the code is stable, the message is not. `…` stands for what was found.\n\n"
        + table(("Code", "Says"), rows)
    )


@cache
def _codes() -> dict[str, set[str]]:
    """Find the codes in the sources, each with the message that stands next to it."""
    found: dict[str, set[str]] = {code: set() for code in CODES}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent.name == "rules" or path.parent.name == "history":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            for at, value in enumerate(values):
                if isinstance(value, ast.Constant) and re.fullmatch(r"[EWI]_[A-Z0-9_]+", str(value.value)):
                    messages = found.setdefault(str(value.value), set())
                    messages.update(filter(None, map(_template, values[at + 1 : at + 2])))
    return found


def _template(node: ast.expr) -> str | None:
    """Return a message's text, with `…` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return None


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table."""
    lines = [list(head), ["---" for _ in head], *(list(row) for row in rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def main(check: bool) -> int:
    """Write the pages, or compare them."""
    wanted = {DOCS / path: MARK + text for path, text in pages()}
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text() != text]
    stale += [path for path in (DOCS / "wires").glob("*.md") if path not in wanted]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is out of date; run: python scripts/generate_docs.py")
        elif path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
        else:
            path.unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
