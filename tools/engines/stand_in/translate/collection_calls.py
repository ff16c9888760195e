"""Calls on arrays and maps, most of them with a lambda."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    field,
    filled,
    lambda_,
    number,
    replaced,
    struct,
)
from querymend.tools.engines.stand_in.translate.calls import (
    Call,
    CallRule,
    arguments_of,
    called,
)
from querymend.tools.engines.stand_in.translate.casts import cast_as
from querymend.tools.engines.stand_in.translate.physical import field_names, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.model import (
    BIGINT,
    BOOLEAN,
    DAY_SECOND,
    VARCHAR,
    YEAR_MONTH,
    TrinoType,
)

_ANY = (
    "CASE WHEN r IS NULL THEN NULL WHEN list_contains(r, true) THEN true"
    " WHEN list_count(r) < len(r) THEN NULL ELSE false END"
)
_ALL = (
    "CASE WHEN r IS NULL THEN NULL WHEN list_contains(r, false) THEN false"
    " WHEN list_count(r) < len(r) THEN NULL ELSE true END"
)
_KEPT = "CASE WHEN m IS NULL THEN NULL ELSE r END"
_BOTH = "greatest(coalesce(len(a), 0), coalesce(len(b), 0))"
_ODD = ("real", "double", "row", "map", "array", "timestamp with time zone")
"""Elements whose equality in DuckDB's lists is not Trino's."""


def _lambda(tr: Translator, node: exp.Expr, wanted: TrinoType) -> tuple[exp.Expr, list[str]]:
    if not isinstance(node, exp.Lambda):
        raise tr.refused("This lambda", node)
    return tr.lambda_(node, lambda: tr.to(node.this, wanted))


def transform(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRANSFORM."""
    body, names = _lambda(tr, given.arguments[1], given.gives.parts[0])
    return call("list_transform", tr.expr(given.arguments[0]), lambda_(body, *names))


def filter_(tr: Translator, given: Call) -> exp.Expr:
    """Translate FILTER of an array."""
    body, names = _lambda(tr, given.arguments[1], BOOLEAN)
    return call("list_filter", tr.expr(given.arguments[0]), lambda_(body, *names))


def match(tr: Translator, given: Call) -> exp.Expr:
    """Translate ANY_MATCH, ALL_MATCH and NONE_MATCH."""
    body, names = _lambda(tr, given.arguments[1], BOOLEAN)
    found = call("list_transform", tr.expr(given.arguments[0]), lambda_(body, *names))
    made = filled(_ALL if given.name == "all_match" else _ANY, r=found)
    return exp.Not(this=exp.Paren(this=made)) if given.name == "none_match" else made


def reduce_(tr: Translator, given: Call) -> exp.Expr:
    """Translate REDUCE: a fold over structs that carry the state beside the element."""
    items, start, step, last = given.arguments
    if not isinstance(step, exp.Lambda) or not isinstance(last, exp.Lambda):
        raise tr.refused("reduce of this form", given.node)
    state = _state(tr, given, start, step)
    element = tr.kind(items).parts[0]
    folded = fold(tr, tr.expr(items), element, tr.to(start, state), state, step)
    body, names = _lambda(tr, last, given.gives)
    made = replaced(body, {names[0]: column("s")})
    held = call("list_transform", call("list_value", folded), lambda_(made, "s"))
    return filled(
        "CASE WHEN a IS NULL THEN NULL ELSE list_extract(b, 1) END", a=tr.expr(items), b=held
    )


def _state(tr: Translator, given: Call, start: exp.Expr, step: exp.Lambda) -> TrinoType:
    found = common_type(tr.kind(start), tr.kind(step.this))
    if found is None:
        raise tr.refused("reduce whose state changes its type", given.node)
    return found


