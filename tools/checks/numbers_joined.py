"""Two numbers for each thing, counted over rows that both must have."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.groups import group_keys
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.steps import steps_of


def numbers_joined(seen: Seen) -> Iterable[Finding]:
    """Find two numbers of two tables over an inner join, where each was asked for by itself.

    "How many customers are there and how many tickets have they opened": customers without a
    ticket are customers too, and a period of the tickets is none of theirs. Where a third table
    has what they are counted for, no number misses anything but whole groups.
    """
    steps = steps_of(seen.question, seen.reading.top)
    if steps is None or steps.finish != "beside" or seen.top is None or seen.block is None:
        return
    joins = seen.top.args.get("joins") or []
    if not any(isinstance(j, exp.Join) and not j.side for j in joins):
        return
    calls = [c for e in seen.top.expressions for c in e.find_all(exp.AggFunc)]
    homes = {id(u.ref.source) for c in calls for u in seen.uses_in(c)}
    groups = {id(k.ref.source) for k in group_keys(seen, seen.block) or ()}
    if len(calls) < 2 or len(homes) < 2 or not groups & homes:
        return
    yield seen.found(
        "numbers_joined",
        "question",
        "repair",
        "Both numbers are taken over joined rows, so each misses what has no partner.",
        node=calls[0],
        hint="Count each in a step of its own, then join the two by what they are counted for.",
    )
