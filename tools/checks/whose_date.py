"""Whose date a period bounds: the one of what is measured, or of a table that is only joined.

``How much did we refund in June`` is about the day of the refund, though each refund belongs to a
sale that has a day too; ``the sales of June that were returned`` is about the day of the sale.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.date_bounds import before_period, date_bounds, moved
from querymend.tools.checks.dates import DATE_WORDS, is_date
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import (
    alike,
    is_plural,
    name_words,
    singular,
    thing_words,
    words_of,
)
from querymend.tools.sql.binding import Source

_PARTS = words_of("record entry item line")
_OF = re.compile(r"\b(?:the|all|those|these|our|of) ((?:[a-z]+ )?[a-z]+) (?:of|in|from|during) *$")
Place = tuple[Source, Column]


def other_tables_date(seen: Seen) -> Iterable[Finding]:
    """Find a period that is set on the date of another table than the one it is said of."""
    bounds = list(date_bounds(seen))
    sources = [c.used.ref.source for c in bounds]
    if len(seen.periods) != 1 or not bounds or None in sources:
        return
    owner = _said_of(seen, bounds) or _measured(seen, bounds)
    if owner is None:
        return
    own = [c for c in bounds if c.used.ref.source is owner[0]]
    others = [c for c in bounds if c.used.ref.source is not owner[0]]
    if others and not _meets(seen, others[0], owner):
        yield _finding(seen, others, owner, is_bounded=bool(own))


def _said_of(seen: Seen, bounds: Sequence[Comparison]) -> Place | None:
    """Return the date of the table whose things the period is said of: ``the sales of June``."""
    found = _OF.search(before_period(seen))
    noun = found.group(1).split()[-1] if found else ""
    if not is_plural(noun):
        return None
    named = [s for s in _sources(seen, bounds) if s.table and _is_called(s.table, singular(noun))]
    return _own_date(named[0], singular(noun)) if len(named) == 1 else None


def _measured(seen: Seen, bounds: Sequence[Comparison]) -> Place | None:
    """Return the one date of the table that is added up, where no other is spoken of."""
    assert seen.top is not None or not bounds
    tops = seen.top.expressions if seen.top is not None else []
    calls = [c for e in tops for c in e.find_all(exp.Sum, exp.Avg)]
    homes = {id(u.ref.source): u.ref.source for c in calls for u in seen.uses_in(c)}
    home = next(iter(homes.values())) if len(homes) == 1 else None
    if home is None or home not in _sources(seen, bounds):
        return None
    if any(_is_spoken_of(seen, c.used.table) for c in bounds if c.used.ref.source is not home):
        return None
    found = _own_date(home, "")
    return found if found and _is_its_own(seen, *found) else None


def _is_its_own(seen: Seen, source: Source, column: Column) -> bool:
    """The date says when the thing itself was: ``refund_date`` of a refund, no ``ship_date``."""
    assert source.table is not None
    words = [w for w in name_words(column.name) if w not in DATE_WORDS]
    known = {*_own_words(source.table), *seen.asked}
    return all(any(alike(w, k) for k in known) for w in words)


def _sources(seen: Seen, bounds: Sequence[Comparison]) -> Sequence[Source]:
    blocks = {id(c.used.ref.block): c.used.ref.block for c in bounds}
    return next(iter(blocks.values())).sources if len(blocks) == 1 else ()


def _own_date(source: Source, noun: str) -> Place | None:
    """Return the one date of a table, or the one of several that is called as its things are."""
    assert source.table is not None
    dates = [c for c in source.table.columns if is_date(c)]
    called = [c for c in dates if noun and any(alike(w, noun) for w in name_words(c.name))]
    found = dates if len(dates) == 1 else called
    return (source, found[0]) if len(found) == 1 else None


def _own_words(table: Table) -> Iterator[str]:
    return (w for w in thing_words(table.name) if w not in _PARTS)


def _is_called(table: Table, noun: str) -> bool:
    return any(alike(w, noun) for w in _own_words(table))


def _is_spoken_of(seen: Seen, table: Table) -> bool:
    """The question has a word of the table's name, or of one of its dates."""
    dates = (w for c in table.columns if is_date(c) for w in name_words(c.name))
    words = {*_own_words(table), *dates} - DATE_WORDS
    return any(alike(w, a) for w in words for a in seen.asked)


def _meets(seen: Seen, bound: Comparison, owner: Place) -> bool:
    """The two dates are joined on: a calendar's day is the day of what it is joined to."""
    mine, its = owner[1].name, bound.used.column.name
    for pair in seen.all(exp.EQ):
        sides = {c.name for c in (pair.this, pair.expression) if isinstance(c, exp.Column)}
        if sides == {mine, its}:
            return True
    return len(bound.used.table.columns) == 1


def _finding(
    seen: Seen, others: Sequence[Comparison], owner: Place, *, is_bounded: bool
) -> Finding:
    source, column = owner
    assert source.table is not None
    used = others[0].used
    return seen.found(
        "other_tables_date",
        "literal",
        "repair",
        f"The period is one of {source.table.name}; the SQL bounds {used.table.name}."
        f"{used.column.name}.",
        node=others[0].node,
        hint=f"Bound {source.name}.{column.name} alone.",
        fix=seen.without([c.node for c in others]) if is_bounded else moved(seen, others, owner),
    )
