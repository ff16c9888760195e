"""A period by a calendar that nobody asked for: the fiscal quarter for the quarter."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.dates import is_date
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.fixes.calendars import bounds
from querymend.tools.questions.words import name_words
from querymend.tools.sql.binding import Source
from querymend.tools.sql.trees import copied, drop_condition

_OTHER = frozenset({"fiscal", "accounting"})
_SAID = re.compile(r"\b(?:fiscal|financial|accounting|fy ?\d*)\b", re.I)


def other_calendar(seen: Seen) -> Iterable[Finding]:
    """Find a fiscal year or quarter compared with, where the question's one period is plain."""
    said = _SAID.search(seen.question) or _OTHER & seen.told
    if len(seen.periods) != 1 or said:
        return
    found = [c for c in seen.comparisons if _OTHER & set(name_words(c.used.column.name))]
    if not found:
        return
    period = seen.periods[0]
    name = found[0].used.column.name
    yield seen.found(
        "other_calendar",
        "question",
        "repair",
        f"The question asks for {period.text}; {name} is of another calendar.",
        node=found[0].node,
        hint=f"Use {period.bounds} on the date.",
        fix=_by_date(seen, found),
    )


def _by_date(seen: Seen, found: list[Comparison]) -> exp.Expr | None:
    """Bound the date that the calendar is joined to, in the place of its columns."""
    dates = list(_joined_dates(seen, found[0]))
    plain = all(c.node.find_ancestor(exp.Or, exp.Not, exp.Case) is None for c in found)
    if len(dates) != 1 or not plain or len({id(c.used.ref.source) for c in found}) != 1:
        return None
    copy, (first, *rest) = copied(seen.tree, [c.node for c in found])
    first.replace(exp.and_(*bounds(dates[0].copy(), seen.periods[0])))
    for twin in rest:
        drop_condition(twin)
    source = found[0].used.ref.source
    if all(u.ref.column.table for u in seen.used if u.ref.source is source):
        _drop_join(copy, source)
    return copy


def _drop_join(tree: exp.Expr, source: Source | None) -> None:
    """Take the calendar out of the FROM, where nothing but its own join names it now."""
    name = source.name.lower() if source is not None else ""
    for join in list(tree.find_all(exp.Join)):
        if join.this.alias_or_name.lower() != name or join.side or join.args.get("using"):
            continue
        own = {id(c) for c in join.find_all(exp.Column)}
        named = [c for c in tree.find_all(exp.Column) if c.table.lower() == name]
        if all(id(c) in own for c in named):
            join.pop()


def _joined_dates(seen: Seen, one: Comparison) -> Iterator[exp.Column]:
    """Yield the dates of other tables that the calendar's date is equal to."""
    for node in seen.all(exp.EQ):
        sides = [seen.by_node.get(id(s)) for s in (node.this, node.expression)]
        if any(s is None or not is_date(s.column) for s in sides):
            continue
        mine = [s for s in sides if s and s.ref.source is one.used.ref.source]
        theirs = [s for s in sides if s and s.ref.source is not one.used.ref.source]
        if len(mine) == len(theirs) == 1:
            yield theirs[0].ref.column
