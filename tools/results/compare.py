"""Comparing two results: exactly, but for what SQL leaves open."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

RELATIVE = 1e-6
ABSOLUTE = 1e-9
"""For sums that should be zero: 0.1 + 0.2 - 0.3 is 5.6e-17."""
MAX_PERMUTATION_STEPS = 3_000

Rows = Sequence[Sequence[object]]
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|\+00:00)?")


def same_rows(a: Rows, b: Rows, *, ordered: bool = False) -> bool:
    """Tell whether two results hold the same rows.

    Rows are multisets, in order only if asked; columns may stand in any order;
    numbers are equal within 1e-6 relative (two whole numbers only if they are
    the same: they may be ids); NULL equals NULL and NaN equals NaN; a date
    equals its ISO text, and a midnight timestamp its date.
    """
    if len(a) != len(b):
        return False
    if not a:
        return True
    left, right = _Side.of(a), _Side.of(b)
    if left is None or right is None or left.width != right.width:
        return False
    clusters = _Clusters.over(left, right)
    return _match(left, right, clusters, ordered=ordered)


def is_ordered(sql: str, dialect: str) -> bool:
    """Tell whether the statement orders its rows: ORDER BY at top level, not in a subquery."""
    try:
        tree: exp.Expr = sqlglot.parse_one(sql, read=dialect)
    except SqlglotError:
        return False
    while isinstance(tree, exp.Subquery | exp.Paren) and tree.args.get("order") is None:
        tree = tree.this
    return tree.args.get("order") is not None


def close(x: float | int, y: float | int) -> bool:
    """Tell whether two numbers count as equal."""
    if isinstance(x, int) and isinstance(y, int):
        return x == y
    return abs(x - y) <= max(RELATIVE * max(abs(x), abs(y)), ABSOLUTE)


def normal(cell: object) -> object:
    """Return a cell in the form in which equal cells of different engines are equal."""
    kind = type(cell)
    if kind is str:
        return _text(str(cell))
    if kind is int or cell is None or kind is bytes:
        return cell
    if isinstance(cell, int | float | Decimal):
        return _number(cell)
    if isinstance(cell, date | time):
        return _text(cell.isoformat())
    if isinstance(cell, Mapping):
        return tuple((str(k), normal(v)) for k, v in sorted(cell.items(), key=str))
    if isinstance(cell, list | tuple):
        return tuple(normal(v) for v in cell)
    return str(cell)


def _number(value: int | float | Decimal) -> object:
    """Decimals that are whole stay exact; NaN and infinities become names."""
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        return ("number", str(float(value)))
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return float(value)


def _text(value: str) -> str:
    """Spell timestamps one way; a midnight becomes its date."""
    if len(value) < 16 or value[4:5] != "-":
        return value
    found = _STAMP.fullmatch(value)
    if not found:
        return value
    day, clock = found.group(1), found.group(2)
    if "." in clock:
        clock = clock.rstrip("0").rstrip(".")
    clock = clock if len(clock) > 5 else f"{clock}:00"
    return day if clock == "00:00:00" else f"{day} {clock}"


@dataclass(frozen=True, kw_only=True)
class _Side:
    """One result by columns, its cells normal."""

    columns: tuple[tuple[object, ...], ...]

    @property
    def width(self) -> int:
        return len(self.columns)

    @classmethod
    def of(cls, rows: Rows) -> "_Side | None":
        """None where rows have different lengths."""
        if len({len(r) for r in rows}) != 1:
            return None
        columns = zip(*rows, strict=True)
        return cls(columns=tuple(tuple(normal(c) for c in column) for column in columns))

    def numbers(self) -> set[int | float]:
        distinct = (c for column in self.columns for c in set(column))
        return {c for c in distinct if isinstance(c, int | float)}


@dataclass(frozen=True, kw_only=True)
class _Clusters:
    """Numbers that count as equal share one representative."""

    of: Mapping[object, object]
    wide: bool = False
    """Some cluster was chained: its ends are not equal, so pairs must be checked."""

    @classmethod
    def over(cls, *sides: _Side) -> "_Clusters":
        values = set().union(*(side.numbers() for side in sides))
        floats = any(isinstance(v, float) for v in values)
        return _chain(sorted(values)) if floats else cls(of={})

    def keys(self, column: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(self.of.get(cell, cell) for cell in column) if self.of else column


def _chain(values: Sequence[int | float]) -> _Clusters:
    """Join neighbours that are close; 2 and 2.0 are one value to a dict already."""
    of: dict[object, object] = {}
    wide = False
    first = previous = values[0]
    for value in values:
        if first is not previous and not _near(first, value):
            wide = wide or _near(previous, value)
        if not _near(previous, value):
            first = value
        of[value] = first
        previous = value
    return _Clusters(of=of, wide=wide)


def _near(x: int | float, y: int | float) -> bool:
    return x == y or close(x, y)


@dataclass(kw_only=True)
class _Search:
    """A search for the order of b's columns that makes the rows equal."""

    a: tuple[tuple[object, ...], ...]
    b: tuple[tuple[object, ...], ...]
    candidates: list[list[int]]
    steps: int = 0
    chosen: list[int] = field(default_factory=list)

    def run(self) -> Iterator[tuple[int, ...]]:
        place = len(self.chosen)
        if place == len(self.a):
            yield tuple(self.chosen)
            return
        for column in self._distinct(place):
            self.chosen.append(column)
            if not self._must_ask(place) or self._agrees():
                yield from self.run()
            self.chosen.pop()

    def _distinct(self, place: int) -> Iterator[int]:
        """Columns equal cell by cell are interchangeable: one of them is tried."""
        seen: set[tuple[object, ...]] = set()
        for column in self.candidates[place]:
            if column not in self.chosen and self.b[column] not in seen:
                seen.add(self.b[column])
                yield column

    def _must_ask(self, place: int) -> bool:
        """A column that has only one partner needs no look before the end."""
        return place + 1 == len(self.a) or len(self.candidates[place]) > 1

    def _agrees(self) -> bool:
        self.steps += 1
        if self.steps > MAX_PERMUTATION_STEPS:
            return False
        place = len(self.chosen)
        mine = zip(*self.a[:place], strict=True)
        return Counter(mine) == Counter(zip(*(self.b[i] for i in self.chosen), strict=True))


