"""The question's one period, and the conditions that hold a date of a table against literals."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Column
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.dates import is_date
from querymend.tools.checks.seen import Seen
from querymend.tools.sql.binding import Source
from querymend.tools.sql.trees import copied

_PREDICATES = (exp.Between, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ)


def before_period(seen: Seen) -> str:
    """Return the question's words before its one period, lower case; empty where there is none."""
    if len(seen.periods) != 1:
        return ""
    text = " ".join(seen.question.lower().split())
    place = text.find(" ".join(seen.periods[0].phrase.lower().split()))
    return text[: max(place, 0)]


def date_bounds(seen: Seen) -> Iterator[Comparison]:
    """Yield the conditions that hold a date of a table against literals."""
    for one in seen.comparisons:
        is_bound = isinstance(one.node, _PREDICATES) and not one.aggregated and not one.negated
        if is_bound and is_date(one.used.column) and one.used.ref.clause in ("where", "on"):
            yield one


def moved(seen: Seen, bounds: Sequence[Comparison], place: tuple[Source, Column]) -> exp.Expr:
    """Return the statement with these bounds on another column of the same SELECT."""
    copy, twins = copied(seen.tree, [u.ref.column for c in bounds for u in seen.uses_in(c.side)])
    source, column = place
    many = len(bounds[0].used.ref.block.sources) > 1
    for node in twins:
        node.replace(exp.column(column.name, table=source.name if many else None))
    return copy
