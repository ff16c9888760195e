"""Checks of a result's cells: duplicates, shares, dates, ties, truncation."""

from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.results.case import Case
from querymend.tools.results.compare import normal

MOSTLY = 0.8
"""From this part of repeated rows on things were meant, and not rows: of 232 published predictions
on Spider and BIRD with as many and five rows or more not one was right (103 are with DISTINCT)."""
_COMPARED = ("compar", "versus", " vs", "growth", "previous", "change", "over ", "trend", "since")


def truncated(case: Case) -> list[Finding]:
    """More rows exist than were fetched: said always."""
    if not case.result.truncated:
        return []
    return [
        Finding(
            code="truncated",
            kind="shape",
            severity="note",
            message=f"Only the first {len(case.rows)} rows were fetched; there are more.",
            evidence=f"{len(case.rows)} rows",
        )
    ]


def duplicates(case: Case) -> list[Finding]:
    """Identical rows: wrong where different things are asked for, or most repeat; else told."""
    repeated = len(case.rows) - len({tuple(map(normal, r)) for r in case.rows})
    if not repeated or case.statement.tree.find(exp.Group, exp.Distinct):
        return []
    filled = any(cell is not None for row in case.rows for cell in row)
    mostly = filled and len(case.rows) >= 5 and repeated >= MOSTLY * len(case.rows)
    asked = case.expectation.distinct or mostly
    return [
        Finding(
            code="duplicate_rows",
            kind="shape",
            severity="repair" if asked else "note",
            message=f"{repeated} of {len(case.rows)} rows repeat another row.",
            evidence=f"{repeated} repeated rows",
            hint="SELECT DISTINCT." if asked else "",
        )
    ]


def share_out_of_range(case: Case) -> list[Finding]:
    """A percentage below 0 or above 100."""
    if not case.expectation.share or len(case.result.columns) != 1:
        return []
    if any(w in case.reading.question.lower() for w in ("change", "growth", "increase", "more th")):
        return []
    wild = [c for c in case.cells(0) if isinstance(c, int | float | Decimal) and not 0 <= c <= 100]
    if not wild:
        return []
    return [
        Finding(
            code="share_out_of_range",
            kind="shape",
            severity="repair",
            message="A percentage lies outside 0 to 100.",
            evidence="" if 0 in case.private else str(wild[0]),
            hint="Divide the part by the whole at one grain.",
        )
    ]


def negative_count(case: Case) -> list[Finding]:
    """A number of things below zero."""
    if not case.expectation.number or len(case.rows) != 1:
        return []
    wild = [c for c in case.rows[0] if isinstance(c, int | float | Decimal) and c < 0]
    if not wild:
        return []
    return [
        Finding(
            code="negative_count",
            kind="shape",
            severity="repair",
            message="The question asks how many, but the number is negative.",
        )
    ]


def constant_column(case: Case) -> list[Finding]:
    """A column that says the same in every one of several rows."""
    if len(case.rows) < 5 or len(case.result.columns) < 2:
        return []
    return [
        Finding(
            code="constant_column",
            kind="shape",
            severity="note",
            message=f"The column {name} has one value in all {len(case.rows)} rows.",
        )
        for place, name in enumerate(case.names)
        if len(case.cells(place)) == len(case.rows)
        and len({normal(c) for c in case.cells(place)}) == 1
    ]


def tied_at_limit(case: Case) -> list[Finding]:
    """The last rows that LIMIT let through tie, so further ones may have been cut."""
    limit, place = case.statement.limit, _order_place(case)
    if limit is None or len(case.rows) != limit or limit < 2 or place is None:
        return []
    last, before = case.rows[-1][place], case.rows[-2][place]
    if normal(last) != normal(before):
        return []
    value = "" if place in case.private else f" = {last}"
    return [
        Finding(
            code="tie_at_limit",
            kind="shape",
            severity="note",
            message=f"The last rows tie at {case.names[place]}{value}; LIMIT {limit} may have "
            "cut others that tie with them.",
            clause=f"LIMIT {limit}",
        )
    ]


def outside_period(case: Case) -> list[Finding]:
    """The one date column holds days outside the one period asked for."""
    period = case.expectation.period
    words = case.reading.question.lower()
    if period is None or any(w in words for w in _COMPARED):
        return []
    places = [i for i, _ in enumerate(case.names) if _days(case, i)]
    if len(places) != 1:
        return []
    days = _days(case, places[0])
    wild = [d for d in days if not period.holds(d)]
    if not wild:
        return []
    return [
        Finding(
            code="outside_period",
            kind="shape",
            severity="repair",
            message=f"{case.names[places[0]]} holds days outside {period.phrase}: "
            f"{len(wild)} of {len(days)} rows.",
            evidence=""
            if places[0] in case.private
            else f"{min(wild).isoformat()} to {max(wild).isoformat()}",
            hint=period.bounds,
        )
    ]


def _days(case: Case, place: int) -> list[date]:
    """Return a column as days if all its cells are dates or ISO texts of dates."""
    days = [_day(c) for c in case.cells(place)]
    found = [d for d in days if d is not None]
    return found if len(found) == len(days) else []


def _day(cell: object) -> date | None:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    if not isinstance(cell, str) or len(cell) < 10:
        return None
    try:
        return date.fromisoformat(cell[:10])
    except ValueError:
        return None


def _order_place(case: Case) -> int | None:
    """Find the result column that the rows are ordered by first, where it is shown."""
    order = case.statement.tree.args.get("order")
    if order is None:
        return None
    key = order.expressions[0].this
    shown = case.statement.shown()
    if isinstance(key, exp.Literal) and key.is_int:
        place = int(key.this) - 1
        return place if place < len(case.names) else None
    for place, item in enumerate(shown[: len(case.names)]):
        if item.unalias() == key or item.alias_or_name.lower() == key.name.lower() != "":
            return place
    return None
