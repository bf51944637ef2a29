"""What `check` and `heal` work by: the command line, and `[tool.interlock]` of the next pyproject.toml."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from interlock.cli.failure import Failure
from interlock.cli.sources import parse_strictly, read_document
from interlock.history.engine import heal
from interlock.history.rules import ALIASES, BY_NAME, RULES

__all__ = ["Settings", "request_options", "rule_name", "settings_of"]

_KEYS: Final = ("ignore", "policy", "provider", "select")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The arguments of `heal`, in a form that a worker process can be given."""

    wire: str | None = None
    provider: str | None = None
    model: str | None = None
    pending: tuple[str, ...] | str = ()
    options: Mapping[str, Any] | None = None
    policy: Mapping[str, str] | None = None

    def arguments(self) -> dict[str, Any]:
        """Return them by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def fingerprint(self) -> str:
        """Return text that is the same for the same settings."""
        return json.dumps(self.arguments(), sort_keys=True)


def settings_of(options: Namespace) -> Settings:
    """Return the settings, checked.

    Raises:
        Failure: an option or a settings file that cannot be used.
        InterlockError: a wire, provider, rule or policy that does not exist.
    """
    config: Mapping[str, Any] = {} if options.no_config else _config(Path.cwd())
    settings = Settings(
        wire=options.wire,
        provider=options.provider or config.get("provider"),
        model=options.model,
        pending="keep" if "keep" in options.pending else tuple(options.pending),
        options=None if options.options is None else request_options(options.options),
        policy=_policy(options, config),
    )
    heal([], **settings.arguments())  # says what cannot be used before any file is read
    return settings


def rule_name(word: str) -> str:
    """Return the name of a rule that is given by its code, its name or an alias, in any case.

    Raises:
        Failure: there is no such rule; the text names the nearest.
    """
    names = {name: name for name in BY_NAME} | dict(ALIASES) | {rule.code.lower(): rule.name for rule in RULES}
    name = names.get(word.strip().lower().replace("_", "-"))
    if name is None:
        from difflib import get_close_matches

        codes = {rule.code.lower(): rule.code for rule in RULES}
        near = [codes.get(one, one) for one in get_close_matches(word.lower(), names, n=1)]
        raise Failure(f"there is no rule {word!r}{f'; did you mean {near[0]!r}?' if near else ''}")
    return name


def _policy(options: Namespace, config: Mapping[str, Any]) -> dict[str, str]:
    policy = {rule_name(rule): action for rule, action in config.get("policy", {}).items()}
    selected = {rule_name(rule) for rule in options.select}
    wanted = selected or {rule_name(rule) for rule in config.get("select", ())} or set(BY_NAME)
    ignored = {rule_name(rule) for rule in config.get("ignore", ())} - selected
    ignored |= {rule_name(rule) for rule in options.ignore}
    policy |= dict.fromkeys(sorted((set(BY_NAME) - wanted) | ignored), "keep")
    for pair in options.policy:
        rule, equals, action = pair.partition("=")
        if not equals:
            raise Failure(f"--policy is {pair!r}; expected RULE=ACTION")
        policy[rule_name(rule)] = action.strip()
    return policy


def request_options(text: str) -> Mapping[str, Any]:
    """Return the value of `--options`: a JSON object, or `@` and the file that holds one.

    Raises:
        Failure: it is no JSON object, or the file cannot be read.
    """
    value = read_document(text[1:]) if text.startswith("@") else parse_strictly(text.encode(), "--options")
    if not isinstance(value, dict):
        raise Failure("--options is no JSON object")
    return value


def _config(start: Path) -> Mapping[str, Any]:
    """Return `[tool.interlock]` of the first pyproject.toml, from a directory upwards, that has it."""
    for directory in (start, *start.parents):
        path = directory / "pyproject.toml"
        if not path.is_file():
            continue
        import tomllib

        try:
            tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
        except (OSError, ValueError) as error:
            raise Failure(f"cannot read {str(path)!r}: {error}") from None
        if isinstance(tool, dict) and "interlock" in tool:
            return _checked(tool["interlock"], path)
    return {}


def _checked(config: Any, path: Path) -> Mapping[str, Any]:
    where = f"[tool.interlock] in {str(path)!r}"
    if not isinstance(config, dict):
        raise Failure(f"{where} is no table")
    for key, value in config.items():
        if key not in _KEYS:
            raise Failure(f"{where} has the key {key!r}; expected one of {', '.join(_KEYS)}")
        fits = {
            "provider": isinstance(value, str),
            "policy": isinstance(value, dict) and all(isinstance(action, str) for action in value.values()),
        }.get(key, isinstance(value, list) and all(isinstance(rule, str) for rule in value))
        if not fits:
            expected = {"provider": "a string", "policy": "a table of rule = action"}.get(key, "a list of rule names")
            raise Failure(f"{where}: {key!r} is {value!r}; expected {expected}")
    return config
