"""Comparisons, membership, LIKE and logic."""

from functools import reduce

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import atom, field, filled
from querymend.tools.engines.stand_in.translate.comparisons import compare, equal
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import common_of, common_type
from querymend.tools.sql.types.model import BOOLEAN, VARCHAR, TrinoType

_ONE_BY_ONE = ("array", "map", "row", "real", "double")


def comparison(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``a = b`` and its kin, a quantified subquery too."""
    right = node.args["expression"]
    if isinstance(right, (exp.Any, exp.All)):
        return _quantified(tr, node, right)
    common = _common(tr, node, node.this, right)
    return compare(type(node), tr.to(node.this, common), tr.to(right, common), common)  # type: ignore[arg-type]


def _common(tr: Translator, node: exp.Expr, *operands: exp.Expr) -> TrinoType:
    common = common_of(tr.kind(o) for o in operands)
    if common is None:
        raise tr.refused("A comparison of unlike types", node)
    return common


def _quantified(tr: Translator, node: exp.Expr, right: exp.Expr) -> exp.Expr:
    query = right.this
    columns = tr.types.columns(query)
    if not columns or len(columns) != 1 or columns[0][1] is None:
        raise tr.refused("A comparison with the rows of this query", node)
    common = common_type(tr.kind(node.this), columns[0][1])
    if common is None or common.base in (*_ONE_BY_ONE, ZONED_TIMESTAMP):
        raise tr.refused(f"{right.key.upper()} over values of type {common}", node)
    inner = right.copy()
    inner.set("this", tr.query(query, [common]))
    return type(node)(this=atom(tr.to(node.this, common)), expression=inner)


def distinct(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``IS [NOT] DISTINCT FROM``."""
    common = _common(tr, node, node.this, node.expression)
    left, right = tr.to(node.this, common), tr.to(node.expression, common)
    if common.base == ZONED_TIMESTAMP:
        left, right = field(left, "i"), field(right, "i")
    return type(node)(this=atom(left), expression=atom(right))


def between(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate BETWEEN as the two comparisons that it is."""
    low, high = node.args["low"], node.args["high"]
    common = _common(tr, node, node.this, low, high)
    value = tr.to(node.this, common)
    if common.base in _ONE_BY_ONE or common.base == ZONED_TIMESTAMP:
        above = compare(exp.GTE, value, tr.to(low, common), common)
        below = compare(exp.LTE, value.copy(), tr.to(high, common), common)
        return exp.Paren(this=filled("a AND b", a=above, b=below))
    return exp.Between(
        this=atom(value), low=atom(tr.to(low, common)), high=atom(tr.to(high, common))
    )


def membership(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``x IN (…)``."""
    query = node.args.get("query")
    if query is not None:
        return _in_query(tr, node, query)
    common = _common(tr, node, node.this, *node.expressions)
    value = tr.to(node.this, common)
    items = [tr.to(item, common) for item in node.expressions]
    if common.base in _ONE_BY_ONE or common.base == ZONED_TIMESTAMP:
        found = [equal(value.copy(), item, common) for item in items]
        return exp.Paren(this=reduce(lambda a, b: filled("a OR b", a=a, b=b), found))
    return exp.In(this=atom(value), expressions=items)


def _in_query(tr: Translator, node: exp.Expr, query: exp.Expr) -> exp.Expr:
    columns = tr.types.columns(query)
    if not columns or len(columns) != 1 or columns[0][1] is None:
        raise tr.refused("IN a query of several columns", node)
    common = common_type(tr.kind(node.this), columns[0][1])
    if common is None or common.base in ("array", "map", "row", ZONED_TIMESTAMP):
        raise tr.refused(f"IN a query of values of type {columns[0][1]}", node)
    inner = exp.Subquery(this=tr.query(query, [common]))
    return exp.In(this=atom(tr.to(node.this, common)), query=inner)


def like(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate LIKE, in which nothing escapes unless ESCAPE says so."""
    left, right = tr.to(node.this, VARCHAR), tr.to(node.expression, VARCHAR)
    return _negated(node, exp.Like(this=atom(left), expression=atom(right)))


def _negated(node: exp.Expr, made: exp.Expr) -> exp.Expr:
    """Return the opposite where the parser said NOT with a flag."""
    return exp.Not(this=exp.Paren(this=made)) if node.args.get("negate") else made


def escape(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``LIKE … ESCAPE c``."""
    inner = node.this
    if not isinstance(inner, exp.Like):
        raise tr.refused("ESCAPE", node)
    found = filled(
        "CASE WHEN length(c) <> 1"
        " THEN error('INVALID_FUNCTION_ARGUMENT: Escape string must be a single character')"
        " WHEN contains(replace(replace(replace(b, c || c, ''), c || '%', ''), c || '_', ''), c)"
        " THEN error('INVALID_FUNCTION_ARGUMENT: Escape character must be followed by ''%'', ''_''"
        " or the escape character itself')"
        " ELSE like_escape(a, b, c) END",
        a=tr.to(inner.this, VARCHAR),
        b=tr.to(inner.expression, VARCHAR),
        c=tr.to(node.expression, VARCHAR),
    )
    return _negated(inner, found)


def logic(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate AND and OR; a long chain is gone through without recursion."""
    kind = type(node)
    operands: list[exp.Expr] = []
    current: exp.Expr = node
    while type(current) is kind:
        operands.append(current.args["expression"])
        current = current.this
    operands.append(current)
    found = [_side(tr, o, kind) for o in reversed(operands)]
    return reduce(lambda a, b: kind(this=a, expression=b), found)


def _side(tr: Translator, node: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    made = tr.to(node, BOOLEAN)
    return exp.Paren(this=made) if isinstance(made, exp.Connector) else made


def not_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate NOT."""
    return exp.Not(this=exp.Paren(this=tr.to(node.this, BOOLEAN)))


def is_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate IS NULL, the only IS that Trino has."""
    if not isinstance(node.expression, exp.Null):
        raise tr.refused(node.sql("trino")[:60], node)
    return _negated(node, exp.Is(this=atom(tr.expr(node.this)), expression=exp.null()))


def exists(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate EXISTS."""
    return exp.Exists(this=tr.query(node.this, None))


def subquery(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a query that stands for one value."""
    return exp.Subquery(this=tr.query(node, None))
