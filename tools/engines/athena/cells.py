"""From Athena's text to Python's values, exactly: what cannot be read for certain stays text."""

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal

from pyathena.converter import Converter, DefaultTypeConverter
from sqlglot import exp

from querymend.tools.catalog.model import Cell

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


def from_json(text: Cell, kind: exp.DataType) -> Cell:
    """Read a nested value that was sent as JSON, by its type."""
    if not isinstance(text, str):
        return text
    try:
        return _typed(json.loads(text, parse_float=Decimal, object_pairs_hook=_Pairs), kind)
    except (ValueError, TypeError, KeyError, ArithmeticError):
        return text


class _Pairs(list[tuple[str, object]]):
    """A JSON object as pairs, which keeps fields of one name apart."""


def _typed(value: object, kind: exp.DataType) -> Cell:
    if value is None:
        return None
    if isinstance(value, _Pairs):
        return _object(value, kind)
    if isinstance(value, list):
        inner = kind.expressions[0]
        return [_typed(v, inner) for v in value]
    return _leaf(value, kind)


def _object(pairs: _Pairs, kind: exp.DataType) -> Cell:
    if kind.this == exp.DType.MAP:
        key, value = kind.expressions
        return {_leaf(k, key): _typed(v, value) for k, v in pairs}
    kinds = [f.kind if isinstance(f, exp.ColumnDef) else f for f in kind.expressions]
    fields = zip(pairs, kinds, strict=True)
    return {name: _typed(v, k) for (name, v), k in fields if isinstance(k, exp.DataType)}


def _leaf(value: object, kind: exp.DataType) -> Cell:
    read = _LEAVES.get(kind.this)
    return read(str(value)) if read and not isinstance(value, bool) else value


_LEAVES: dict[object, Callable[[str], Cell]] = {
    exp.DType.DECIMAL: Decimal,
    exp.DType.DOUBLE: float,
    exp.DType.FLOAT: float,
    exp.DType.BIGINT: int,
    exp.DType.INT: int,
    exp.DType.SMALLINT: int,
    exp.DType.TINYINT: int,
    exp.DType.DATE: date.fromisoformat,
    exp.DType.TIMESTAMP: datetime.fromisoformat,
    exp.DType.TIME: time.fromisoformat,
    exp.DType.VARCHAR: str,
    exp.DType.TEXT: str,
    exp.DType.CHAR: str,
}
CASTABLE = frozenset(_LEAVES) - {exp.DType.TIME, exp.DType.CHAR} | {exp.DType.BOOLEAN}
"""Leaves that Athena can cast to JSON and that come back the same."""


def row(cells: Sequence[Cell], nested: dict[int, exp.DataType]) -> tuple[Cell, ...]:
    """Return one row with its nested columns read."""
    if not nested:
        return tuple(cells)
    return tuple(from_json(c, nested[i]) if i in nested else c for i, c in enumerate(cells))
