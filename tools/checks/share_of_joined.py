"""A percentage of things, taken over those alone that have a partner in another table."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.steps import steps_of
from querymend.tools.questions.words import alike, name_words
from querymend.tools.sql.binding import Source


def share_of_joined(seen: Seen) -> Iterable[Finding]:
    """Find a percentage whose whole is cut by an inner join to what the things may have none of.

    "What percentage of the customers has opened a ticket" is always 100 among those with tickets.
    A whole that a subquery counts by itself is not cut.
    """
    steps = steps_of(seen.question, seen.reading.top)
    if steps is None or steps.finish != "percentage" or seen.top is None or seen.block is None:
        return
    ratio = next((r for e in seen.top.expressions for r in e.find_all(exp.Div)), None)
    joins = seen.top.args.get("joins") or []
    if (
        ratio is None
        or ratio.find(exp.Subquery)
        or not joins
        or any(isinstance(j, exp.Join) and j.side for j in joins)
    ):
        return
    things = [s for s in seen.block.sources if _is_of(s, steps.entity)]
    partners = [s for s in seen.block.sources if any(_refers(s, t) for t in things)]
    if not partners:
        return
    yield seen.found(
        "share_of_joined",
        "question",
        "repair",
        f"The percentage is of each {steps.entity} with a row in {partners[0].name}; those without"
        " one belong to the whole.",
        node=ratio,
        hint=f"LEFT JOIN {partners[0].name}, and count each {steps.entity} once.",
    )


def _is_of(source: Source, entity: str) -> bool:
    """Tell whether the rows of a source are such things, by its table's name."""
    table = source.table
    return table is not None and any(alike(w, entity) for w in name_words(table.name)[:1])


def _refers(source: Source, thing: Source) -> bool:
    """Tell whether a source refers to the things by a key: a thing may have none, or many."""
    if source is thing or source.table is None or thing.table is None:
        return False
    keys = source.table.keys
    return any(k.table.lower() == thing.table.qualified_name.lower() for k in keys)
