"""Casts that Trino makes by itself, in DuckDB: numbers widen, dates become timestamps."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.engines.stand_in.translate.build import (
    PARTS,
    call,
    cast,
    column,
    filled,
    lambda_,
    struct,
    taken,
    text,
)
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.sql.types.model import INTEGERS, TEXTS, UNKNOWN, TrinoType

_PLAIN_NUMBERS = (*INTEGERS, "real", "double", "decimal")
_PATTERNS = ("joniregexp", "jsonpath", "codepoints", "jsonpath2016")


def coerced(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Return the expression as a value of the wanted type.

    Raises:
        QueryError: the stand-in has no such cast (Trino's own refusals are found before).
    """
    if given == wanted or wanted.base in _PATTERNS:
        return node
    if given == UNKNOWN:
        return node if wanted == UNKNOWN else cast(node, physical(wanted))
    if given.base in TEXTS and wanted.base in TEXTS:
        return _text(node, given, wanted)
    if given.parts and given.base == wanted.base:
        return _nested(node, given, wanted)
    if given.base in _PLAIN_NUMBERS and wanted.base in _PLAIN_NUMBERS:
        return cast(node, physical(wanted))
    return _moment(node, given, wanted)


def _text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if given.base == wanted.base:
        return node
    if wanted.base == "char":
        return filled("rtrim(a, ' ')", a=node)
    return filled(f"rpad(a, {given.precision}, ' ')", a=node)


def _moment(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if given.base == wanted.base and given.base.startswith(("timestamp", "time")):
        return node if given.precision <= wanted.precision else _unknown(given, wanted)
    if wanted.base == "timestamp" and given.base == "date":
        return cast(node, "TIMESTAMP")
    if wanted.base == ZONED_TIMESTAMP and given.base in ("date", "timestamp"):
        stamp = node if given.base == "timestamp" else cast(node, "TIMESTAMP")
        return zoned(stamp, text("UTC"))
    return _unknown(given, wanted)


def _unknown(given: TrinoType, wanted: TrinoType) -> exp.Expr:
    raise refused(f"A cast from {given} to {wanted}")


def zoned(instant: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """Make a timestamp with time zone; NULL where there is no instant."""
    parts = {"i": instant, "z": zone}
    made = filled("CASE WHEN a IS NULL THEN NULL ELSE b END", a=instant, b=struct(parts))
    made.meta[PARTS] = parts
    return made


def _nested(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if physical(given) == physical(wanted):
        return node
    if given.base == "array":
        if given.parts[0] == UNKNOWN:
            return cast(node, physical(wanted))
        return _mapped(node, given.parts[0], wanted.parts[0])
    if given.base == "map":
        return _map(node, given, wanted)
    return _row(node, given, wanted)


def _mapped(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    return call("list_transform", node, lambda_(coerced(column("qm_c"), given, wanted), "qm_c"))


def _map(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    if UNKNOWN in given.parts:
        return cast(node, physical(wanted))
    keys, values = (filled(f"map_{part}(a)", a=node) for part in ("keys", "values"))
    made = filled(
        "CASE WHEN a IS NULL THEN NULL ELSE map(b, c) END",
        a=node,
        b=_mapped(keys, given.parts[0], wanted.parts[0]),
        c=_mapped(values, given.parts[1], wanted.parts[1]),
    )
    return cast(made, physical(wanted))


def _row(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    old, new = field_names(given), field_names(wanted)
    fields = {
        name: coerced(taken(node, held), before, after)
        for name, held, before, after in zip(new, old, given.parts, wanted.parts, strict=True)
    }
    if isinstance(node, exp.Struct):
        return struct(fields)
    return filled("CASE WHEN a IS NULL THEN NULL ELSE b END", a=node, b=struct(fields))
