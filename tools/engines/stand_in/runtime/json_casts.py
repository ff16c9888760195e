"""``CAST(json AS type)`` and ``CAST(x AS json)``: values between JSON and Trino's types."""

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from querymend.tools.engines.stand_in.runtime.json_text import Json, read, write
from querymend.tools.engines.stand_in.runtime.numbers import (
    double_text,
    fitted,
    java_text,
    rounded,
)
from querymend.tools.engines.stand_in.runtime.scalar import TrinoFault, unsupported
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.spelling import read_type

_BITS = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}
_BOOLEANS = {"true": True, "false": False, "t": True, "f": False, "1": True, "0": False}


def from_json(text: str, kind: str) -> str | None:
    """Return a JSON text whose leaves have the types of ``kind``; None for JSON's null.

    Raises:
        TrinoFault: Trino cannot cast this value.
    """
    wanted = read_type(kind)
    if wanted is None:
        raise unsupported(f"a cast from json to {kind}")
    try:
        found = read(text)
    except ValueError as error:
        raise _fault(text, wanted) from error
    value = _as(found, wanted, text)
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _as(value: Json, kind: TrinoType, whole: str) -> Json:
    if kind.base == "json":
        return write(value, in_order=False)
    if value is None:
        return None
    if kind.parts:
        return _nested(value, kind, whole)
    if isinstance(value, (list, dict)):
        raise _fault(whole, kind)
    reader = _READERS.get(kind.base)
    if reader is None:
        raise unsupported(f"a cast from json to {kind}")
    try:
        return reader(value, kind)
    except (ValueError, OverflowError, InvalidOperation) as error:
        raise _fault(whole, kind) from error


def _nested(value: Json, kind: TrinoType, whole: str) -> Json:
    if kind.base == "array" and isinstance(value, list):
        return [_as(v, kind.parts[0], whole) for v in value]
    if kind.base == "map" and isinstance(value, dict):
        if kind.parts[0].base != "varchar":
            raise unsupported(f"a cast from json to {kind}")
        return {k: _as(v, kind.parts[1], whole) for k, v in value.items()}
    if kind.base == "row" and isinstance(value, (list, dict)):
        return _row(value, kind, whole)
    raise _fault(whole, kind)


def _row(value: list[Json] | dict[str, Json], kind: TrinoType, whole: str) -> Json:
    names = [n or "" for n in kind.names]
    if isinstance(value, list):
        if len(value) != len(names):
            raise _fault(whole, kind)
        held = value
    else:
        by_name = {k.lower(): v for k, v in value.items()}
        held = [by_name.get(n.lower()) for n in names]
    return {
        f"f{place}": _as(v, part, whole)
        for place, (v, part) in enumerate(zip(held, kind.parts, strict=True), start=1)
    }


def _integer(value: Json, kind: TrinoType) -> Json:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        if not value.lstrip("+-").isdigit():
            raise ValueError(value)
        number = int(value)
    else:
        number = int(rounded(Decimal(str(value)), 0))
    if not -(1 << (_BITS[kind.base] - 1)) <= number < 1 << (_BITS[kind.base] - 1):
        raise ValueError(value)
    return number


def _double(value: Json, kind: TrinoType) -> Json:
    return float(value) if isinstance(value, (bool, int, float, str)) else None


def _decimal(value: Json, kind: TrinoType) -> Json:
    number = Decimal(int(value)) if isinstance(value, bool) else Decimal(str(value))
    return fitted(number, kind.precision, kind.scale)


def _boolean(value: Json, kind: TrinoType) -> Json:
    if isinstance(value, str):
        if value.lower() not in _BOOLEANS:
            raise ValueError(value)
        return _BOOLEANS[value.lower()]
    return bool(value)


def _text(value: Json, kind: TrinoType) -> Json:
    if isinstance(value, str):
        text = value
    else:
        is_number = isinstance(value, float)
        text = double_text(value) if is_number and isinstance(value, float) else write(value)
    if kind.sizes and len(text) > kind.precision:
        raise ValueError(value)
    return text


_READERS: dict[str, Callable[[Json, TrinoType], Json]] = {
    **dict.fromkeys(_BITS, _integer),
    "double": _double,
    "real": _double,
    "decimal": _decimal,
    "boolean": _boolean,
    "varchar": _text,
}


def _fault(whole: str, kind: TrinoType) -> TrinoFault:
    return TrinoFault("INVALID_CAST_ARGUMENT", f"Cannot cast '{whole}' to {kind}")


def to_json(text: str, kind: str) -> str:
    """Write a value as Trino's JSON.

    Args:
        text: the value as DuckDB writes it in JSON.
        kind: its type in Trino.
    """
    wanted = read_type(kind)
    if wanted is None:
        raise unsupported(f"a cast from {kind} to json")
    return _written(json.loads(text, parse_float=Decimal), wanted)


def _written(value: object, kind: TrinoType) -> str:
    if value is None:
        return "null"
    if kind.base == "json":
        return str(value)
    if kind.base == "array" and isinstance(value, list):
        return f"[{','.join(_written(v, kind.parts[0]) for v in value)}]"
    if kind.base == "map" and isinstance(value, dict):
        held = sorted(value.items())
        return _object([(k, _written(v, kind.parts[1])) for k, v in held])
    if kind.base == "row" and isinstance(value, dict):
        names = kind.names or (None,) * len(kind.parts)
        fields = zip(names, value.values(), kind.parts, strict=True)
        return _object([(n or "", _written(v, part)) for n, v, part in fields])
    return _leaf(value, kind)


def _object(held: list[tuple[str, str]]) -> str:
    return f"{{{','.join(f'{json.dumps(k, ensure_ascii=False)}:{v}' for k, v in held)}}}"


def _leaf(value: object, kind: TrinoType) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind.base in ("double", "real") and isinstance(value, (int, Decimal)):
        return java_text(float(value))
    if kind.base == "decimal" and isinstance(value, (int, Decimal)):
        return format(rounded(Decimal(value), kind.scale), "f")
    if isinstance(value, int):
        return str(value)
    if kind.base in ("varchar", "char", "date"):
        return json.dumps(value, ensure_ascii=False)
    raise unsupported(f"a cast from {kind} to json")
