"""Aggregates and window functions, with what may hang on them: DISTINCT, ORDER BY, FILTER, OVER."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    filled,
    lambda_,
    struct,
)
from querymend.tools.engines.stand_in.translate.build import field as part
from querymend.tools.engines.stand_in.translate.calls import Call, overload
from querymend.tools.engines.stand_in.translate.collection_calls import fold
from querymend.tools.engines.stand_in.translate.operators import divided, unscaled
from querymend.tools.engines.stand_in.translate.ordering import order_key
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.model import (
    BIGINT,
    BOOLEAN,
    DAY_SECOND,
    DOUBLE,
    INTEGERS,
    VARCHAR,
    TrinoType,
    decimal,
)
from querymend.tools.sql.types.signatures import overloads

_FLOATS = ("real", "double")
_SAFE_ORDER = ("varchar", "date", "timestamp", "decimal", "boolean", "time", "char", *INTEGERS)


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """One call of an aggregate or window function, taken apart."""

    node: exp.Expr
    name: str
    arguments: tuple[exp.Expr, ...]
    gives: TrinoType
    star: bool = False
    distinct: bool = False
    order: tuple[exp.Expr, ...] = ()
    filter: exp.Expr | None = None
    ignore_nulls: bool = False
    window: exp.Window | None = None
    separator: exp.Expr | None = field(default=None)


def is_aggregate(name: str) -> bool:
    """Tell whether a name is an aggregate's or a window function's."""
    return any(s.kind in ("aggregate", "window") for s in overloads(name)[:1])


def aggregate_rule(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a call with all that hangs on it, from its outermost node."""
    given = _taken_apart(tr, node)
    rule = _RULES.get(given.name)
    if rule is None:
        raise tr.refused(f"The function {given.name}", node)
    if given.window is not None and given.distinct:
        raise tr.refused("DISTINCT in a window function", node)
    return rule(tr, given)


def _taken_apart(tr: Translator, node: exp.Expr) -> Aggregate:
    gives = tr.kind(node)
    window = condition = None
    ignore = False
    current = node
    order: tuple[exp.Expr, ...] = ()
    while not isinstance(current, (exp.Anonymous, exp.GroupConcat)):
        if isinstance(current, exp.Window) and window is None:
            window = current
        elif isinstance(current, exp.Filter) and condition is None:
            condition = current.expression.this
        elif isinstance(current, exp.IgnoreNulls):
            ignore = True
        elif isinstance(current, exp.WithinGroup):
            order = tuple(current.expression.expressions)
        elif not isinstance(current, exp.RespectNulls):
            raise tr.refused(f"{current.key.upper()} around a function", node)
        current = current.this
    whole = Aggregate(
        node=node,
        name=current.name.lower() if isinstance(current, exp.Anonymous) else "listagg",
        arguments=(),
        gives=gives,
        filter=condition,
        ignore_nulls=ignore,
        window=window,
        order=order,
    )
    return _with_arguments(tr, whole, current)


def _with_arguments(tr: Translator, whole: Aggregate, node: exp.Expr) -> Aggregate:
    if isinstance(node, exp.GroupConcat):
        return _listed(tr, whole, node)
    items = list(node.expressions)
    distinct = False
    order = whole.order
    if items and isinstance(items[-1], exp.Order):
        order = tuple(items[-1].expressions)
        last = items[-1].this
        items = [*items[:-1], last] if isinstance(last, exp.Expr) else items[:-1]
    if items and isinstance(items[0], exp.Distinct):
        distinct = True
        items = [*items[0].expressions, *items[1:]]
    if items and isinstance(items[-1], exp.Order):
        order = tuple(items[-1].expressions)
        items = [*items[:-1], items[-1].this]
    star = len(items) == 1 and isinstance(items[0], exp.Star)
    arguments = () if star else tuple(items)
    return replace(whole, arguments=arguments, distinct=distinct, order=order, star=star)


def _listed(tr: Translator, whole: Aggregate, node: exp.GroupConcat) -> Aggregate:
    inner = node.this
    if node.args.get("on_overflow"):
        raise tr.refused("LISTAGG … ON OVERFLOW", whole.node)
    order = whole.order
    if isinstance(inner, exp.Order):
        order, inner = tuple(inner.expressions), inner.this
    distinct = isinstance(inner, exp.Distinct)
    items = tuple(inner.expressions) if isinstance(inner, exp.Distinct) else (inner,)
    return replace(
        whole, arguments=items, order=order, distinct=distinct, separator=node.args.get("separator")
    )


