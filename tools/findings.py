"""Findings: what is wrong or doubtful in a SQL text or its result, as data."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["block", "repair", "warn", "note"]
Kind = Literal[
    "safety", "scope", "syntax", "name", "type", "literal", "join", "shape", "question", "engine"
]

SEVERITIES: tuple[Severity, ...] = ("block", "repair", "warn", "note")
REPAIR_ORDER: tuple[Kind, ...] = (
    "safety",
    "scope",
    "syntax",
    "name",
    "type",
    "engine",
    "literal",
    "join",
    "shape",
    "question",
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong or doubtful."""

    code: str
    """Stable snake_case name, unique to the check: ``unknown_column``."""
    kind: Kind
    """The class of fault; the loop repairs one class at a time, in ``REPAIR_ORDER``."""
    severity: Severity
    message: str
    """One sentence for a person: what is wrong and where."""
    clause: str = ""
    """The piece of SQL at fault, as written."""
    evidence: str = ""
    """What shows it: counts, values, the engine's text. Never a private value."""
    hint: str = ""
    """What to do about it, naming the cure: the nearest column, the value that exists."""
    fix: str | None = None
    """A whole SQL text that mends it, where a rule has one."""
    position: tuple[int, int] | None = None
    """1-based line and column in the SQL text."""
    step: str = ""
    """The step of the SQL (its CTE) that is at fault; empty where that is not told."""


def in_step(finding: Finding, step: str) -> Finding:
    """Say of a finding in which step of the SQL it is; one that says so already stays."""
    if finding.step or not step:
        return finding
    return replace(finding, step=step, message=f"Step {step}: {finding.message}")


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Return the gravest severity among the findings, or None without any."""
    return min((f.severity for f in findings), key=SEVERITIES.index, default=None)


def weight(findings: Iterable[Finding]) -> tuple[int, int, int]:
    """Count the findings of severity block, repair and warn: lower tuples are better attempts."""
    severities = [f.severity for f in findings]
    return severities.count("block"), severities.count("repair"), severities.count("warn")


def acting(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that the loop acts on, in the order given."""
    return [f for f in findings if f.severity in ("block", "repair")]


def in_repair_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity, then by the order in which classes are repaired."""
    return sorted(
        findings, key=lambda f: (SEVERITIES.index(f.severity), REPAIR_ORDER.index(f.kind))
    )