def _match(left: _Side, right: _Side, clusters: _Clusters, *, ordered: bool) -> bool:
    a = tuple(clusters.keys(c) for c in left.columns)
    b = tuple(clusters.keys(c) for c in right.columns)
    candidates = _candidates(a, b, ordered=ordered)
    if candidates is None:
        return False
    search = _Search(a=a, b=b, candidates=candidates)
    for order in search.run():
        moved = _Side(columns=tuple(right.columns[i] for i in order))
        if not clusters.wide or _pairwise(left, moved, ordered=ordered):
            return True
    return False


def _candidates(
    a: Sequence[tuple[object, ...]], b: Sequence[tuple[object, ...]], *, ordered: bool
) -> list[list[int]] | None:
    """Say for each column of a which columns of b hold the same cells; None where one has none."""
    places: dict[object, list[int]] = defaultdict(list)
    for i, column in enumerate(b):
        places[_signature(column, ordered=ordered)].append(i)
    found = [places.get(_signature(column, ordered=ordered), []) for column in a]
    return found if all(found) else None


def _signature(column: tuple[object, ...], *, ordered: bool) -> object:
    return column if ordered else frozenset(Counter(column).items())


def _pairwise(left: _Side, right: _Side, *, ordered: bool) -> bool:
    """Compare row by row, sorted alike unless the order counts."""
    a: Iterable[tuple[object, ...]] = zip(*left.columns, strict=True)
    b: Iterable[tuple[object, ...]] = zip(*right.columns, strict=True)
    if not ordered:
        a, b = sorted(a, key=_sortable), sorted(b, key=_sortable)
    return all(
        _cells_equal(x, y)
        for row, other in zip(a, b, strict=True)
        for x, y in zip(row, other, strict=True)
    )


def _sortable(row: tuple[object, ...]) -> list[tuple[int, float, str]]:
    return [(0, c, "") if isinstance(c, int | float) else (1, 0.0, str(c)) for c in row]


def _cells_equal(x: object, y: object) -> bool:
    if isinstance(x, int | float) and isinstance(y, int | float):
        return _near(x, y)
    return x == y


__all__ = ["Rows", "close", "is_ordered", "normal", "same_rows"]