def emit(tr: Translator, given: Aggregate, name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call one of DuckDB's aggregates with all that hangs on the given one."""
    items: list[exp.Expr] = list(arguments)
    if given.ignore_nulls and items:
        items[-1] = exp.IgnoreNulls(this=items[-1])
    if given.distinct:
        items = [exp.Distinct(expressions=items)]
    if given.order:
        keys = [order_key(tr, k) for k in given.order]
        items[-1] = exp.Order(this=items[-1], expressions=keys)
    made: exp.Expr = call(name, *items)
    if given.filter is not None:
        condition = exp.Where(this=tr.to(given.filter, BOOLEAN))
        made = exp.Filter(this=made, expression=condition)
    return _over(tr, given.window, made) if given.window is not None else made


def _over(tr: Translator, window: exp.Window, made: exp.Expr) -> exp.Expr:
    return exp.Window(this=made, **window_parts(tr, window))


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


AggregateRule = Callable[[Translator, Aggregate], exp.Expr]


def _wanted(tr: Translator, given: Aggregate) -> list[exp.Expr]:
    """Translate the arguments as the overload takes them."""
    whole = Call(node=given.node, name=given.name, arguments=given.arguments, gives=given.gives)
    match = overload(tr, whole)
    return [tr.to(a, k) for a, k in zip(given.arguments, match.arguments, strict=True)]


def same(name: str) -> AggregateRule:
    """Return the rule of a function that DuckDB has too, under this name."""

    def rule(tr: Translator, given: Aggregate) -> exp.Expr:
        made = emit(tr, given, name, *_wanted(tr, given))
        return cast(made, physical(given.gives))

    return rule


def _count(tr: Translator, given: Aggregate) -> exp.Expr:
    if given.star or not given.arguments:
        return emit(tr, given, "count", exp.Star())
    value = tr.expr(given.arguments[0])
    if given.distinct:
        if tr.kind(given.arguments[0]).base == ZONED_TIMESTAMP:
            value = part(value, "i")
        return emit(tr, replace(given, order=()), "count", value)
    return emit(tr, given, "count", value)


def _count_if(tr: Translator, given: Aggregate) -> exp.Expr:
    hit = filled("CASE WHEN a THEN 1 END", a=tr.to(given.arguments[0], BOOLEAN))
    return emit(tr, given, "count", hit)


def _avg(tr: Translator, given: Aggregate) -> exp.Expr:
    """Average decimals exactly: the sum of the digits by the count, rounded half up."""
    kind = tr.kind(given.arguments[0])
    if kind.base == "decimal":
        value = tr.expr(given.arguments[0])
        total = emit(tr, given, "sum", value)
        count = emit(tr, given, "count", value.copy())
        wide = decimal(38, kind.scale)
        whole = cast(filled("nullif(a, 0)", a=count), "HUGEINT")
        return divided("/", unscaled(total, wide), wide, whole, BIGINT, given.gives)
    if kind.base in (*INTEGERS, *_FLOATS):
        made = emit(tr, given, "avg", tr.to(given.arguments[0], DOUBLE))
        return cast(made, physical(given.gives))
    if kind == DAY_SECOND:
        return _millis(emit(tr, given, "avg", _in_millis(tr, given)))
    raise tr.refused(f"avg of {kind}", given.node)


def _in_millis(tr: Translator, given: Aggregate) -> exp.Expr:
    return filled("epoch_ms(a)", a=tr.expr(given.arguments[0]))


def _millis(count: exp.Expr) -> exp.Expr:
    return filled("to_milliseconds(CAST(floor(a + 0.5) AS BIGINT))", a=count)


def _sum(tr: Translator, given: Aggregate) -> exp.Expr:
    kind = tr.kind(given.arguments[0])
    if kind == DAY_SECOND:
        return _millis(emit(tr, given, "sum", _in_millis(tr, given)))
    if kind.base not in (*INTEGERS, *_FLOATS, "decimal"):
        raise tr.refused(f"sum of {kind}", given.node)
    return cast(emit(tr, given, "sum", tr.expr(given.arguments[0])), physical(given.gives))


def _extreme(tr: Translator, given: Aggregate) -> exp.Expr:
    kind = tr.kind(given.arguments[0])
    value = tr.expr(given.arguments[0])
    if len(given.arguments) == 2:
        if kind.base not in _SAFE_ORDER:
            raise tr.refused(f"{given.name} of {kind} and a count", given.node)
        return emit(tr, given, given.name, value, tr.to(given.arguments[1], BIGINT))
    if kind.base in _FLOATS:
        number_ = filled("CASE WHEN isnan(a) THEN NULL ELSE a END", a=value)
        plain = emit(tr, given, given.name, number_)
        return call("coalesce", plain, emit(tr, given, given.name, value.copy()))
    if kind.base not in (*_SAFE_ORDER, ZONED_TIMESTAMP, DAY_SECOND.base):
        raise tr.refused(f"{given.name} of {kind}", given.node)
    return emit(tr, given, given.name, value)


def _by(tr: Translator, given: Aggregate) -> exp.Expr:
    if len(given.arguments) != 2:
        raise tr.refused(f"{given.name} with a count", given.node)
    value, key = given.arguments
    kind = tr.kind(key)
    if kind.base not in (*_SAFE_ORDER, *_FLOATS, ZONED_TIMESTAMP):
        raise tr.refused(f"{given.name} by {kind}", given.node)
    name = "arg_max_null" if given.name == "max_by" else "arg_min_null"
    return emit(tr, given, name, tr.expr(value), tr.expr(key))


def _any(tr: Translator, given: Aggregate) -> exp.Expr:
    """Give a value only where there is but one to choose from: which of many is left to chance."""
    value, kind = tr.expr(given.arguments[0]), tr.kind(given.arguments[0])
    if kind.base not in (*_SAFE_ORDER, *_FLOATS, ZONED_TIMESTAMP):
        return emit(tr, given, "any_value", value)
    low, high = emit(tr, given, "min", value), emit(tr, given, "max", value.copy())
    return filled(
        "CASE WHEN a <> b THEN error('NOT_IN_STAND_IN: any value of several differing ones is not"
        " supported by the stand-in: Athena may return another each time') ELSE a END",
        a=low,
        b=high,
    )


def _array_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    return emit(tr, given, "list", tr.expr(given.arguments[0]))


def _listagg(tr: Translator, given: Aggregate) -> exp.Expr:
    value = tr.to(given.arguments[0], VARCHAR)
    separator = given.separator
    mark = tr.to(separator, VARCHAR) if separator is not None else exp.Literal.string("")
    if not given.distinct:
        plain = replace(given, order=())
        listed = emit(tr, replace(plain, order=given.order), "list", value)
    else:
        listed = emit(tr, given, "list", value)
    return filled("array_to_string(a, b)", a=listed, b=mark)


def _map_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    """Make a map of pairs: the first value of a key stays, a NULL key has no place."""
    key, value = given.arguments
    pair = struct({"k": tr.expr(key), "v": tr.expr(value)})
    pairs = filled(
        "list_filter(a, lambda x: struct_extract(x, 'k') IS NOT NULL)",
        a=emit(tr, given, "list", pair),
    )
    keys = call("list_transform", pairs, lambda_(part(column("x"), "k"), "x"))
    first = filled(
        "list_filter(a, lambda x, i: list_position(b, struct_extract(x, 'k')) = i)", a=pairs, b=keys
    )
    made = call("map_from_entries", first)
    return cast(
        filled("CASE WHEN a IS NULL OR len(a) = 0 THEN NULL ELSE m END", a=pairs.copy(), m=made),
        physical(given.gives),
    )


def _multimap_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    key, value = given.arguments
    pair = struct({"k": tr.expr(key), "v": tr.expr(value)})
    pairs = filled(
        "list_filter(a, lambda x: struct_extract(x, 'k') IS NOT NULL)",
        a=emit(tr, given, "list", pair),
    )
    keys = call("list_transform", pairs, lambda_(part(column("x"), "k"), "x"))
    distinct = filled("list_filter(b, lambda k, i: list_position(b, k) = i)", b=keys)
    groups = filled(
        "list_transform(d, lambda k: list_transform(list_filter(a, lambda x: struct_extract(x, 'k')"
        " = k), lambda y: struct_extract(y, 'v')))",
        d=distinct,
        a=pairs,
    )
    made = filled(
        "CASE WHEN a IS NULL OR len(a) = 0 THEN NULL ELSE map(d, g) END",
        a=pairs.copy(),
        d=distinct.copy(),
        g=groups,
    )
    return cast(made, physical(given.gives))


def _histogram(tr: Translator, given: Aggregate) -> exp.Expr:
    if tr.kind(given.arguments[0]).base not in _SAFE_ORDER:
        raise tr.refused(f"histogram of {tr.kind(given.arguments[0])}", given.node)
    made = emit(tr, given, "histogram", tr.expr(given.arguments[0]))
    return cast(made, physical(given.gives))


def _reduce_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    value, start, step, _ = given.arguments
    if not isinstance(step, exp.Lambda):
        raise tr.refused("reduce_agg of this form", given.node)
    state = common_type(tr.kind(start), tr.kind(step.this))
    if state is None or state != given.gives:
        raise tr.refused("reduce_agg whose state changes its type", given.node)
    listed = filled(
        "list_filter(a, lambda x: x IS NOT NULL)", a=emit(tr, given, "list", tr.expr(value))
    )
    folded = fold(tr, listed, tr.kind(value), tr.to(start, state), state, step)
    return filled(
        "CASE WHEN a IS NULL OR len(a) = 0 THEN NULL ELSE b END", a=listed.copy(), b=folded
    )


def _approx_distinct(tr: Translator, given: Aggregate) -> exp.Expr:
    """Count exactly: what is asked for is the true number, within a few per cent."""
    value = tr.expr(given.arguments[0])
    if tr.kind(given.arguments[0]).base == ZONED_TIMESTAMP:
        value = part(value, "i")
    return emit(tr, replace(given, distinct=True), "count", value)


_EXACT = 30
"""So many floating-point numbers Trino's digest keeps one by one; of more it interpolates."""


def _approx_percentile(tr: Translator, given: Aggregate) -> exp.Expr:
    if len(given.arguments) != 2:
        raise tr.refused("approx_percentile with weights or an accuracy", given.node)
    whole = Call(node=given.node, name=given.name, arguments=given.arguments, gives=given.gives)
    match = overload(tr, whole)
    value, at = (tr.to(a, k) for a, k in zip(given.arguments, match.arguments, strict=True))
    listed = filled(
        "list_sort(list_filter(a, lambda x: x IS NOT NULL))", a=emit(tr, given, "list", value)
    )
    if match.arguments[0].base in _FLOATS:
        listed = filled(
            f"CASE WHEN len(a) > {_EXACT} THEN error('NOT_IN_STAND_IN: approx_percentile of more"
            f" than {_EXACT} floating-point numbers is not supported by the stand-in: Athena"
            " estimates') ELSE a END",
            a=listed,
        )
    one = "list_extract(a, CAST(least(floor(p * len(a)), len(a) - 1) AS BIGINT) + 1)"
    if match.arguments[1].base == "array":
        each = filled(one, a=listed, p=column("p"))
        made: exp.Expr = call("list_transform", at, lambda_(each, "p"))
        made = filled(
            "CASE WHEN a IS NULL OR len(a) = 0 THEN NULL ELSE m END", a=listed.copy(), m=made
        )
    else:
        made = filled(f"CASE WHEN len(a) = 0 THEN NULL ELSE {one} END", a=listed, p=at)
    return cast(made, physical(given.gives))


def _ranked(tr: Translator, given: Aggregate) -> exp.Expr:
    made = [tr.to(a, BIGINT) for a in given.arguments]
    return cast(emit(tr, given, given.name, *made), physical(given.gives))


def _valued(tr: Translator, given: Aggregate) -> exp.Expr:
    """Translate FIRST_VALUE, LAG and their kin: the value, then a number, then a default."""
    kinds = (given.gives, BIGINT, given.gives)
    made = [tr.to(a, k) for a, k in zip(given.arguments, kinds, strict=False)]
    return emit(tr, given, given.name, *made)


def _statistic(name: str) -> AggregateRule:
    def rule(tr: Translator, given: Aggregate) -> exp.Expr:
        made = emit(tr, given, name, *(tr.to(a, DOUBLE) for a in given.arguments))
        return cast(made, physical(given.gives))

    return rule


def _finite(name: str) -> AggregateRule:
    """Return the rule of a statistic that is NULL where it is no finite number."""
    plain = _statistic(name)

    def rule(tr: Translator, given: Aggregate) -> exp.Expr:
        made = plain(tr, given)
        return filled("CASE WHEN isfinite(a) THEN a END", a=made)

    return rule


def _geometric_mean(tr: Translator, given: Aggregate) -> exp.Expr:
    value = filled("ln(a)", a=tr.to(given.arguments[0], DOUBLE))
    return cast(call("exp", emit(tr, given, "avg", value)), physical(given.gives))


_RULES: dict[str, AggregateRule] = {
    "geometric_mean": _geometric_mean,
    "count": _count,
    "count_if": _count_if,
    "sum": _sum,
    "avg": _avg,
    "min": _extreme,
    "max": _extreme,
    "max_by": _by,
    "min_by": _by,
    "any_value": _any,
    "arbitrary": _any,
    "array_agg": _array_agg,
    "listagg": _listagg,
    "map_agg": _map_agg,
    "multimap_agg": _multimap_agg,
    "histogram": _histogram,
    "reduce_agg": _reduce_agg,
    "approx_distinct": _approx_distinct,
    "approx_percentile": _approx_percentile,
    "bool_and": same("bool_and"),
    "bool_or": same("bool_or"),
    "every": same("bool_and"),
    "bitwise_and_agg": same("bit_and"),
    "bitwise_or_agg": same("bit_or"),
    "bitwise_xor_agg": same("bit_xor"),
    **{
        n: _statistic(n)
        for n in (
            *("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"),
            *("covar_samp", "covar_pop"),
        )
    },
    **{n: _finite(n) for n in ("corr", "regr_slope", "regr_intercept")},
    **dict.fromkeys(
        ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"), _ranked
    ),
    **dict.fromkeys(("first_value", "last_value", "nth_value", "lag", "lead"), _valued),
}
