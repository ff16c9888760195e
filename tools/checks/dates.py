"""The period of a question held against the bounds that the SQL sets, and on which column."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.fixes.calendars import bounds
from querymend.tools.questions.period import Period
from querymend.tools.questions.words import alike, name_words, words_of
from querymend.tools.sql.trees import copied, drop_condition

DATE_WORDS = words_of("date time day at on")
"""Words of a date's name that say only that it is one."""
_DAY = timedelta(days=1)
_CLOCKS = (
    exp.CurrentDate,
    exp.CurrentTimestamp,
    exp.Extract,
    exp.DateTrunc,
    exp.TimestampTrunc,
    exp.Interval,
    exp.TimeToStr,
    exp.StrToTime,
    exp.Year,
    exp.Month,
    exp.Quarter,
    exp.DateAdd,
    exp.DateSub,
    exp.DateDiff,
    exp.Anonymous,
)


@dataclass(frozen=True, kw_only=True)
class Span:
    """The days that the comparisons of one column leave."""

    comparisons: tuple[Comparison, ...]
    start: date | None
    end: date | None


def is_date(column: Column) -> bool:
    """Tell whether a column holds days, by its type or by what it holds."""
    kind = column.type.upper()
    if kind.startswith(("DATE", "TIMESTAMP")):
        return True
    low = column.profile.minimum if column.profile else None
    return isinstance(low, str) and _day(low) is not None


def spans(seen: Seen) -> list[Span]:
    """Return the days that each date column's comparisons leave, one for each use of a table."""
    found: dict[tuple[int, str], list[Comparison]] = {}
    for one in seen.comparisons:
        plain = not one.aggregated and one.node.find_ancestor(exp.Or, exp.Not, exp.Case) is None
        if plain and is_date(one.used.column) and one.op not in ("<>", "like", "in"):
            key = (id(one.used.ref.source), one.used.column.name)
            found.setdefault(key, []).append(one)
    return [s for group in found.values() if (s := _span(group)) is not None]


def _span(group: list[Comparison]) -> Span | None:
    starts: list[date] = []
    ends: list[date] = []
    for one in group:
        days = [_day(str(v)) for v in one.values]
        if any(d is None for d in days):
            return None
        low, high = _edges(one.op, [d for d in days if d])
        starts += [low] if low else []
        ends += [high] if high else []
    return Span(
        comparisons=tuple(group),
        start=max(starts, default=None),
        end=min(ends, default=None),
    )


def _edges(op: str, days: list[date]) -> tuple[date | None, date | None]:
    first = days[0]
    if op == "between":
        return first, days[1]
    known: dict[str, tuple[date | None, date | None]] = {
        "=": (first, first),
        ">=": (first, None),
        ">": (first + _DAY, None),
        "<=": (None, first),
        "<": (None, first - _DAY),
    }
    return known.get(op, (None, None))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def other_period(seen: Seen) -> Iterable[Finding]:
    """Find bounds on a date column that are not those of the one period asked for.

    The steps of a statement may each have them, if they all have the same.
    """
    found = spans(seen)
    if len(seen.periods) != 1 or len({_place(s) for s in found}) != 1:
        return
    period, span = seen.periods[0], found[0]
    if (period.kind == "day" and period.relative) or _agrees(period, span):
        return
    yield seen.found(
        "other_period",
        "question",
        "repair",
        f"The question asks for {period.text}; the SQL takes {_said(span)}.",
        node=span.comparisons[0].node,
        hint=f"Use {_bounds(span.comparisons[0].used.column.name, period)}.",
        fix=_bounded(seen, found, period),
    )


def _place(span: Span) -> tuple[object, ...]:
    used = span.comparisons[0].used
    return used.table.qualified_name, used.column.name, span.start, span.end


def _agrees(period: Period, span: Span) -> bool:
    """Both edges are the same, or lie where no data is; a range that ends today may stay open."""
    if span.start is None and span.end is None:
        return True
    profile = span.comparisons[0].used.column.profile
    low = _day(str(profile.minimum)) if profile else None
    high = _day(str(profile.maximum)) if profile else None
    start = period.start == span.start
    start = start or bool(span.start is None and low and period.start and low >= period.start)
    end = period.end == span.end or (period.kind == "open" and span.end is None)
    end = end or bool(span.end is None and high and period.end and high <= period.end)
    return start and end


def _said(span: Span) -> str:
    return f"{span.start or 'any day'} to {span.end or 'any day'}"


def _bounds(column: str, period: Period) -> str:
    parts = [f"{column} >= '{period.start}'"] if period.start else []
    parts += [f"{column} < '{period.end + _DAY}'"] if period.end else []
    return " AND ".join(parts)


def _bounded(seen: Seen, found: list[Span], period: Period) -> exp.Expr | None:
    """Return the statement with the period's bounds in the place of those that stand there."""
    if any(len(s.comparisons) > 2 or not all(c.plain for c in s.comparisons) for s in found):
        return None
    copy, twins = copied(seen.tree, [c.node for s in found for c in s.comparisons])
    for span in found:
        first, *rest = (twins.pop(0) for _ in span.comparisons)
        for twin in rest:
            drop_condition(twin)
        if wanted := bounds(span.comparisons[0].side.copy(), period):
            first.replace(exp.and_(*wanted))
        else:
            drop_condition(first)
    return copy


def period_missing(seen: Seen) -> Iterable[Finding]:
    """Find a period that is asked for where the SQL bounds no date, though its tables have one."""
    if len(seen.periods) != 1 or not any(is_date(c) for t in seen.tables for c in t.columns):
        return
    period = seen.periods[0]
    edges = {d for d in (period.start, period.end) if d}
    text = seen.subject.parsed.text
    if any(str(d.year) in text for d in edges) or seen.tree.find(*_CLOCKS) is not None:
        return
    if any(is_date(u.column) and u.ref.clause in ("where", "having", "on") for u in seen.used):
        return
    yield seen.found(
        "period_missing",
        "question",
        "repair",
        f"The question asks for {period.text}; the SQL bounds no date.",
        hint=f"Use {period.bounds}.",
    )


def other_date(seen: Seen) -> Iterable[Finding]:
    """Find bounds on one date column where the question's words name another of the table."""
    for span in spans(seen):
        used = span.comparisons[0].used
        if _names(seen, used.table, used.column):
            continue
        named = [c for c in _others(used.table, used.column) if _names(seen, used.table, c)]
        if len(named) == 1 and (used.table.qualified_name.lower(), named[0].name.lower()) not in (
            seen.places
        ):
            yield seen.found(
                "other_date",
                "question",
                "repair",
                f"The question speaks of {named[0].name}; the SQL bounds {used.column.name}.",
                node=span.comparisons[0].node,
                hint=f"Use {named[0].name}.",
                fix=_on(seen, span, named[0].name),
            )


def _others(table: Table, column: Column) -> Iterator[Column]:
    return (c for c in table.columns if is_date(c) and c.name != column.name)


def _names(seen: Seen, table: Table, column: Column) -> bool:
    """A word of the question stands in the column's name, and not in its table's or any date's."""
    vague = {*DATE_WORDS, *name_words(table.name)}
    words = [w for w in name_words(column.name) if w not in vague]
    return any(alike(w, a) for w in words for a in seen.asked)


def _on(seen: Seen, span: Span, column: str) -> exp.Expr:
    copy, twins = copied(seen.tree, [c.used.ref.column for c in span.comparisons])
    for twin in twins:
        twin.set("this", exp.to_identifier(column))
    return copy
