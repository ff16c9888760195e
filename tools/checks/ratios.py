"""Shares without their scale, and ratios of whole numbers whose division cuts the fraction."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

_WHOLE = re.compile(r"(?:tiny|small|big|huge|u)?int", re.I)
_EXACT = ("sqlite", "postgres", "athena", "trino")
"""Dialects whose ``/`` over whole numbers cuts the fraction off."""
_KEEPS = (exp.Avg, exp.Round, exp.Pow)


def scale_missing(seen: Seen) -> Iterable[Finding]:
    """Find a percentage that is asked for where nothing multiplies by 100."""
    asked = re.search(r"\bpercent(?:age)?s?\b", seen.question, re.I)
    ratio = seen.tree.find(exp.Div)
    if not seen.reading.share or not asked or ratio is None or 100.0 in _numbers(seen.tree):
        return
    if "percent" in " ".join(u.column.name.lower() for u in seen.used):
        return
    yield seen.found(
        "percent_without_scale",
        "question",
        "repair",
        "The question asks for a percentage; the SQL gives a fraction.",
        node=ratio,
        hint="Multiply by 100.0.",
        fix=_scaled(seen, ratio),
    )


def _numbers(tree: exp.Expr) -> set[float]:
    found = (str(n.this) for n in tree.find_all(exp.Literal) if not n.is_string)
    return {float(n) for n in found if re.fullmatch(r"[\d.]+", n)}


def _scaled(seen: Seen, ratio: exp.Expr) -> exp.Expr:
    copy, here = seen.copied(ratio)
    here.set("this", exp.Mul(this=exp.Literal.number("100.0"), expression=_wrapped(here.this)))
    return copy


def _wrapped(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node.copy()) if isinstance(node, exp.Binary) else node.copy()


def whole_division(seen: Seen) -> Iterable[Finding]:
    """Find divisions of whole numbers by whole numbers, where the dialect cuts the fraction."""
    if seen.dialect not in _EXACT:
        return
    for ratio in seen.all(exp.Div):
        if _is_whole(seen, ratio.this) and _is_whole(seen, ratio.expression):
            yield seen.found(
                "whole_division",
                "type",
                "repair",
                "Both sides are whole numbers: the division cuts the fraction off.",
                node=ratio,
                hint="Multiply one side by 1.0.",
                fix=_fractional(seen, ratio),
            )


def _is_whole(seen: Seen, node: exp.Expr) -> bool:
    """Tell whether an expression is certainly a whole number."""
    node = node.unnest()
    if isinstance(node, exp.Count):
        return True
    if isinstance(node, exp.Literal):
        return node.is_int
    if isinstance(node, exp.Column):
        used = seen.by_node.get(id(node))
        return used is not None and bool(_WHOLE.match(used.column.type))
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return _is_whole(seen, node.this) and _is_whole(seen, node.expression)
    if isinstance(node, exp.Sum | exp.Max | exp.Min):
        return _is_whole(seen, node.this)
    return _yields_whole(seen, node)


def _yields_whole(seen: Seen, node: exp.Expr) -> bool:
    if isinstance(node, exp.Predicate | exp.Connector):
        return True
    if isinstance(node, exp.Case):
        values = [i.args["true"] for i in node.args["ifs"]]
        rest = node.args.get("default")
        return all(_is_whole(seen, v) for v in [*values, *([rest] if rest else [])])
    if isinstance(node, exp.If):
        values = [v for k in ("true", "false") if (v := node.args.get(k)) is not None]
        return all(_is_whole(seen, v) for v in values)
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        shown = node.this.expressions
        return len(shown) == 1 and _is_whole(seen, shown[0].unalias())
    if isinstance(node, exp.Nullif | exp.Coalesce):
        return _is_whole(seen, node.this)
    return False


def _fractional(seen: Seen, ratio: exp.Expr) -> exp.Expr:
    copy, here = seen.copied(ratio)
    here.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=_wrapped(here.this)))
    return copy
