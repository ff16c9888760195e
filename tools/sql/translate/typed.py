"""The walk that knows types: what means another thing in Athena is cast, or called by its name."""

from collections.abc import Callable

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.sql.translate.calls import APART, QUOTIENT
from querymend.tools.sql.translate.casts import as_type, hold_cast
from querymend.tools.sql.translate.compared import between, comparison, membership
from querymend.tools.sql.translate.known import Untranslatable, untold
from querymend.tools.sql.translate.moments import apart, cut, moved
from querymend.tools.sql.types.inference import Types, infer
from querymend.tools.sql.types.model import INTEGERS, NUMBERS, TEXTS, UNKNOWN, TrinoType

_MOST = 400
Rule = Callable[[exp.Expr, Types], bool]
"""Changes a node in place, and tells whether it did."""


def with_athenas_types(tree: exp.Expr, catalog: Catalog, to: str) -> exp.Expr:
    """Return the tree with the casts that give DuckDB's meaning; the given one is changed.

    Inner nodes come first, and after each change all types are told anew.

    Raises:
        Untranslatable: a type that matters cannot be told, or Athena has no twin for it.
    """
    for _ in range(_MOST):
        types = infer(tree, catalog, dialect=to)
        nodes = reversed(list(tree.walk()))
        if not any(_RULES[type(n)](n, types) for n in nodes if type(n) in _RULES):
            break
    else:
        raise Untranslatable("It is too long to be translated")
    _hold_told(types)
    return tree


def _hold_told(types: Types) -> None:
    if types.faults:
        raise Untranslatable(types.faults[0].message)
    columns = types.columns()
    if columns is None or any(kind is None for _, kind in columns):
        raise Untranslatable("The type of a column of its result cannot be told")


def _kind(node: exp.Expr, types: Types) -> TrinoType:
    found = types.of(node)
    if found is None:
        raise untold(node, "its type cannot be told")
    return found


def _arithmetic(node: exp.Expr, types: Types) -> bool:
    left, right = _kind(node.this, types), _kind(node.expression, types)
    if all(k.base in NUMBERS or k == UNKNOWN for k in (left, right)):
        return False
    return moved(node, left, right)


def _average(node: exp.Expr, types: Types) -> bool:
    """Average decimals as DuckDB does, in floating point."""
    inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    kind = _kind(inner, types)
    if kind.base not in NUMBERS:
        raise untold(node)
    if kind.base != "decimal":
        return False
    inner.replace(as_type(inner, "DOUBLE"))
    return True


def _joined(node: exp.Expr, types: Types) -> bool:
    for side in (node.this, node.expression):
        kind = _kind(side, types)
        if kind.base not in TEXTS and kind != UNKNOWN:
            side.replace(as_type(side, "VARCHAR"))
            return True
    return False


def _cast(node: exp.Expr, types: Types) -> bool:
    hold_cast(node, _kind(node.this, types), _kind(node, types))
    return False


def _own_call(node: exp.Expr, types: Types) -> bool:
    name = node.name.lower()
    if name == QUOTIENT:
        return _quotient(node, types)
    if name == APART:
        kinds = [_kind(n, types) for n in node.expressions[1:]]
        node.replace(apart(node, kinds))
        return True
    return False


def _quotient(node: exp.Expr, types: Types) -> bool:
    left, right = node.expressions
    if any(_kind(n, types).base not in INTEGERS for n in (left, right)):
        raise untold(exp.IntDiv(this=left.copy(), expression=right.copy()))
    sides = [n if isinstance(n, (exp.Column, exp.Literal)) else exp.paren(n) for n in (left, right)]
    div = exp.Div(this=sides[0].copy(), expression=sides[1].copy(), typed=True)
    node.replace(div if isinstance(node.parent, exp.Paren) else exp.paren(div, copy=False))
    return True


def _truncated(node: exp.Expr, types: Types) -> bool:
    return cut(node, _kind(node.this, types))


_RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), _arithmetic),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), comparison),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), comparison),
    exp.Between: between,
    exp.In: membership,
    exp.Avg: _average,
    exp.DPipe: _joined,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.DateTrunc: _truncated,
    exp.TimestampTrunc: _truncated,
    exp.Anonymous: _own_call,
}
