"""The integrity layer for LLM tool calls.

In: `Guard` turns a provider's stream into decisions and one-shot authority.
Out: `heal` turns a damaged history into one that the provider accepts.
`Parser` is the incremental JSON parser below both.

Importing the package needs nothing but the standard library; each name below
is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.diagnostics import Diagnostic
    from interlock.errors import InterlockError
    from interlock.gate.authority import Execution
    from interlock.gate.decision import Decision, Evidence, ExecuteDecision, Report
    from interlock.gate.guard import Doomed, Guard
    from interlock.history.diagnose import Diagnosis, diagnose
    from interlock.history.engine import CheckResult, HealResult, check, heal
    from interlock.history.infer import infer_provider
    from interlock.history.records import Repair
    from interlock.limits import Limits
    from interlock.parser import Parser
    from interlock.tools.lock import lock

__version__ = "0.1.0"

# name -> the module it comes from; loaded on first use so that `import interlock` stays light.
_EXPORTS = {
    "CheckResult": "interlock.history.engine",
    "Decision": "interlock.gate.decision",
    "Diagnosis": "interlock.history.diagnose",
    "Diagnostic": "interlock.diagnostics",
    "Doomed": "interlock.gate.guard",
    "Evidence": "interlock.gate.decision",
    "ExecuteDecision": "interlock.gate.decision",
    "Execution": "interlock.gate.authority",
    "Guard": "interlock.gate.guard",
    "HealResult": "interlock.history.engine",
    "InterlockError": "interlock.errors",
    "Limits": "interlock.limits",
    "Parser": "interlock.parser",
    "Repair": "interlock.history.records",
    "Report": "interlock.gate.decision",
    "check": "interlock.history.engine",
    "diagnose": "interlock.history.diagnose",
    "heal": "interlock.history.engine",
    "infer_provider": "interlock.history.infer",
    "lock": "interlock.tools.lock",
}

__all__ = [
    "CheckResult",
    "Decision",
    "Diagnosis",
    "Diagnostic",
    "Doomed",
    "Evidence",
    "ExecuteDecision",
    "Execution",
    "Guard",
    "HealResult",
    "InterlockError",
    "Limits",
    "Parser",
    "Repair",
    "Report",
    "__version__",
    "check",
    "diagnose",
    "heal",
    "infer_provider",
    "lock",
]


def __getattr__(name: str) -> Any:
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module 'interlock' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