def fold(
    tr: Translator,
    items: exp.Expr,
    element: TrinoType,
    start: exp.Expr,
    state: TrinoType,
    step: exp.Lambda,
) -> exp.Expr:
    """Return the last state of a fold."""
    body, names = _lambda(tr, step, state)
    nothing = cast(exp.null(), physical(state))
    seen = struct({"s": nothing, "x": column("x")})
    first = struct({"s": start, "x": cast(exp.null(), physical(element))})
    pairs = call("list_transform", items, lambda_(seen, "x"))
    chain = call("list_concat", call("list_value", first), pairs)
    after = replaced(body, {names[0]: field(column("p"), "s"), names[1]: field(column("q"), "x")})
    next_ = struct({"s": after, "x": field(column("q"), "x")})
    return field(call("list_reduce", chain, lambda_(next_, "p", "q")), "s")


def zip_with(tr: Translator, given: Call) -> exp.Expr:
    """Translate ZIP_WITH: the shorter array is filled up with NULLs."""
    left, right, step = given.arguments
    body, names = _lambda(tr, step, given.gives.parts[0])
    a, b = tr.expr(left), tr.expr(right)
    items = {
        names[0]: call("list_extract", a, column("i")),
        names[1]: call("list_extract", b, column("i")),
    }
    return _zipped(a, b, replaced(body, items))


def zip_(tr: Translator, given: Call) -> exp.Expr:
    """Translate ZIP of two arrays."""
    if len(given.arguments) != 2:
        raise tr.refused("zip of more than two arrays", given.node)
    a, b = (tr.expr(x) for x in given.arguments)
    names = field_names(given.gives.parts[0])
    fields = {n: call("list_extract", x, column("i")) for n, x in zip(names, (a, b), strict=True)}
    return _zipped(a, b, struct(fields))


def _zipped(a: exp.Expr, b: exp.Expr, body: exp.Expr) -> exp.Expr:
    places = call("range", number(1), filled(f"{_BOTH} + 1", a=a, b=b))
    made = call("list_transform", places, lambda_(body, "i"))
    return filled("CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE r END", a=a, b=b, r=made)


def map_filter(tr: Translator, given: Call) -> exp.Expr:
    """Translate MAP_FILTER."""
    whole = tr.expr(given.arguments[0])
    body = _over_entries(tr, given.arguments[1], BOOLEAN)
    kept = call("list_filter", call("map_entries", whole), lambda_(body, "e"))
    return filled(_KEPT, m=whole, r=call("map_from_entries", kept))


