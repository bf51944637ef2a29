"""The demo: broken streams as the official clients see them, with and without interlock; then a broken history.

Run it with `make demo`. It needs no API key: the streams are recordings that a
local server plays.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from anthropic import Anthropic
from openai import OpenAI
from pydantic import BaseModel
from replay import Replay
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from unguarded import Call, anthropic_calls, openai_calls

import interlock
from interlock.cli.diff import diff
from interlock.cli.terminal import compact, escape

HISTORY = Path(__file__).with_name("histories") / "orphan-call.json"
QUESTION = [{"role": "user", "content": "Go ahead."}]
STYLES = {"execute": "green", "retry": "yellow", "reject": "red"}


class WriteFile(BaseModel):
    """Write a file."""

    path: str
    content: str


class DeleteFolder(BaseModel):
    """Delete a folder with all that is in it."""

    path: str


class SendMoney(BaseModel):
    """Send money."""

    to: str
    amount_eur: int


TOOLS = {"write_file": WriteFile, "delete_folder": DeleteFolder, "send_money": SendMoney}
SCENES = [
    ("clean", "anthropic", "A clean call."),
    ("cut-in-string", "anthropic", "Cut by max_tokens in the middle of a string."),
    ("cut-by-length", "openai_chat", "Valid JSON, but cut by the token limit."),
    ("dropped", "openai_chat", "Connection dropped: the body ends without a terminal event."),
    ("parallel", "openai_chat", "Two parallel calls."),
]


def main() -> None:
    """Play all scenes."""
    terminal = sys.stdout.isatty()
    width = None if terminal or "COLUMNS" in os.environ else 100
    console = Console(force_terminal=terminal, width=width, highlight=False)
    with Replay() as server:
        streams(console, server)
    history(console)


def streams(console: Console, server: Replay) -> None:
    """Show what would run, and what interlock decides, for each recorded stream."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_lines=False, expand=False)
    for column in ("stream", "a loop without a guard runs", "interlock decides"):
        table.add_column(column, overflow="fold")
    for number, (recording, wire, title) in enumerate(SCENES, 1):
        guard = interlock.Guard(wire, tools=TOOLS)
        seen = list(guard.watch(open_stream(wire, server.url(recording))))
        unguarded = anthropic_calls(seen) if wire == "anthropic" else openai_calls(seen)
        verdicts = [verdict(guard, decision) for decision in guard.finish().decisions]
        if number > 1:
            table.add_row()
        for at, (call, decided) in enumerate(zip(unguarded, verdicts, strict=True)):
            ran = Text(shown(call), style="" if decided.plain.startswith("execute") else "red")
            table.add_row(f"{number}. {title} [dim]({wire})[/]" if at == 0 else "", ran, decided)
    console.print("\n[bold]In: from a provider's stream to the right to run a call once[/]")
    show(console, table)


def open_stream(wire: str, url: str) -> Any:
    """Ask the local server as if it were the provider."""
    if wire == "anthropic":
        anthropic = Anthropic(base_url=url, api_key="none", max_retries=0)
        return anthropic.messages.create(model="claude-sonnet-4-6", max_tokens=64, messages=QUESTION, stream=True)
    openai = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return openai.chat.completions.create(model="gpt-4o", messages=QUESTION, stream=True)


def verdict(guard: interlock.Guard, decision: interlock.Decision) -> Text:
    """Say what interlock decides; what executes is what `take` hands out, once."""
    execution = guard.take(decision.internal_id)
    text = Text(f"{decision.action}, {decision.reason}\n", style=STYLES[decision.action])
    if execution is not None:
        assert guard.take(decision.internal_id) is None  # the second take gets nothing
        return text.append(shown((execution.name, execution.value)), style="default")
    word = decision.evidence.provider_reason
    text.append(f"the provider's word: {'none' if word is None else escape(word)}\n", style="default")
    return text.append(f"certain so far: {escape(compact(decision.stable_value, 60))}", style="default")


def shown(call: Call) -> str:
    """Write a call as code."""
    name, arguments = call
    return escape(f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})")


def history(console: Console) -> None:
    """Heal a history in which a call was never answered, and show the audit."""
    messages = json.loads(HISTORY.read_text(encoding="utf-8"))
    result = interlock.heal(messages)
    console.print("[bold]Out: from a damaged history to one that the provider accepts[/]")
    console.print(f"{HISTORY.name}: a call that was never answered; the provider refuses the whole conversation.\n")
    for line, style in diff(result, messages):
        console.print(Text(escape(line), style={"good": "green", "bad": "red", "strong": "bold"}.get(style, "")))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("audit", "what was done", "why", "lost"):
        table.add_column(column, overflow="fold")
    for repair in result.repairs:
        lost = "something" if repair.lossy else "nothing"
        table.add_row(f"{repair.code} {repair.rule}", repair.action, repair.reason, lost)
    show(console, table)
    again = interlock.heal(result.messages)
    untouched = sum(any(message is one for one in messages) for message in result.messages)
    console.print(f"{untouched} of {len(messages)} messages are the very same objects.")
    console.print(f"Healed again: {len(again.repairs)} repairs.\n")


def show(console: Console, table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())


if __name__ == "__main__":
    main()
