"""Amounts that are stored below zero, where the question asks for positive numbers."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.sql.trees import copied

_POSITIVE = re.compile(
    r"\b(?:as|in|with|expressed as) (?:an? )?(?:\w+ )?(?:positive|absolute) |\babsolute value|"
    r"\bpositive (?:numbers?|amounts?|values?|figures?)\b",
    re.I,
)
_KEEPS = (exp.Sum, exp.Avg, exp.Min, exp.Median)
"""Aggregates of negative amounts that only lack their sign; the MAX is of another row."""
_WRAPS = (exp.Alias, exp.Round, exp.Cast, exp.Coalesce, exp.Paren)


def sign(seen: Seen) -> Iterable[Finding]:
    """Find amounts below zero that are shown as they are, though positive numbers are asked for."""
    if not _POSITIVE.search(seen.question) or seen.tree.find(exp.Neg, exp.Abs, exp.Sub):
        return
    shown = list(_shown(seen))
    for node, used in shown[:1]:
        yield seen.found(
            "sign",
            "question",
            "repair",
            f"The question asks for positive numbers; {used.column.name} is never above zero.",
            node=node,
            evidence=f"maximum {used.column.profile.maximum}" if used.column.profile else "",
            hint=f"Show -{node.sql(seen.dialect)}.",
            fix=_turned(seen, [n for n, _ in shown]),
        )


def _shown(seen: Seen) -> Iterator[tuple[exp.Expr, Used]]:
    """Yield what SELECT lists show of columns that are never above zero: aggregates, or columns."""
    for used in seen.used:
        if used.ref.clause != "select" or not _is_below_zero(used):
            continue
        node: exp.Expr = used.ref.column
        node = node.parent if isinstance(node.parent, _KEEPS) else node
        if _stands_alone(node):
            yield node, used


def _is_below_zero(used: Used) -> bool:
    profile = used.column.profile
    if profile is None or profile.maximum is None:
        return False
    try:
        low, high = float(str(profile.minimum)), float(str(profile.maximum))
    except ValueError:
        return False
    return high <= 0 and low < 0


def _stands_alone(node: exp.Expr) -> bool:
    """Nothing between the node and its SELECT computes with it."""
    parent = node.parent
    while isinstance(parent, _WRAPS):
        parent = parent.parent
    return isinstance(parent, exp.Select)


def _turned(seen: Seen, nodes: list[exp.Expr]) -> exp.Expr:
    """Negate the nodes, and what ORDER BY repeats of them."""
    texts = {n.sql() for n in nodes}
    copy, chosen = copied(seen.tree, nodes)
    for order in copy.find_all(exp.Ordered):
        chosen += [order.this] if order.this.sql() in texts else []
    for node in chosen:
        node.replace(exp.Neg(this=node.copy()))
    return copy
