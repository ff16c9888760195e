"""Arrays, maps and rows: how they are made, and what a subscript takes out of them."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    field,
    filled,
    struct,
)
from querymend.tools.engines.stand_in.translate.physical import field_names, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.model import (
    BIGINT,
    TrinoType,
)


def array(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``ARRAY[…]``."""
    kind = tr.kind(node)
    items = [tr.to(item, kind.parts[0]) for item in node.expressions]
    made = call("list_value", *items)
    return made if items else cast(made, physical(kind))


def row(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``ROW(…)`` and ``(a, b)``."""
    names = field_names(tr.kind(node))
    items = [e.this if isinstance(e, exp.Alias) else e for e in node.expressions]
    return struct({n: tr.expr(item) for n, item in zip(names, items, strict=True)})


def subscript(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``array[i]``, ``map[key]`` and ``row[i]``, which fail where nothing is there."""
    whole = tr.kind(node.this)
    index = node.expressions[0]
    if whole.base == "array":
        return _element(tr.expr(node.this), tr.to(index, BIGINT))
    if whole.base == "map":
        return _value(tr.expr(node.this), tr.to(index, whole.parts[0]), whole)
    if whole.base == "row" and isinstance(index, exp.Literal):
        at = int(index.name) - 1
        if 0 <= at < len(whole.parts):
            return field(tr.expr(node.this), field_names(whole)[at])
    raise tr.refused(f"A subscript of {whole}", node)


def _element(whole: exp.Expr, index: exp.Expr) -> exp.Expr:
    return filled(
        "CASE WHEN b = 0 THEN error('INVALID_FUNCTION_ARGUMENT: SQL array indices start at 1')"
        " WHEN b < 0 THEN error('INVALID_FUNCTION_ARGUMENT: Array subscript is negative: ' || b)"
        " WHEN b > len(a) THEN error('INVALID_FUNCTION_ARGUMENT: Array subscript must be less than"
        " or equal to array length: ' || b || ' > ' || len(a)) ELSE list_extract(a, b) END",
        a=whole,
        b=index,
    )


def _value(whole: exp.Expr, key: exp.Expr, kind: TrinoType) -> exp.Expr:
    return filled(
        "CASE WHEN NOT map_contains(a, b) THEN error('INVALID_FUNCTION_ARGUMENT: Key not present in"
        " map: ' || CAST(b AS VARCHAR)) ELSE map_extract_value(a, b) END",
        a=whole,
        b=key,
    )