def transform_values(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRANSFORM_VALUES."""
    whole = tr.expr(given.arguments[0])
    body = _over_entries(tr, given.arguments[1], given.gives.parts[1])
    values = call("list_transform", call("map_entries", whole), lambda_(body, "e"))
    return filled(_KEPT, m=whole, r=call("map", call("map_keys", whole), values))


def transform_keys(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRANSFORM_KEYS."""
    whole = tr.expr(given.arguments[0])
    body = _over_entries(tr, given.arguments[1], given.gives.parts[0])
    keys = call("list_transform", call("map_entries", whole), lambda_(body, "e"))
    return filled(_KEPT, m=whole, r=call("map", keys, call("map_values", whole)))


def _over_entries(tr: Translator, node: exp.Expr, wanted: TrinoType) -> exp.Expr:
    body, names = _lambda(tr, node, wanted)
    parts = {names[0]: field(column("e"), "key"), names[1]: field(column("e"), "value")}
    return replaced(body, parts)


def sequence(tr: Translator, given: Call) -> exp.Expr:
    """Translate SEQUENCE over dates by a step; whole numbers have a template."""
    made, kinds = arguments_of(tr, given)
    if len(made) < 3 or kinds[0] == BIGINT:
        return called(tr, given)
    start, stop, step = made
    if kinds[2] not in (DAY_SECOND, YEAR_MONTH) or kinds[0].base not in ("date", "timestamp"):
        raise tr.refused(f"sequence of {kinds[0]} by {kinds[2]}", given.node)
    count = _count(start, stop, step, kinds[2])
    moved = filled("a + b * CAST(i AS INTEGER)", a=cast(start, "TIMESTAMP"), b=step, i=column("i"))
    if kinds[2] == DAY_SECOND:
        micros = filled("epoch_us(b) * i", b=step, i=column("i"))
        moved = filled("a + to_microseconds(b)", a=cast(start, "TIMESTAMP"), b=micros)
    each = lambda_(cast(moved, physical(kinds[0])), "i")
    places = call("range", number(0), filled("a + 2", a=count))
    inside = lambda_(filled("v <= a", v=column("v"), a=stop), "v")
    return call("list_filter", call("list_transform", places, each), inside)


def _count(start: exp.Expr, stop: exp.Expr, step: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Return how many steps lie between two moments, or one more."""
    days = "(epoch_us(CAST(b AS TIMESTAMP)) - epoch_us(CAST(a AS TIMESTAMP)))"
    unit = (
        "epoch_us(s)" if kind == DAY_SECOND else "(datepart('year', s) * 12 + datepart('month', s))"
    )
    whole = days if kind == DAY_SECOND else "datediff('month', a, b)"
    return filled(
        f"CASE WHEN {unit} <= 0 OR a > b"
        " THEN error('NOT_IN_STAND_IN: a sequence backwards by an interval is not supported by the"
        f" stand-in') WHEN {whole} // {unit} >= 10000 THEN error('INVALID_FUNCTION_ARGUMENT: result"
        f" of sequence function must not have more than 10000 entries') ELSE {whole} // {unit} END",
        a=start,
        b=stop,
        s=step,
    )


def combinations(tr: Translator, given: Call) -> exp.Expr:
    """Translate COMBINATIONS of two."""
    size = given.arguments[1]
    if not (isinstance(size, exp.Literal) and size.name == "2"):
        raise tr.refused("combinations of other than two", given.node)
    return filled(
        "flatten(list_transform(range(2, len(a) + 1), lambda j: list_transform(range(1, j),"
        " lambda i: list_value(list_extract(a, i), list_extract(a, j)))))",
        a=tr.expr(given.arguments[0]),
    )


def array_join(tr: Translator, given: Call) -> exp.Expr:
    """Translate ARRAY_JOIN: each element as a cast to varchar writes it."""
    kind = tr.kind(given.arguments[0]).parts[0]
    written = cast_as(column("x"), kind, VARCHAR)
    parts = [tr.to(a, VARCHAR) for a in given.arguments[1:]]
    if len(parts) == 2:
        written = filled("coalesce(a, b)", a=written, b=parts[1])
    texts = call("list_transform", tr.expr(given.arguments[0]), lambda_(written, "x"))
    nothing = "a IS NULL OR b IS NULL" + (" OR c IS NULL" if len(parts) == 2 else "")
    return filled(
        f"CASE WHEN {nothing} THEN NULL ELSE coalesce(array_to_string(a, b), '') END",
        a=texts,
        b=parts[0],
        c=parts[-1],
    )


def plain_elements(tr: Translator, given: Call) -> exp.Expr:
    """Translate what compares elements, where DuckDB compares them as Trino does."""
    kind = tr.kind(given.arguments[0])
    if kind.base == "array" and kind.parts[0].base in _ODD:
        raise tr.refused(f"{given.name} of {kind}", given.node)
    return called(tr, given)


RULES: dict[str, CallRule] = {
    "transform": transform,
    "filter": filter_,
    "any_match": match,
    "all_match": match,
    "none_match": match,
    "reduce": reduce_,
    "zip_with": zip_with,
    "zip": zip_,
    "map_filter": map_filter,
    "transform_values": transform_values,
    "transform_keys": transform_keys,
    "sequence": sequence,
    "combinations": combinations,
    "array_join": array_join,
    **dict.fromkeys(
        (
            *("array_distinct", "array_union", "array_intersect", "array_except", "array_max"),
            *("array_min", "array_position", "array_remove", "arrays_overlap", "contains"),
        ),
        plain_elements,
    ),
}
