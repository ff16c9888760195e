"""Choices between values: CASE, IF, COALESCE, NULLIF."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
)
from querymend.tools.engines.stand_in.translate.comparisons import equal
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import common_type


def case(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate CASE; the short form becomes the long one, since its equality is Trino's own."""
    kind = tr.kind(node)
    branches = []
    for branch in node.args["ifs"]:
        condition = tr.expr(branch.this)
        if node.this is not None:
            condition = _equals(tr, node.this, branch.this)
        branches.append(exp.If(this=condition, true=tr.to(branch.args["true"], kind)))
    default = node.args.get("default")
    return exp.Case(ifs=branches, default=tr.to(default, kind) if default is not None else None)


def _equals(tr: Translator, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    common = common_type(tr.kind(left), tr.kind(right))
    if common is None:
        raise tr.refused("A comparison of unlike types", left)
    return equal(tr.to(left, common), tr.to(right, common), common)


def if_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate IF."""
    kind = tr.kind(node)
    branch = exp.If(this=tr.expr(node.this), true=tr.to(node.args["true"], kind))
    other = node.args.get("false")
    return exp.Case(ifs=[branch], default=tr.to(other, kind) if other is not None else None)


def coalesce(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate COALESCE."""
    kind = tr.kind(node)
    return call("coalesce", *(tr.to(n, kind) for n in [node.this, *node.expressions]))


def nullif(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate NULLIF, which keeps the first value's type."""
    same = _equals(tr, node.this, node.expression)
    value = tr.expr(node.this)
    return exp.Case(ifs=[exp.If(this=same, true=exp.null())], default=value)
