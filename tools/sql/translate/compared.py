"""Comparisons of unlike types, which DuckDB casts by itself and Athena refuses."""

from sqlglot import exp

from querymend.tools.sql.translate.casts import as_type
from querymend.tools.sql.translate.known import untold
from querymend.tools.sql.types.inference import Types
from querymend.tools.sql.types.model import INTEGERS, NUMBERS, TEXTS, UNKNOWN, TrinoType

_CASTS = (*INTEGERS, "double", "date", "timestamp")
"""What DuckDB turns a text into, before it compares it with one; only a literal into a date."""
_DAYS = ("date", "timestamp")


def comparison(node: exp.Expr, types: Types) -> bool:
    """Cast the side of ``a = b``, ``a < b`` … that is a text, where the other is none."""
    return _pair(node, node.this, node.expression, types)


def between(node: exp.Expr, types: Types) -> bool:
    """Cast what stands in BETWEEN."""
    return any(_pair(node, node.this, node.args[k], types) for k in ("low", "high"))


def membership(node: exp.Expr, types: Types) -> bool:
    """Cast the items of IN; a query's column must be alike by itself."""
    query = node.args.get("query")
    if not isinstance(query, exp.Expr):
        return any(_pair(node, node.this, item, types) for item in node.expressions)
    columns = types.columns(query)
    mine, theirs = types.of(node.this), columns[0][1] if columns else None
    if mine is None or theirs is None or not _alike(mine, theirs):
        raise untold(node)
    return False


def _pair(node: exp.Expr, left: exp.Expr, right: exp.Expr, types: Types) -> bool:
    first, second = types.of(left), types.of(right)
    if first is None or second is None:
        raise untold(left if first is None else right, "its type cannot be told")
    if _alike(first, second):
        return False
    text, kind = (left, second) if first.base in TEXTS else (right, first)
    is_read = isinstance(text, exp.Literal) or kind.base not in _DAYS
    if text.parent is not node or kind.base not in _CASTS or not is_read:
        raise untold(node)
    if {first.base, second.base}.isdisjoint(TEXTS):
        raise untold(node)
    text.replace(as_type(text, kind.base))
    return True


def _alike(left: TrinoType, right: TrinoType) -> bool:
    if UNKNOWN in (left, right):
        return True
    families = (NUMBERS, TEXTS, _DAYS)
    return left == right or any(left.base in f and right.base in f for f in families)
