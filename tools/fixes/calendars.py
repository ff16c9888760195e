"""Columns of a calendar that is not there, where the question's period is a span of days."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sqlglot import exp

from querymend.tools.catalog.model import Column
from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.names import words
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.troubles import kind_of
from querymend.tools.fixes.view import Frame, Source, View
from querymend.tools.questions.period import Period

PARTS = frozenset({"year", "quarter", "month", "week", "day", "date", "number", "num", "no"})
_DAY = timedelta(days=1)
_COMPARED = (exp.EQ, exp.GTE, exp.GT, exp.LTE, exp.LT, exp.Between, exp.In)


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Say the one period of the question in days, where the text compares parts of no calendar."""
    if len(known.periods) != 1:
        return
    for frame in view.frames:
        parts = _calendar(frame, known)
        if parts:
            yield from _mended(view, known, frame, parts)
            return


def _calendar(frame: Frame, known: Known) -> list[int]:
    """Return the places of the predicates that say the period by columns that do not exist."""
    found = list(enumerate(edits.predicates(frame)))
    return [i for i, part in found if _says_period(frame, part, known)]


def _says_period(frame: Frame, part: exp.Expr, known: Known) -> bool:
    test = part.unnest()
    if not isinstance(test, _COMPARED) or test.find(exp.Select):
        return False
    columns = edits.own_columns(test)
    literals = list(test.find_all(exp.Literal))
    if len(columns) != 1 or not literals or kind_of(frame, columns[0]) is None:
        return False
    name = set(words(columns[0].name))
    if not name & PARTS or (name - PARTS) & known.asked:
        return False
    return all(lit.is_int and int(lit.this) in _numbers(known.periods[0]) for lit in literals)


def _numbers(period: Period) -> set[int]:
    """Return the numbers by which calendars name the parts of a span."""
    days = [d for d in (period.start, period.end) if d]
    found = {n for d in days for n in (d.year, d.month, (d.month + 2) // 3, d.day)}
    return found | {d.isocalendar().week for d in days}


def _mended(view: View, known: Known, frame: Frame, parts: Sequence[int]) -> Iterator[Step]:
    period = known.periods[0]
    if _bounded(view.tree, period):
        copy = view.again()
        _put(copy.frames[frame.index], parts, [])
        why = f"left out what says {period.phrase} again"
        yield Step(code="period_again", why=why, certainty=prior("period_again"), tree=copy.tree)
        return
    places = _date_columns(frame)
    for source, column in places[:3]:
        copy = view.again()
        side = edits.column(column.name, source.alias if len(frame.sources) > 1 else "")
        _put(copy.frames[frame.index], parts, bounds(side, period))
        code = "period_as_dates" if len(places) == 1 else "period_as_dates_any"
        why = f"{period.phrase} by the days of {column.name}"
        yield Step(code=code, why=why, certainty=prior(code), tree=copy.tree, edits=2)


def _put(frame: Frame, parts: Sequence[int], instead: Sequence[exp.Expr]) -> None:
    kept = [p for i, p in enumerate(edits.predicates(frame)) if i not in parts]
    edits.set_where(frame.select, [*kept, *instead])


def _bounded(tree: exp.Expr, period: Period) -> bool:
    """Tell whether the text holds an edge of the period as a day."""
    edges = {period.start, period.end, period.end + _DAY if period.end else None} - {None}
    texts = {str(lit.this)[:10] for lit in tree.find_all(exp.Literal) if lit.is_string}
    return any(str(d) in texts for d in edges)


def _date_columns(frame: Frame) -> list[tuple[Source, Column]]:
    """Return the date columns of the first source that has any."""
    for source in frame.sources.values():
        columns = source.table.columns if source.table else ()
        dates = [c for c in columns if c.type.upper().startswith(("DATE", "TIMESTAMP"))]
        if dates:
            return [(source, c) for c in dates]
    return []


def bounds(side: exp.Expr, period: Period) -> list[exp.Expr]:
    """Return the comparisons that keep a date or a moment within a period."""
    found: list[exp.Expr] = []
    if period.start:
        found.append(exp.GTE(this=side.copy(), expression=_literal(period.start)))
    if period.end:
        found.append(exp.LT(this=side.copy(), expression=_literal(period.end + _DAY)))
    return found


def _literal(day: date) -> exp.Expr:
    return exp.cast(exp.Literal.string(day.isoformat()), "DATE")
