"""Findings before the engine: the gate and every check, for whatever SQL text is at hand."""

from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.tools.findings import Finding
from querymend.tools.sql.checks import check


def judge(sql: str, trip: Trip) -> tuple[Finding, ...]:
    """Return what the gate and the checks say of a text, within the trip's scope."""
    return check(sql, dialect=trip.deps.engine.dialect, catalog=trip.catalog, scope=trip.scope)


def blocked(findings: tuple[Finding, ...]) -> bool:
    """Tell whether a text with these findings must not run."""
    return any(f.severity == "block" for f in findings)


def needs_repair(state: State) -> bool:
    """Tell whether the attempt at hand has anything that the loop acts on."""
    return any(f.severity in ("block", "repair") for f in state.at_hand.findings)
