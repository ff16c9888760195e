"""Literals, columns, fields and choices between values."""

import re
from datetime import datetime

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.runtime.dates import read_timestamp
from querymend.tools.engines.stand_in.runtime.scalar import TrinoFault
from querymend.tools.engines.stand_in.runtime.zones import instant, local, zone_of
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    field,
    filled,
    number,
    struct,
    text,
)
from querymend.tools.engines.stand_in.translate.casts import cast_rule
from querymend.tools.engines.stand_in.translate.coercions import coerced, zoned
from querymend.tools.engines.stand_in.translate.comparisons import equal
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.sources import Ref
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.fields import place_of
from querymend.tools.sql.types.model import BIGINT, VARCHAR, TrinoType
from querymend.tools.sql.types.spelling import read_type

_INTERVAL = re.compile(r"([+-]?)(\d+)(?:-(\d+))?(?: (\d+))?(?::(\d+))?(?::(\d+))?(?:\.(\d+))?")
_PLAIN = {
    "decimal": re.compile(r"[+-]?\d{1,30}(\.\d{1,8})?"),
    "double": re.compile(r"[+-]?\d{1,15}(\.\d{1,17})?"),
    "date": re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])"),
}
"""What both engines read alike."""
_UNITS = {"year": 12, "month": 1}
_MILLIS = {"day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1000}


def literal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a text or a number; a number takes the type that it has in Trino."""
    kind = tr.kind(node)
    if node.args.get("is_string"):
        return text(str(node.this))
    return cast(exp.Literal.number(str(node.this)), physical(kind))


def constant(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Keep what is the same in both."""
    return node.copy()


def wrapped(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate what a bracket holds."""
    return exp.Paren(this=tr.expr(node.this))


def typed_literal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``DATE '…'``, ``TIMESTAMP '…'``, ``DECIMAL '…'`` and casts; both are one node."""
    inner = node.this
    if not (isinstance(inner, exp.Literal) and inner.is_string):
        return cast_rule(tr, node)
    wanted = read_type(node.args["to"].sql("trino"))
    made = _literal_of(inner.this, wanted) if wanted is not None else None
    return made if made is not None else cast_rule(tr, node)


def _literal_of(given: str, wanted: TrinoType) -> exp.Expr | None:
    """Write a moment that is known already."""
    plain = _PLAIN.get(wanted.base)
    if plain is not None and plain.fullmatch(given):
        return cast(text(given), physical(wanted))
    try:
        if wanted.base == "timestamp":
            shown, zone = read_timestamp(given, min(wanted.precision, 6))
            return _moment(shown) if not zone else None
        if wanted.base == ZONED_TIMESTAMP:
            return _zoned_literal(given, wanted)
    except (TrinoFault, ValueError):
        return None
    return None


def _zoned_literal(given: str, wanted: TrinoType) -> exp.Expr:
    shown, zone = read_timestamp(given, min(wanted.precision, 6))
    name = zone_of(zone or "UTC")[0]
    moment = instant(shown, name)
    if local(moment, name) != shown:
        raise fault("INVALID_LITERAL", f"'{given}' is not a valid TIMESTAMP literal")
    return struct({"i": _moment(moment), "z": text(name)})


def _moment(shown: datetime) -> exp.Expr:
    return cast(text(shown.isoformat(sep=" ")), "TIMESTAMP")


def interval(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate an interval: months, or days and milliseconds."""
    unit = node.args.get("unit")
    first = (unit.this if isinstance(unit, exp.IntervalSpan) else unit) if unit else None
    name = first.name.lower().rstrip("s") if isinstance(first, exp.Expr) else ""
    value = node.this
    found = _INTERVAL.fullmatch(value.name.strip()) if isinstance(value, exp.Literal) else None
    if found is None:
        raise tr.refused(f"The interval {node.sql('trino')}", node)
    sign = -1 if found[1] else 1
    if name in _UNITS:
        months = int(found[2]) * _UNITS[name] + int(found[3] or 0)
        return call("to_months", number(sign * months))
    return _day_second(tr, node, name, found, sign)


def _day_second(
    tr: Translator, node: exp.Expr, name: str, found: re.Match[str], sign: int
) -> exp.Expr:
    order = list(_MILLIS)
    if name not in order or found[3]:
        raise tr.refused(f"The interval {node.sql('trino')}", node)
    at = order.index(name)
    millis = int(found[2]) * _MILLIS[name] + int((found[7] or "0").ljust(3, "0")[:3])
    parts = [found[4], found[5], found[6]] if name == "day" else [found[5], found[6]]
    for unit, part in zip(order[at + 1 :], parts, strict=False):
        millis += int(part or 0) * _MILLIS[unit]
    return call("to_milliseconds", number(sign * millis))


def column_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a column, and the fields that a dotted name takes out of it."""
    ref = tr.ref(node)
    if isinstance(node.this, exp.Star) or ref is None:
        return _parameter(tr, node)
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else []
    if ref.status == "alias":
        return tr.expr(ref.block.aliases[ref.name.lower()])
    if ref.status != "found" or ref.source is None:
        raise tr.refused(f"The column {node.sql('trino')}, which cannot be told,", node)
    place = place_of(ref, parts)
    return fields_of(tr, node, *source_column(tr, ref, place, parts), parts[place + 1 :])


def _parameter(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a lambda's parameter that was read as a column, with fields below it."""
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else [node.name]
    name = tr.parameter(parts[0])
    if name is None or len(parts) > 1:
        raise tr.refused(f"The name {node.sql('trino')}, which cannot be told,", node)
    return column(name)


def identifier(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a lambda's parameter."""
    name = tr.parameter(node.name)
    if name is None:
        raise tr.refused(f"The name {node.name}, which cannot be told,", node)
    return column(name)


def source_column(
    tr: Translator, ref: Ref, place: int, parts: list[str]
) -> tuple[exp.Expr, TrinoType]:
    """Return a column of an entry of FROM with its type."""
    assert ref.source is not None
    columns = tr.columns(ref.source)
    low = ref.name.lower()
    kind = next((k for n, k in columns if n.lower() == low), None)
    if kind is None:
        raise tr.refused(f"The column {ref.name}, whose type cannot be told,", ref.column)
    if place == 0 and low in ref.block.merged:
        return column(ref.name), kind
    return stored_column(tr, ref.source.table, column(ref.name, tr.alias(ref.source)), kind), kind


def stored_column(tr: Translator, table: object, node: exp.Column, kind: TrinoType) -> exp.Expr:
    """Read a column of a table whose type in DuckDB is not the one that Trino's type has."""
    schema, name = getattr(table, "schema", ""), getattr(table, "name", "")
    own = tr.world.stored.get((schema.lower(), name.lower(), node.name.lower()), "")
    if not own or own == physical(kind):
        return node
    if own == "TIMESTAMP WITH TIME ZONE" and kind.base == ZONED_TIMESTAMP:
        return zoned(filled("timezone('UTC', a)", a=node), text("UTC"))
    return cast(node, physical(kind))


def fields_of(
    tr: Translator, node: exp.Expr, found: exp.Expr, kind: TrinoType, names: list[str]
) -> exp.Expr:
    """Take the field of a field out of a row."""
    for name in names:
        if kind.base != "row":
            raise tr.refused(f"The field {name} of {kind}", node)
        low = [n.lower() if n else None for n in kind.names]
        if name.lower() not in low:
            raise fault("COLUMN_NOT_FOUND", f"Column '{name}' cannot be resolved")
        at = low.index(name.lower())
        found, kind = field(found, field_names(kind)[at]), kind.parts[at]
    return found


def dot(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``row.field``."""
    return fields_of(tr, node, tr.expr(node.this), tr.kind(node.this), [node.expression.name])


def subscript(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``array[i]``, ``map[key]`` and ``row[i]``, which fail where nothing is there."""
    whole = tr.kind(node.this)
    index = node.expressions[0]
    if whole.base == "array":
        return _element(tr.expr(node.this), tr.to(index, BIGINT))
    if whole.base == "map":
        return _value(tr.expr(node.this), tr.to(index, whole.parts[0]), whole)
    if whole.base == "row" and isinstance(index, exp.Literal):
        at = int(index.name) - 1
        if 0 <= at < len(whole.parts):
            return field(tr.expr(node.this), field_names(whole)[at])
    raise tr.refused(f"A subscript of {whole}", node)


def _element(whole: exp.Expr, index: exp.Expr) -> exp.Expr:
    return filled(
        "CASE WHEN b = 0 THEN error('INVALID_FUNCTION_ARGUMENT: SQL array indices start at 1')"
        " WHEN b < 0 THEN error('INVALID_FUNCTION_ARGUMENT: Array subscript is negative: ' || b)"
        " WHEN b > len(a) THEN error('INVALID_FUNCTION_ARGUMENT: Array subscript must be less than"
        " or equal to array length: ' || b || ' > ' || len(a)) ELSE list_extract(a, b) END",
        a=whole,
        b=index,
    )


def _value(whole: exp.Expr, key: exp.Expr, kind: TrinoType) -> exp.Expr:
    return filled(
        "CASE WHEN NOT map_contains(a, b) THEN error('INVALID_FUNCTION_ARGUMENT: Key not present in"
        " map: ' || CAST(b AS VARCHAR)) ELSE map_extract_value(a, b) END",
        a=whole,
        b=key,
    )


def array(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``ARRAY[…]``."""
    kind = tr.kind(node)
    items = [tr.to(item, kind.parts[0]) for item in node.expressions]
    made = call("list_value", *items)
    return made if items else cast(made, physical(kind))


def row(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``ROW(…)`` and ``(a, b)``."""
    names = field_names(tr.kind(node))
    items = [e.this if isinstance(e, exp.Alias) else e for e in node.expressions]
    return struct({n: tr.expr(item) for n, item in zip(names, items, strict=True)})


def case(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate CASE; the short form becomes the long one, since its equality is Trino's own."""
    kind = tr.kind(node)
    branches = []
    for branch in node.args["ifs"]:
        condition = tr.expr(branch.this)
        if node.this is not None:
            condition = _equals(tr, node.this, branch.this)
        branches.append(exp.If(this=condition, true=tr.to(branch.args["true"], kind)))
    default = node.args.get("default")
    return exp.Case(ifs=branches, default=tr.to(default, kind) if default is not None else None)


def _equals(tr: Translator, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    common = common_type(tr.kind(left), tr.kind(right))
    if common is None:
        raise tr.refused("A comparison of unlike types", left)
    return equal(tr.to(left, common), tr.to(right, common), common)


def if_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate IF."""
    kind = tr.kind(node)
    branch = exp.If(this=tr.expr(node.this), true=tr.to(node.args["true"], kind))
    other = node.args.get("false")
    return exp.Case(ifs=[branch], default=tr.to(other, kind) if other is not None else None)


def coalesce(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate COALESCE."""
    kind = tr.kind(node)
    return call("coalesce", *(tr.to(n, kind) for n in [node.this, *node.expressions]))


def nullif(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate NULLIF, which keeps the first value's type."""
    same = _equals(tr, node.this, node.expression)
    value = tr.expr(node.this)
    return exp.Case(ifs=[exp.If(this=same, true=exp.null())], default=value)


def at_time_zone(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``x AT TIME ZONE z``: the same instant, another zone."""
    kind = tr.kind(node.this)
    wanted = TrinoType(ZONED_TIMESTAMP, kind.sizes)
    if kind.base not in ("timestamp", ZONED_TIMESTAMP):
        raise tr.refused(f"AT TIME ZONE of {kind}", node)
    moment = coerced(tr.expr(node.this), kind, wanted)
    zone = node.args["zone"]
    if tr.kind(zone).base != "varchar":
        raise tr.refused("AT TIME ZONE with an interval", node)
    return zoned(field(moment, "i"), call("qm_zone", tr.expr(zone)))


def position(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``POSITION(a IN b)``."""
    found = call("instr", tr.to(node.this, VARCHAR), tr.to(node.args["substr"], VARCHAR))
    return cast(found, "BIGINT")


def null(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate NULL."""
    return exp.null()


def alias(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate what a name was given to."""
    return tr.expr(node.this)


def hexadecimal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``X'…'``."""
    return call("from_hex", text(str(node.this)))
