"""Explicit casts, as strict as Trino's: which one is meant, and those of arrays, maps and rows."""

from collections.abc import Callable

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault, refused
from querymend.tools.engines.stand_in.translate import (
    cast_json,
    cast_moments,
    cast_numbers,
    cast_texts,
)
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    filled,
    lambda_,
    struct,
    taken,
)
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import coerces
from querymend.tools.sql.types.model import (
    INTEGERS,
    TEXTS,
    UNKNOWN,
    TrinoType,
)
from querymend.tools.sql.types.spelling import read_type

Caster = Callable[[exp.Expr, TrinoType, TrinoType], exp.Expr]


def cast_rule(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate CAST."""
    wanted = read_type(node.args["to"].sql("trino"))
    if wanted is None:
        raise tr.refused(f"The type {node.args['to'].sql('trino')}", node)
    return cast_as(tr.expr(node.this), tr.kind(node.this), wanted)


def try_cast_rule(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate TRY_CAST."""
    return call("try", cast_rule(tr, node))


def cast_as(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Cast as Trino's CAST does.

    Raises:
        QueryError: Trino has no such cast, or the stand-in has none.
    """
    if given == wanted:
        return node
    if given == UNKNOWN:
        return cast(node, physical(wanted))
    found = _CASTERS.get((_family(given), _family(wanted)))
    if found is not None:
        return found(node, given, wanted)
    if coerces(given, wanted):
        return coerced(node, given, wanted)
    raise refused(f"A cast from {given} to {wanted}")


def _family(kind: TrinoType) -> str:
    if kind.base in INTEGERS:
        return "integer"
    if kind.base in ("real", "double"):
        return "float"
    return "varchar" if kind.base in TEXTS else kind.base


def _array(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if given.parts[0] == UNKNOWN or physical(given) == physical(wanted):
        return cast(node, physical(wanted))
    body = cast_as(column("qm_c"), given.parts[0], wanted.parts[0])
    return call("list_transform", node, lambda_(body, "qm_c"))


def _map(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if UNKNOWN in given.parts or physical(given) == physical(wanted):
        return cast(node, physical(wanted))
    keys, values = (
        call("list_transform", call(f"map_{part}", node), lambda_(body, "qm_c"))
        for part, body in (
            ("keys", cast_as(column("qm_c"), given.parts[0], wanted.parts[0])),
            ("values", cast_as(column("qm_c"), given.parts[1], wanted.parts[1])),
        )
    )
    made = filled("CASE WHEN a IS NULL THEN NULL ELSE map(b, c) END", a=node, b=keys, c=values)
    return cast(made, physical(wanted))


def _row(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if len(given.parts) != len(wanted.parts):
        raise fault("TYPE_MISMATCH", f"Cannot cast {given} to {wanted}")
    parts = zip(field_names(wanted), field_names(given), given.parts, wanted.parts, strict=True)
    fields = {new: cast_as(taken(node, old), a, b) for new, old, a, b in parts}
    made = struct(fields)
    if isinstance(node, exp.Struct):
        return made
    return filled("CASE WHEN a IS NULL THEN NULL ELSE b END", a=node, b=made)


_CASTERS: dict[tuple[str, str], Caster] = {
    **{(a, b): cast_numbers.widened for a in ("integer", "decimal") for b in ("float", "decimal")},
    ("integer", "integer"): cast_numbers.widened,
    ("float", "float"): cast_numbers.narrowed,
    ("float", "integer"): cast_numbers.float_to_integer,
    ("decimal", "integer"): cast_numbers.decimal_to_integer,
    ("float", "decimal"): cast_numbers.float_to_decimal,
    ("boolean", "integer"): cast_numbers.widened,
    ("boolean", "float"): cast_numbers.widened,
    ("integer", "boolean"): cast_numbers.number_to_boolean,
    ("float", "boolean"): cast_numbers.number_to_boolean,
    ("decimal", "boolean"): cast_numbers.number_to_boolean,
    ("varchar", "integer"): cast_numbers.text_to_integer,
    ("varchar", "float"): cast_numbers.text_to_float,
    ("varchar", "decimal"): cast_numbers.text_to_decimal,
    ("varchar", "boolean"): cast_numbers.to_boolean,
    ("varchar", "date"): cast_moments.text_to_date,
    ("varchar", "timestamp"): cast_moments.text_to_timestamp,
    ("varchar", ZONED_TIMESTAMP): cast_moments.text_to_timestamp,
    ("varchar", "varchar"): cast_texts.text_to_text,
    **{(a, "varchar"): cast_texts.plain_to_text for a in ("integer", "decimal", "boolean", "date")},
    ("float", "varchar"): cast_texts.float_to_text,
    ("timestamp", "varchar"): cast_texts.timestamp_to_text,
    (ZONED_TIMESTAMP, "varchar"): cast_texts.zoned_to_text,
    ("time", "varchar"): cast_texts.time_to_text,
    ("timestamp", "date"): cast_moments.timestamp_to_date,
    ("timestamp", "timestamp"): cast_moments.timestamp_to_timestamp,
    ("timestamp", ZONED_TIMESTAMP): cast_moments.timestamp_to_zoned,
    (ZONED_TIMESTAMP, "date"): cast_moments.zoned_to_date,
    (ZONED_TIMESTAMP, "timestamp"): cast_moments.zoned_to_timestamp,
    (ZONED_TIMESTAMP, ZONED_TIMESTAMP): cast_moments.zoned_to_zoned,
    ("array", "array"): _array,
    ("map", "map"): _map,
    ("row", "row"): _row,
    **{
        ("json", b): cast_json.from_json
        for b in ("integer", "float", "decimal", "boolean", "varchar", "array", "map", "row")
    },
    **{
        (a, "json"): cast_json.to_json
        for a in (
            *("integer", "float", "decimal", "boolean", "varchar", "date", "timestamp"),
            *("array", "map", "row", ZONED_TIMESTAMP),
        )
    },
}
