"""Trino's values as the client gives them, turned into plain cells; and the columns' types."""

from collections.abc import Sequence

from dateutil.relativedelta import relativedelta
from trino.types import NamedRowTuple

from querymend.tools.catalog.model import Cell


def row_of(cells: Sequence[object]) -> tuple[Cell, ...]:
    """Return one row as plain cells: a named ROW as a dict, a ROW without names as a tuple.

    NULL and '' stay apart, decimals are ``Decimal``, timestamps with zone are aware.
    """
    return tuple(map(cell_of, cells))


def cell_of(value: object) -> Cell:
    """Return one value as a plain cell, its parts too."""
    match value:
        case NamedRowTuple():
            return _struct(value)
        case list():
            return [cell_of(part) for part in value]
        case dict():
            return {key: cell_of(part) for key, part in value.items()}
        case relativedelta():
            return _year_to_month(value)
    return value


def _struct(value: NamedRowTuple) -> Cell:
    """Keep the fields' order; a name that is missing or repeated leaves only the positions."""
    names: list[str | None] = value.__annotations__["names"]
    cells = [cell_of(part) for part in value]
    if None in names or len(set(names)) < len(names):
        return tuple(cells)
    return dict(zip(names, cells, strict=True))


def _year_to_month(value: relativedelta) -> str:
    """Write an interval of months as Trino does: ``1-3`` is a year and three months."""
    months = value.years * 12 + value.months
    years, rest = divmod(abs(months), 12)
    return f"{'-' if months < 0 else ''}{years}-{rest}"
