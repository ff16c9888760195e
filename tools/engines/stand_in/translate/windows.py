"""What stands behind OVER and in a WINDOW clause."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import field as part
from querymend.tools.engines.stand_in.translate.ordering import order_key
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.engines.stand_in.translate.translator import Translator


def window_parts(tr: Translator, window: exp.Window) -> dict[str, object]:
    """Translate what stands behind OVER, or in a WINDOW clause."""
    parts: dict[str, object] = {"over": window.args.get("over"), "alias": window.args.get("alias")}
    keys = [_partition_key(tr, k) for k in window.args.get("partition_by") or []]
    if keys:
        parts["partition_by"] = keys
    order = window.args.get("order")
    if order is not None:
        parts["order"] = exp.Order(expressions=[order_key(tr, k) for k in order.expressions])
    spec = window.args.get("spec")
    if spec is not None:
        parts["spec"] = _frame(tr, spec)
    return parts


def _partition_key(tr: Translator, node: exp.Expr) -> exp.Expr:
    made = tr.expr(node)
    return part(made, "i") if tr.kind(node).base == ZONED_TIMESTAMP else made


def _frame(tr: Translator, spec: exp.Expr) -> exp.Expr:
    made = spec.copy()
    if made.args.get("exclude"):
        raise tr.refused("EXCLUDE in a window's frame", spec)
    for side in ("start", "end"):
        bound = spec.args.get(side)
        if isinstance(bound, exp.Expr):
            made.set(side, tr.expr(bound))
    return made


def named_window(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate one definition of a WINDOW clause."""
    if not isinstance(node, exp.Window):
        raise tr.refused("This WINDOW clause", node)
    parts = window_parts(tr, node)
    parts.pop("over")
    return exp.Window(this=exp.to_identifier(node.this.name, quoted=True), **parts)
