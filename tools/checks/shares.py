"""Shares of a whole that a condition has cut down to the part."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

_OF_ALL = re.compile(
    r"\b(?:percent(?:age)?|share|proportion|fraction) of (?:all|the total|total|every)\b", re.I
)


def share_of_filtered(seen: Seen) -> Iterable[Finding]:
    """Find a share of all whose WHERE holds the whole to values of what the part is told by."""
    if not seen.reading.share or seen.tree.find(exp.Div, exp.Avg) is None:
        return
    parts = [c for c in seen.comparisons if _is_part(c)]
    wholes = [c for c in seen.comparisons if _is_whole(seen, c)]
    for whole in wholes:
        part = next((p for p in parts if _same(p, whole)), None)
        if part is not None and not _is_said(seen, part, whole):
            yield seen.found(
                "share_of_filtered",
                "question",
                "repair",
                f"The share is told by {whole.used.column.name}; the WHERE on it cuts the whole.",
                node=whole.node,
                hint="Leave this condition out of the WHERE.",
                fix=_without(seen, whole),
            )


def _is_part(one: Comparison) -> bool:
    """The comparison alone picks the rows of a numerator: in CASE, IF, FILTER or an AVG."""
    if one.used.ref.clause != "select" or one.op not in ("=", "in") or one.negated:
        return False
    return isinstance(_holder(one.node), exp.If | exp.Where | exp.AggFunc) and _is_above(one.node)


def _holder(node: exp.Expr) -> exp.Expr | None:
    """Return what a condition is the condition of."""
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Cast):
        parent = parent.parent
    return parent


def _is_above(node: exp.Expr) -> bool:
    """The node stands in no denominator."""
    ratio = node.find_ancestor(exp.Div)
    return ratio is None or not any(n is node for n in ratio.expression.walk())


def _is_whole(seen: Seen, one: Comparison) -> bool:
    """The comparison stands by itself among the conditions of the SELECT that is shown."""
    if one.used.ref.clause != "where" or one.op not in ("=", "in") or one.negated:
        return False
    return one.node.parent_select is seen.top and any(n is one.node for n in _conjuncts(seen))


def _conjuncts(seen: Seen) -> Iterator[exp.Expr]:
    where = seen.top.args.get("where") if seen.top is not None else None
    open_ = [where.this] if where is not None else []
    while open_:
        node = open_.pop()
        if isinstance(node, exp.And):
            open_ += [node.this, node.expression]
        elif isinstance(node, exp.Paren):
            open_.append(node.this)
        else:
            yield node


def _same(part: Comparison, whole: Comparison) -> bool:
    return part.used.ref.source is whole.used.ref.source and part.place == whole.place


def _is_said(seen: Seen, part: Comparison, whole: Comparison) -> bool:
    """The question or a fact names what the whole holds beside the part."""
    others = {_plain(v) for v in whole.values} - {_plain(v) for v in part.values}
    if not others:
        return False
    question = seen.question.lower()
    if any(o in question for o in others):
        return True
    told = any(o in fact.lower() for o in others for fact in seen.facts)
    return told and not _OF_ALL.search(seen.question)


def _plain(value: str | float) -> str:
    return value.strip(" %").lower() if isinstance(value, str) else f"{value:g}"


def _without(seen: Seen, whole: Comparison) -> exp.Expr:
    """Return the statement without one condition of its WHERE."""
    copy, node = seen.copied(whole.node)
    parent = node.parent
    while isinstance(parent, exp.Paren):
        node, parent = parent, parent.parent
    if isinstance(parent, exp.And):
        other = parent.expression if parent.this is node else parent.this
        parent.replace(other.copy())
    elif isinstance(parent, exp.Where):
        select = parent.parent
        assert select is not None
        select.set("where", None)
    return copy
