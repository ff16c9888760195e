"""Casts from JSON and to it."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    field,
    filled,
    lambda_,
    struct,
    text,
)
from querymend.tools.engines.stand_in.translate.cast_texts import timestamp_to_text, zoned_to_text
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.sql.types.model import (
    DOUBLE,
    TEXTS,
    VARCHAR,
    TrinoType,
)


def from_json(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
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


_WRITERS = {"timestamp": timestamp_to_text, ZONED_TIMESTAMP: zoned_to_text}
"""How a moment stands in JSON."""


def to_json(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a value as JSON."""
    if given.parts and _holds_real(given):
        raise refused(f"A cast from {given} to json")
    if given.base == "real":  # JSON has the digits of the real, not those of its double
        return to_json(cast(cast(node, "VARCHAR"), "DOUBLE"), DOUBLE, wanted)
    if given.base in _WRITERS:
        shown = _WRITERS[given.base](node, given, VARCHAR)
        return call("qm_to_json", cast(call("to_json", shown), "VARCHAR"), text("varchar"))
    return call("qm_to_json", cast(call("to_json", node), "VARCHAR"), text(str(given)))


def _holds_real(kind: TrinoType) -> bool:
    return kind.base == "real" or any(map(_holds_real, kind.parts))
