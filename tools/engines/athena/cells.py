"""From Athena's text to Python's values, exactly: what cannot be read for certain stays text."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from pyathena.converter import Converter, DefaultTypeConverter

from querymend.tools.catalog.model import Cell
from querymend.tools.sql.types.model import TrinoType

NESTED = ("array", "map", "row")
_SIMPLE = DefaultTypeConverter()
_ENDLESS = 2_147_483_647
"""The length that Athena tells of a varchar without one."""


class Cells(Converter):
    """Converts one value by its column's type; nested ones and JSON stay text for ``nested``."""

    def __init__(self) -> None:
        super().__init__(mappings={})

    def convert(self, type_: str, value: str | None, type_hint: str | None = None) -> Cell:
        """Return the value; a date or time that Python has no room for stays text."""
        kind = type_.lower()
        if value is None or kind in NESTED or kind == "json":
            return value
        try:
            return _SIMPLE.convert(kind, value)
        except (ValueError, OverflowError):
            return value


def type_name(kind: str, precision: int, scale: int) -> str:
    """Write a column's type as Athena spells it in SQL: ``decimal(12, 2)``, ``timestamp(3)``."""
    kind = kind.lower()
    if kind == "decimal":
        return f"decimal({precision}, {scale})"
    if kind in ("varchar", "char") and 0 < precision < _ENDLESS:
        return f"{kind}({precision})"
    if kind.startswith(("timestamp", "time")) and precision:
        head, _, tail = kind.partition(" ")
        return f"{head}({precision})" + (f" {tail}" if tail else "")
    return kind


def from_json(text: Cell, kind: TrinoType) -> Cell:
    """Read a nested value that was sent as JSON, by its type; what does not fit stays text."""
    if not isinstance(text, str):
        return text
    try:
        return _typed(json.loads(text, parse_float=Decimal, object_pairs_hook=_Pairs), kind)
    except (ValueError, TypeError, ArithmeticError):
        return text


class _Pairs(list[tuple[str, object]]):
    """A JSON object as pairs, which keeps fields of one name apart."""


def _typed(value: object, kind: TrinoType) -> Cell:
    if kind.base == "json":
        return (
            None
            if value is None
            else json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
        )
    if value is None:
        return None
    if kind.base == "row":
        return _row(value, kind)
    if kind.base == "map" and isinstance(value, _Pairs):
        key, inner = kind.parts
        return {_leaf(k, key): _typed(v, inner) for k, v in value}
    if kind.base == "array" and isinstance(value, list):
        return [_typed(v, kind.parts[0]) for v in value]
    return _leaf(value, kind)


def _row(value: object, kind: TrinoType) -> Cell:
    """Return a row's fields by name; by place where one has no name, or two have the same."""
    if not isinstance(value, list):
        raise TypeError("a row is neither a list nor an object")
    cells = [v for _, v in value] if isinstance(value, _Pairs) else value
    fields = [_typed(v, k) for v, k in zip(cells, kind.parts, strict=True)]
    names = [n for n in kind.names if n]
    if len(set(names)) < len(fields):
        return tuple(fields)
    return dict(zip(names, fields, strict=True))


def _plain(value: object) -> object:
    """Turn what was read back into what JSON writes."""
    if isinstance(value, _Pairs):
        return {k: _plain(v) for k, v in value}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return float(value) if isinstance(value, Decimal) else value


def _leaf(value: object, kind: TrinoType) -> Cell:
    read = _LEAVES.get(kind.base)
    return read(str(value)) if read and not isinstance(value, bool) else value


def _truth(text: str) -> bool:
    return text.lower() == "true"


_LEAVES: dict[str, Callable[[str], Cell]] = {
    "boolean": _truth,
    "tinyint": int,
    "smallint": int,
    "integer": int,
    "bigint": int,
    "decimal": Decimal,
    "real": float,
    "double": float,
    "varchar": str,
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
}
CASTABLE = frozenset(_LEAVES) | {"json", "unknown"}
"""Leaves that Athena can cast to JSON and that come back the same."""


def row(cells: Sequence[Cell], nested: Mapping[int, TrinoType]) -> tuple[Cell, ...]:
    """Return one row with its nested columns read."""
    if not nested:
        return tuple(cells)
    return tuple(from_json(c, nested[i]) if i in nested else c for i, c in enumerate(cells))
