"""GROUP BY, with ROLLUP, CUBE and GROUPING SETS."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.engines.stand_in.translate.translator import Translator

_SETS = ("grouping_sets", "cube", "rollup")


def add_group(tr: Translator, node: exp.Select, made: exp.Select) -> None:
    """Translate GROUP BY; an ordinal becomes what it stands for."""
    group = node.args.get("group")
    if group is None:
        return
    if group.args.get("totals") or group.args.get("all"):
        raise tr.refused("GROUP BY ALL or DISTINCT", group)
    new = exp.Group()
    keys = [_key(tr, node, made, e) for e in group.expressions]
    if keys:
        new.set("expressions", keys)
    for name in _SETS:
        sets = group.args.get(name)
        if sets:
            new.set(name, [_set(tr, node, made, s) for s in sets])
    made.set("group", new)


def _set(tr: Translator, node: exp.Select, made: exp.Select, given: exp.Expr) -> exp.Expr:
    if isinstance(given, (exp.Cube, exp.Rollup, exp.GroupingSets)):
        return type(given)(expressions=[_set(tr, node, made, e) for e in given.expressions])
    if isinstance(given, exp.Tuple):
        return exp.Tuple(expressions=[_set(tr, node, made, e) for e in given.expressions])
    if isinstance(given, exp.Paren):
        return exp.Paren(this=_set(tr, node, made, given.this))
    return _key(tr, node, made, given)


def _key(tr: Translator, node: exp.Select, made: exp.Select, given: exp.Expr) -> exp.Expr:
    if isinstance(given, (exp.Cube, exp.Rollup, exp.GroupingSets, exp.Tuple)):
        return _set(tr, node, made, given)
    if isinstance(given, exp.Literal) and given.is_int:
        at = int(given.name) - 1
        projections = made.expressions
        if not 0 <= at < len(projections):
            raise tr.refused(f"GROUP BY {given.name}", given)
        columns = tr.types.columns(node) or ()
        _check(tr, given, columns[at][1] if at < len(columns) else None)
        found: exp.Expr = projections[at].this.copy()
        return found
    _check(tr, given, tr.types.of(given))
    return tr.expr(given)


def _check(tr: Translator, node: exp.Expr, kind: object) -> None:
    base = getattr(kind, "base", "")
    if base == ZONED_TIMESTAMP:
        raise tr.refused("GROUP BY a timestamp with time zone", node)
