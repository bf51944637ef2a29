"""Recorded traffic: silence on what a provider took, the fitting rule on what it refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.history.engine import check, heal
from interlock.history.wires import WIRES
from support.shared import needs_shared, shared_files

pytestmark = [pytest.mark.shared, needs_shared]

# What the provider's error amounts to, by the manifest's class. A resource that the provider could
# not fetch (`content_not_fetchable`) is not in the data.
RULES = {
    "content_kind_not_supported": "content-part-type",
    "content_kind_in_tool_result": "content-part-type",
    "content_source": "content-part-type",
    "tool_result_malformed": "content-part-type",
    "role_not_supported": "unknown-role",
    "missing_tool_result": "misplaced-tool-result",
    "orphan_reasoning": "reasoning-without-following-item",
}


def manifest() -> dict[str, Any]:
    """Return the manifest's entries by file."""
    found = shared_files("recordings/manifest.json")
    if not found:
        return {}
    data = json.loads(found[0].read_text())
    files = data if isinstance(data, list) else data.get("files", data)
    entries = files if isinstance(files, list) else [dict(value, path=key) for key, value in files.items()]
    return {Path(entry.get("path") or entry["file"]).name: entry for entry in entries}


def recordings(kind: str) -> list[Any]:
    """Return one parameter a recorded request."""
    entries = manifest()
    found = [path for path in shared_files(f"recordings/requests/{kind}/*/*.json") if path.parent.name in WIRES]
    return [
        pytest.param(path, path.parent.name, entries.get(path.name, {}), id=f"{path.parent.name}/{path.stem}")
        for path in found
    ]


@pytest.mark.parametrize("named", [False, True], ids=["model-unknown", "model-named"])
@pytest.mark.parametrize(("path", "wire", "entry"), recordings("accepted"))
def test_what_was_accepted_comes_back_as_the_same_objects(path: Path, wire: str, entry: Any, named: bool) -> None:
    """Nothing is found, with and without the model's name, as a body and as a list."""
    body = json.loads(path.read_text())
    model = entry.get("observed", {}).get("model") if named else None
    result = heal(body, wire=wire, model=model)
    assert result.request is body, [record.reason for record in (*result.repairs, *result.remaining)]
    assert not result.remaining
    key = next(key for key in ("messages", "input", "contents") if key in body)
    alone = heal(body[key], wire=wire, model=model, options={name: body[name] for name in body if name != key})
    assert alone.messages is body[key], [record.reason for record in alone.repairs]


@pytest.mark.parametrize(("path", "wire", "entry"), recordings("accepted"))
def test_the_format_of_a_recorded_request_is_recognised(path: Path, wire: str, entry: Any) -> None:
    """Bodies tell what they are; what looks the same in two formats is the wider one."""
    found = heal(json.loads(path.read_text())).wire
    assert found == wire or (wire == "cohere_v2" and found == "openai_chat")


@pytest.mark.parametrize(("path", "wire", "entry"), recordings("rejected"))
def test_what_was_refused_is_flagged_and_healed(path: Path, wire: str, entry: Any) -> None:
    """The rule that the provider's error names finds it, and nothing is left after healing."""
    rule = RULES.get(entry["class"])
    if rule is None:
        assert entry["class"] == "content_not_fetchable"
        return
    recorded = json.loads(path.read_text())
    model = entry["observed"]["model"]
    result = heal(recorded["request"], wire=wire, model=model)
    assert rule in [record.rule for record in result.repairs]
    assert check(result.request, wire=wire, model=model).valid
