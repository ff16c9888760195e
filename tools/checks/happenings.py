"""What happened in a period, by the question's verb, held against the date that the SQL bounds."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.date_bounds import before_period, date_bounds, moved
from querymend.tools.checks.dates import is_date, other_date
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import (
    STOP_WORDS,
    alike,
    name_words,
    singular,
    tokens,
    words_of,
)
from querymend.tools.sql.binding import Source

_LED = r"(?: (?:up|back|out|in|on|by|at|for|during|between|from|since|the|month|of|year|date))*"
_NOUNS = {
    "sold": "sale",
    "bought": "purchase",
    "paid": "payment",
    "born": "birth",
    "sent": "send",
    "made": "make",
    "begun": "begin",
    "began": "begin",
    "came": "come",
    "left": "leave",
    "given": "give",
    "taken": "take",
    "built": "build",
    "died": "death",
    "delivered": "delivery",
}
"""Nouns that date columns are named by, of verbs that share no stem with them."""
_VERB = re.compile(rf"\b([a-z]+ed(?: up)?|{'|'.join(_NOUNS)}|due|renewals?)(?={_LED} *$)")
_VAGUE = words_of("date time day at on dt timestamp")


def wrong_date(seen: Seen) -> Iterable[Finding]:
    """Find a period that is set on one date where the verb before it names another."""
    verb = _verb(seen)
    bounds = list(date_bounds(seen))
    places = {(id(c.used.ref.source), c.used.column.name) for c in bounds}
    if verb is None or len(places) != 1 or next(iter(other_date(seen)), None) is not None:
        return
    used = bounds[0].used
    if _fits(verb, used.table, used.column) or _is_told(verb, used.column):
        return
    others = [p for p in _dates(used) if _fits(verb, *_held(p))]
    if len(others) == 1 and not _is_bounded(seen, others[0]):
        yield _finding(seen, bounds, others[0], verb)


def _verb(seen: Seen) -> str | None:
    """Return the verb right before the question's one period: ``shipped in March``."""
    found = _VERB.search(before_period(seen))
    return found.group(1) if found else None


def _dates(used: Used) -> Iterator[tuple[Source, Column]]:
    """Yield the other dates that the SELECT could bound instead."""
    for source in used.ref.block.sources:
        for column in source.table.columns if source.table else ():
            same = source is used.ref.source and column.name == used.column.name
            if is_date(column) and not same:
                yield source, column


def _held(place: tuple[Source, Column]) -> tuple[Table, Column]:
    assert place[0].table is not None
    return place[0].table, place[1]


def _fits(verb: str, table: Table, column: Column) -> bool:
    """A word of the column's own name is of the verb's stem: ``shipped``, ``ship_date``."""
    own = [w for w in name_words(column.name) if w not in _VAGUE]
    own += ["".join(own)]
    return any(alike(form, w) for form in _forms(verb) for w in own)


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith(" up"):
        return (re.sub(r"(?:ed)? up$", "up", verb), verb.split()[0])
    return (verb, _NOUNS.get(verb, verb), singular(verb))


def _is_told(verb: str, column: Column) -> bool:
    """What is said of the column has the verb: ``day sold``; what is said of its NULLs has not."""
    plain = [p for p in column.description.split(";") if "NULL" not in p]
    words = [w for p in plain for w in tokens(p) if w not in STOP_WORDS]
    return any(alike(form, w) for form in _forms(verb) for w in words)


def _is_bounded(seen: Seen, place: tuple[Source, Column]) -> bool:
    """The SQL already uses the other date, and not only to see that there is one."""
    uses = (u.ref.column for u in seen.used if u.ref.source is place[0] and u.column is place[1])
    return any(not isinstance(u.parent, exp.Is) for u in uses)


def _finding(
    seen: Seen, bounds: list[Comparison], place: tuple[Source, Column], verb: str
) -> Finding:
    used, column = bounds[0].used, place[1]
    return seen.found(
        "wrong_date",
        "question",
        "repair",
        f"The question asks what was {verb} in a period; the SQL bounds {used.column.name}.",
        node=bounds[0].node,
        hint=f"Bound {column.name}.",
        fix=moved(seen, bounds, place),
    )
