"""Results that hold less than was asked for: one row of a ranking, one of two counts."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

_RANKING = re.compile(
    r"^(?:please )?rank\b|\b(?:starting|beginning) (?:with|from) the (?:most|least|\w+est)\b", re.I
)
_COUNTED = re.compile(r"\bhow many\b", re.I)


def ranking_cut(seen: Seen) -> Iterable[Finding]:
    """Find LIMIT 1 where a ranking is asked for: its first row is no ranking."""
    limit = seen.tree.args.get("limit")
    if not _RANKING.search(seen.question) or not isinstance(limit, exp.Limit):
        return
    count = limit.expression
    if isinstance(count, exp.Literal) and count.this == "1" and 1.0 not in seen.numbers:
        copy = seen.tree.copy()
        copy.set("limit", None)
        yield seen.found(
            "ranking_cut",
            "shape",
            "repair",
            "The question asks for a ranking; LIMIT 1 keeps its first row.",
            node=limit,
            hint="Leave the LIMIT out.",
            fix=copy,
        )


def second_count_missing(seen: Seen) -> Iterable[Finding]:
    """Find a single number where the question asks how many twice."""
    if len(_COUNTED.findall(seen.question)) < 2 or seen.top is None or seen.top is not seen.tree:
        return
    one = len(seen.top.expressions) == 1 and not seen.top.args.get("group")
    if one and seen.top.expressions[0].find(exp.Count, exp.Sum) is not None:
        yield seen.found(
            "second_count_missing",
            "shape",
            "repair",
            "The question asks for two numbers; the SQL gives one.",
            node=seen.top.expressions[0],
            hint="Give each number a column of its own.",
        )
