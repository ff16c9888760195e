"""The engine's clock in a statement whose "today" was set: the question's day takes its place."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

DAYS = (exp.CurrentDate,)
MOMENTS = (exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)
UNREAD = frozenset({"now", "get_current_timestamp"})
"""Clocks that the parser knows by name alone."""


def engine_clock(seen: Seen) -> Iterable[Finding]:
    """Find ``CURRENT_DATE`` and its like where "today" is another day than the engine's."""
    clocks = [n for n in seen.nodes if _is_clock(n)]
    if seen.today is None or not clocks:
        return
    yield seen.found(
        "engine_clock",
        "question",
        "repair",
        f"The SQL asks the engine for the date; today is {seen.today} here.",
        node=clocks[0],
        hint=f"Use DATE '{seen.today}'.",
        fix=_pinned(seen),
    )


def _pinned(seen: Seen) -> exp.Expr:
    """Return the statement with the given day in the place of each clock."""
    copy = seen.tree.copy()
    for node in [n for n in copy.walk() if _is_clock(n)]:
        kind = "DATE" if isinstance(node, DAYS) else "TIMESTAMP"
        node.replace(exp.cast(exp.Literal.string(f"{seen.today}"), kind))
    return copy


def _is_clock(node: exp.Expr) -> bool:
    named = isinstance(node, exp.Anonymous) and node.name.lower() in UNREAD
    return named or isinstance(node, (*DAYS, *MOMENTS))
