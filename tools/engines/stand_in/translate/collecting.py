"""Aggregates that collect: into arrays, texts and maps, or by a function of the caller."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.aggregate import (
    SAFE_ORDER,
    Aggregate,
    AggregateRule,
    emit,
)
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    filled,
    lambda_,
    struct,
)
from querymend.tools.engines.stand_in.translate.build import field as part
from querymend.tools.engines.stand_in.translate.collection_calls import fold
from querymend.tools.engines.stand_in.translate.physical import physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.model import (
    VARCHAR,
)


def _array_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    return emit(tr, given, "list", tr.expr(given.arguments[0]))


def _listagg(tr: Translator, given: Aggregate) -> exp.Expr:
    value = tr.to(given.arguments[0], VARCHAR)
    separator = given.separator
    mark = tr.to(separator, VARCHAR) if separator is not None else exp.Literal.string("")
    return filled("array_to_string(a, b)", a=emit(tr, given, "list", value), b=mark)


def _pairs(tr: Translator, given: Aggregate) -> tuple[exp.Expr, exp.Expr]:
    """Collect pairs of key and value, and their keys; a NULL key has no place."""
    key, value = given.arguments
    pair = struct({"k": tr.expr(key), "v": tr.expr(value)})
    pairs = filled(
        "list_filter(a, lambda x: struct_extract(x, 'k') IS NOT NULL)",
        a=emit(tr, given, "list", pair),
    )
    return pairs, call("list_transform", pairs, lambda_(part(column("x"), "k"), "x"))


def _map_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    """Make a map of pairs: the first value of a key stays, a NULL key has no place."""
    pairs, keys = _pairs(tr, given)
    first = filled(
        "list_filter(a, lambda x, i: list_position(b, struct_extract(x, 'k')) = i)", a=pairs, b=keys
    )
    made = call("map_from_entries", first)
    return cast(
        filled("CASE WHEN a IS NULL OR len(a) = 0 THEN NULL ELSE m END", a=pairs.copy(), m=made),
        physical(given.gives),
    )


def _multimap_agg(tr: Translator, given: Aggregate) -> exp.Expr:
    pairs, keys = _pairs(tr, given)
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
    if tr.kind(given.arguments[0]).base not in SAFE_ORDER:
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


RULES: dict[str, AggregateRule] = {
    "array_agg": _array_agg,
    "listagg": _listagg,
    "map_agg": _map_agg,
    "multimap_agg": _multimap_agg,
    "histogram": _histogram,
    "reduce_agg": _reduce_agg,
}
