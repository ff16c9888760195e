"""Results that a LIMIT of the statement's own cut, where the question sets no bound."""

import re

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.questions.words import NUMBER_WORDS
from querymend.tools.results.case import Case
from querymend.tools.sql.trees import copied

_FEW = re.compile(
    r"\b(?:most|least|first|last|latest|recent\w*|newest|oldest|any|some|few|examples?|sample|one|"
    r"single|top|bottom|max\w*|min\w*|\w+est|best|worst|common|popular)\b",
    re.I,
)


def cut_by_limit(case: Case) -> list[Finding]:
    """As many rows as the LIMIT lets through came, and nothing in the question sets a bound."""
    limit = case.statement.tree.args.get("limit")
    bound = _bound(limit)
    if bound is None or bound < 2 or len(case.rows) != bound or _sets_bound(case, bound):
        return []
    copy = case.statement.tree.copy()
    copy.set("limit", None)
    return [
        Finding(
            code="cut_by_limit",
            kind="shape",
            severity="repair",
            message=f"LIMIT {bound} stops at {bound} rows, and the question sets no bound.",
            clause=f"LIMIT {bound}",
            evidence=f"{bound} rows",
            hint="Leave the LIMIT out.",
            fix=copy.sql(case.statement.dialect),
        )
    ]


def part_counted(case: Case) -> list[Finding]:
    """An aggregate runs over what an inner LIMIT left: a part is told as the whole."""
    top = case.statement.select
    if top is None or not any(e.find(exp.AggFunc) for e in top.expressions):
        return []
    for node in case.statement.tree.walk():
        bound = _bound(node) if isinstance(node, exp.Limit) else None
        if bound is None or not _feeds(node, top) or _sets_bound(case, bound):
            continue
        copy, (inner,) = copied(case.statement.tree, [node])
        inner.pop()
        return [
            Finding(
                code="part_counted",
                kind="shape",
                severity="repair",
                message=f"The value is taken over {bound} rows that LIMIT left, not over all.",
                clause=f"LIMIT {bound}",
                hint="Leave the inner LIMIT out.",
                fix=copy.sql(case.statement.dialect),
            )
        ]
    return []


def _bound(limit: exp.Expr | None) -> int | None:
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return int(count.this) if isinstance(count, exp.Literal) and count.is_int else None


def _feeds(limit: exp.Expr, top: exp.Select) -> bool:
    """The limited query is a source of another one, and no order chooses its rows."""
    query = limit.parent
    if query is None or query is top or query.args.get("order") is not None:
        return False
    holder = query.parent
    if not isinstance(holder, exp.Subquery | exp.CTE):
        return False
    return isinstance(holder, exp.CTE) or isinstance(holder.parent, exp.From | exp.Join)


def _sets_bound(case: Case, bound: int) -> bool:
    """The question asks for few, for an extreme, or for just so many."""
    reading = case.reading
    if reading.top is not None or reading.superlatives or reading.order is not None:
        return True
    words = {w for w, n in NUMBER_WORDS.items() if n == bound}
    spoken = any(w in words for w in re.findall(r"[a-z]+", reading.question.lower()))
    return spoken or float(bound) in reading.numbers or bool(_FEW.search(reading.question))
