"""Explicit casts, as strict as Trino's."""

from collections.abc import Callable

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault, refused
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    field,
    filled,
    lambda_,
    number,
    once,
    struct,
    taken,
    text,
)
from querymend.tools.engines.stand_in.translate.coercions import coerced, zoned
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import coerces
from querymend.tools.sql.types.model import INTEGERS, TEXTS, UNKNOWN, TrinoType
from querymend.tools.sql.types.spelling import read_type

_WHOLE = r"^[+-]?[0-9]+$"
_FLOAT = (
    r"^[\x00-\x20]*([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|Infinity|NaN))"
    r"[dDfF]?[\x00-\x20]*$"
)
_BOOLEAN = "^(?:true|t|1|false|f|0)$"
"""What Trino reads; of any other text nothing is left, which DuckDB's own cast then refuses."""
_TOO_LARGE = "3.4028235677973366e38"
"""From here on a double is nearer to infinity than to the largest real."""
Caster = Callable[[exp.Expr, TrinoType, TrinoType], exp.Expr]
_TOO_LONG = (
    "CASE WHEN length(a) > b THEN error('INVALID_CAST_ARGUMENT: Value ' || a ||"
    " ' cannot be represented as ' || c) ELSE a END"
)


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


def _number(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(node, physical(wanted))


def _float(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Narrow a double as Trino does: what is too large for a real is infinite."""
    if wanted.base == "double":
        return cast(node, "DOUBLE")
    return once(
        node,
        lambda a: filled(
            f"CASE WHEN abs(a) < {_TOO_LARGE} OR isnan(a) THEN CAST(a AS FLOAT)"
            " ELSE CAST(sign(a) * CAST('Infinity' AS FLOAT) AS FLOAT) END",
            a=a,
        ),
    )


def _float_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(call("round", node), physical(wanted))


def _decimal_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(call("round", node, number(0)), physical(wanted))


def _float_to_decimal(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    sizes = number(wanted.precision), number(wanted.scale)
    return cast(call("qm_double_to_decimal", cast(node, "DOUBLE"), *sizes), physical(wanted))


def _text_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(call("regexp_extract", node, text(_WHOLE)), physical(wanted))


def _text_to_float(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(call("regexp_extract", node, text(_FLOAT), number(1)), physical(wanted))


def _text_to_decimal(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    sizes = number(wanted.precision), number(wanted.scale)
    return cast(call("qm_to_decimal", node, *sizes), physical(wanted))


def _text_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return call("qm_to_date", node)


def _text_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    physical(wanted)
    name = "qm_to_zoned" if wanted.base == ZONED_TIMESTAMP else "qm_to_timestamp"
    return call(name, node, number(wanted.precision))


def _text_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    as_text = coerced(node, given, TrinoType("varchar")) if given.base == "char" else node
    cut = (
        call("substring", as_text, number(1), number(wanted.precision)) if wanted.sizes else as_text
    )
    return filled("rtrim(a, ' ')", a=cut) if wanted.base == "char" else cut


def _as_text(shown: exp.Expr, wanted: TrinoType) -> exp.Expr:
    if wanted.base == "char":
        raise refused("A cast of what is no text to char")
    if not wanted.sizes:
        return shown
    return filled(_TOO_LONG, a=shown, b=number(wanted.precision), c=text(str(wanted)))


def _plain_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return _as_text(cast(node, "VARCHAR"), wanted)


def _float_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    name = "qm_real_text" if given.base == "real" else "qm_double_text"
    return _as_text(call(name, node), wanted)


def timestamp_text(node: exp.Expr, digits: int) -> exp.Expr:
    """Write a wall clock with so many digits of a second."""
    whole = filled("strftime(a, '%Y-%m-%d %H:%M:%S')", a=node)
    if not digits:
        return whole
    return filled(f"a || '.' || left(strftime(b, '%f'), {digits})", a=whole, b=node)


def _timestamp_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return _as_text(timestamp_text(node, given.precision), wanted)


def _zoned_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    shown = timestamp_text(wall_clock(node), given.precision)
    return _as_text(filled("a || ' ' || b", a=shown, b=field(node, "z")), wanted)


def _time_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    moment = filled("DATE '2000-01-01' + a", a=node)
    return _as_text(filled("substring(a, 12)", a=timestamp_text(moment, given.precision)), wanted)


def wall_clock(node: exp.Expr) -> exp.Expr:
    """Return what the clocks show at a timestamp with time zone."""
    return call("qm_local", field(node, "i"), field(node, "z"))


def instant(node: exp.Expr) -> exp.Expr:
    """Return a timestamp with time zone's instant in UTC."""
    return field(node, "i")


def _zoned_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return rounded(wall_clock(node), given.precision, wanted.precision)


def _zoned_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(wall_clock(node), "DATE")


def _timestamp_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(node, "DATE")


def _timestamp_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    physical(wanted)
    return rounded(node, given.precision, wanted.precision)


def _timestamp_to_zoned(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return zoned(rounded(node, given.precision, wanted.precision), text("UTC"))


def _zoned_to_zoned(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if given.precision <= wanted.precision:
        return node
    return zoned(rounded(instant(node), given.precision, wanted.precision), field(node, "z"))


def rounded(node: exp.Expr, given: int, wanted: int) -> exp.Expr:
    """Round a wall clock half up to fewer digits of a second."""
    if wanted >= given:
        return node
    unit = 10 ** (6 - wanted)
    return filled(f"make_timestamp((epoch_us(a) + {unit // 2}) // {unit} * {unit})", a=node)


def _to_boolean(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return cast(call("regexp_extract", call("lower", node), text(_BOOLEAN)), "BOOLEAN")


def _number_to_boolean(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return filled("a <> 0", a=node)


def _from_json(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Make DuckDB read JSON that was brought into the type's shape before."""
    if wanted.parts and isinstance(node, exp.Anonymous) and node.name.lower() == "qm_json_parse":
        node = node.expressions[0]  # Trino reads the text itself here, which keeps its keys' order
    shaped = call("qm_from_json", node, text(str(wanted)))
    if wanted.base in (*TEXTS, "decimal"):
        return cast(filled("a ->> '$'", a=cast(shaped, "JSON")), physical(wanted))
    return unshaped(cast(cast(shaped, "JSON"), _shape(wanted)), wanted)


def _shape(kind: TrinoType) -> str:
    """Return the DuckDB type that a shaped JSON text is read as; fields are ``f1``, ``f2``."""
    if kind.base == "decimal":
        return "VARCHAR"
    if kind.base == "array":
        return f"{_shape(kind.parts[0])}[]"
    if kind.base == "map":
        return f"MAP(VARCHAR, {_shape(kind.parts[1])})"
    if kind.base == "row":
        fields = ", ".join(f"f{i} {_shape(p)}" for i, p in enumerate(kind.parts, start=1))
        return f"STRUCT({fields})"
    return physical(kind)


def unshaped(node: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Bring a value that was read by its shape to its type."""
    if _shape(kind) == physical(kind):
        return node
    if kind.base == "decimal":
        return cast(node, physical(kind))
    if kind.base == "array":
        held = lambda_(unshaped(column("qm_j"), kind.parts[0]), "qm_j")
        return call("list_transform", node, held)
    if kind.base == "row":
        fields = {
            name: unshaped(field(node, f"f{i}"), part)
            for i, (name, part) in enumerate(
                zip(field_names(kind), kind.parts, strict=True), start=1
            )
        }
        return filled("CASE WHEN a IS NULL THEN NULL ELSE b END", a=node, b=struct(fields))
    return cast(node, physical(kind))


def _to_json(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if given.base in ("timestamp", ZONED_TIMESTAMP):
        shown = _CASTERS[given.base, "varchar"](node, given, TrinoType("varchar"))
        return call("qm_to_json", cast(call("to_json", shown), "VARCHAR"), text("varchar"))
    return call("qm_to_json", cast(call("to_json", node), "VARCHAR"), text(str(given)))


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
    **{(a, b): _number for a in ("integer", "decimal") for b in ("float", "decimal")},
    ("integer", "integer"): _number,
    ("float", "float"): _float,
    ("float", "integer"): _float_to_integer,
    ("decimal", "integer"): _decimal_to_integer,
    ("float", "decimal"): _float_to_decimal,
    ("boolean", "integer"): _number,
    ("boolean", "float"): _number,
    ("integer", "boolean"): _number_to_boolean,
    ("float", "boolean"): _number_to_boolean,
    ("decimal", "boolean"): _number_to_boolean,
    ("varchar", "integer"): _text_to_integer,
    ("varchar", "float"): _text_to_float,
    ("varchar", "decimal"): _text_to_decimal,
    ("varchar", "boolean"): _to_boolean,
    ("varchar", "date"): _text_to_date,
    ("varchar", "timestamp"): _text_to_timestamp,
    ("varchar", ZONED_TIMESTAMP): _text_to_timestamp,
    ("varchar", "varchar"): _text_to_text,
    **{(a, "varchar"): _plain_to_text for a in ("integer", "decimal", "boolean", "date")},
    ("float", "varchar"): _float_to_text,
    ("timestamp", "varchar"): _timestamp_to_text,
    (ZONED_TIMESTAMP, "varchar"): _zoned_to_text,
    ("time", "varchar"): _time_to_text,
    ("timestamp", "date"): _timestamp_to_date,
    ("timestamp", "timestamp"): _timestamp_to_timestamp,
    ("timestamp", ZONED_TIMESTAMP): _timestamp_to_zoned,
    (ZONED_TIMESTAMP, "date"): _zoned_to_date,
    (ZONED_TIMESTAMP, "timestamp"): _zoned_to_timestamp,
    (ZONED_TIMESTAMP, ZONED_TIMESTAMP): _zoned_to_zoned,
    ("array", "array"): _array,
    ("map", "map"): _map,
    ("row", "row"): _row,
    **{
        ("json", b): _from_json
        for b in ("integer", "float", "decimal", "boolean", "varchar", "array", "map", "row")
    },
    **{
        (a, "json"): _to_json
        for a in (
            *("integer", "float", "decimal", "boolean", "varchar", "date", "timestamp"),
            *("array", "map", "row", ZONED_TIMESTAMP),
        )
    },
}
