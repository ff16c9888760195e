"""Aggregates and window functions: each with its rule."""

from dataclasses import replace

from sqlglot import exp

from querymend.tools.engines.stand_in.translate import collecting
from querymend.tools.engines.stand_in.translate.aggregate import (
    SAFE_ORDER,
    Aggregate,
    AggregateRule,
    emit,
    taken_apart,
    wanted,
)
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    filled,
    lambda_,
)
from querymend.tools.engines.stand_in.translate.build import field as part
from querymend.tools.engines.stand_in.translate.calls import Call, overload
from querymend.tools.engines.stand_in.translate.operators import divided, unscaled
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.model import (
    BIGINT,
    BOOLEAN,
    DAY_SECOND,
    DOUBLE,
    INTEGERS,
    decimal,
)
from querymend.tools.sql.types.signatures import overloads

_FLOATS = ("real", "double")
_EXACT = 30
"""So many floating-point numbers Trino's digest keeps one by one; of more it interpolates."""


def is_aggregate(name: str) -> bool:
    """Tell whether a name is an aggregate's or a window function's."""
    return any(s.kind in ("aggregate", "window") for s in overloads(name)[:1])


def aggregate_rule(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a call with all that hangs on it, from its outermost node."""
    given = taken_apart(tr, node)
    rule = _RULES.get(given.name)
    if rule is None:
        raise tr.refused(f"The function {given.name}", node)
    if given.window is not None and given.distinct:
        raise tr.refused("DISTINCT in a window function", node)
    return rule(tr, given)


def same(name: str) -> AggregateRule:
    """Return the rule of a function that DuckDB has too, under this name."""

    def rule(tr: Translator, given: Aggregate) -> exp.Expr:
        made = emit(tr, given, name, *wanted(tr, given))
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
        if kind.base not in SAFE_ORDER:
            raise tr.refused(f"{given.name} of {kind} and a count", given.node)
        return emit(tr, given, given.name, value, tr.to(given.arguments[1], BIGINT))
    if kind.base in _FLOATS:
        number_ = filled("CASE WHEN isnan(a) THEN NULL ELSE a END", a=value)
        plain = emit(tr, given, given.name, number_)
        return call("coalesce", plain, emit(tr, given, given.name, value.copy()))
    if kind.base not in (*SAFE_ORDER, ZONED_TIMESTAMP, DAY_SECOND.base):
        raise tr.refused(f"{given.name} of {kind}", given.node)
    return emit(tr, given, given.name, value)


def _by(tr: Translator, given: Aggregate) -> exp.Expr:
    if len(given.arguments) != 2:
        raise tr.refused(f"{given.name} with a count", given.node)
    value, key = given.arguments
    kind = tr.kind(key)
    if kind.base not in (*SAFE_ORDER, *_FLOATS, ZONED_TIMESTAMP):
        raise tr.refused(f"{given.name} by {kind}", given.node)
    name = "arg_max_null" if given.name == "max_by" else "arg_min_null"
    return emit(tr, given, name, tr.expr(value), tr.expr(key))


def _any(tr: Translator, given: Aggregate) -> exp.Expr:
    """Give a value only where there is but one to choose from: which of many is left to chance."""
    value, kind = tr.expr(given.arguments[0]), tr.kind(given.arguments[0])
    if kind.base not in (*SAFE_ORDER, *_FLOATS, ZONED_TIMESTAMP):
        return emit(tr, given, "any_value", value)
    low, high = emit(tr, given, "min", value), emit(tr, given, "max", value.copy())
    return filled(
        "CASE WHEN a <> b THEN error('NOT_IN_STAND_IN: any value of several differing ones is not"
        " supported by the stand-in: Athena may return another each time') ELSE a END",
        a=low,
        b=high,
    )


def _approx_distinct(tr: Translator, given: Aggregate) -> exp.Expr:
    """Count exactly: what is asked for is the true number, within a few per cent."""
    value = tr.expr(given.arguments[0])
    if tr.kind(given.arguments[0]).base == ZONED_TIMESTAMP:
        value = part(value, "i")
    return emit(tr, replace(given, distinct=True), "count", value)


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
    **collecting.RULES,
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
