"""A difference or ratio of a thing with itself, where two things were to be compared."""

import re
from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.sql.trees import copied

_TURNED = re.compile(
    r"\b(?:less|fewer|lower|smaller|below|behind|percent\w*|shares?|fractions?|proportions?)\b",
    re.I,
)
"""Words with which the second thing named may be the one on the left."""


def same_sides(seen: Seen) -> Iterable[Finding]:
    """Find ``SUM(x) - SUM(x)``: it is 0, or 1, whatever the data.

    Where one condition keeps two values that the question names, each side was meant for one of
    them, in the order of the question.
    """
    for node in seen.all(exp.Sub, exp.Div):
        left, right = node.this.unnest(), node.expression.unnest()
        if left == right and left.find(exp.Column) and not left.find(exp.Subquery, exp.Window):
            yield seen.found(
                "same_sides",
                "question",
                "repair",
                "Both sides are the same, so that the result says nothing.",
                node=node,
                hint="Let each side take one of the two things compared.",
                fix=_parted(seen, node),
            )


def _parted(seen: Seen, node: exp.Expr) -> exp.Expr | None:
    """Return the statement in which each side takes the rows of one value."""
    calls = [c.unnest() for c in (node.this, node.expression)]
    column, values = _two_values(seen)
    if column is None or _TURNED.search(seen.question) or not all(_is_plain(c) for c in calls):
        return None
    copy, twins = copied(seen.tree, calls)
    for twin, value in zip(twins, values, strict=True):
        same = exp.EQ(this=column.copy(), expression=value.copy())
        case = exp.Case(ifs=[exp.If(this=same, true=twin.this.copy())])
        twin.set("this", case)
    return copy


def _is_plain(call: exp.Expr) -> bool:
    is_known = isinstance(call, exp.Sum | exp.Avg | exp.Max | exp.Min)
    return is_known and isinstance(call.this, exp.Column)


def _two_values(seen: Seen) -> tuple[exp.Expr | None, Sequence[exp.Expr]]:
    """Return the column that may have one of two texts, and these in the question's order."""
    found = [c for c in seen.comparisons if c.op in ("=", "in") and c.texts and c.plain]
    homes = {c.place for c in found}
    literals = [lit for c in found for lit in _literals(c)]
    if (
        len(homes) != 1
        or len(literals) != 2
        or seen.block is None
        or (seen.top is not None and seen.top.args.get("group"))
    ):
        return None, ()
    question = seen.question.lower()
    found_at = [_place(lit.name.strip().lower(), question) for lit in literals]
    if min(found_at) < 0 or found_at[0] == found_at[1]:
        return None, ()
    ordered = [lit for _, lit in sorted(zip(found_at, literals, strict=True), key=lambda p: p[0])]
    return found[0].used.ref.column, ordered


def _place(text: str, question: str) -> int:
    """Return where a text stands in the question as words: ``US`` is not in *customers*."""
    found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question)
    return found.start() if found else -1


def _literals(one: Comparison) -> Iterator[exp.Expr]:
    return (n for n in one.node.find_all(exp.Literal) if n.is_string)
