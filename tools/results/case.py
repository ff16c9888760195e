"""What the checks of a result look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.engines.engine import Result
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.reading import Reading
from querymend.tools.results.expectation import Expectation
from querymend.tools.results.privacy import private_places
from querymend.tools.results.statement import Predicate, Statement


@dataclass(frozen=True)
class Case:
    """One result with the statement and the question behind it."""

    result: Result
    statement: Statement
    reading: Reading
    expectation: Expectation
    catalog: Catalog
    values: ValueLookup | None = None

    @property
    def rows(self) -> Sequence[tuple[Cell, ...]]:
        """The rows fetched."""
        return self.result.rows

    @property
    def names(self) -> list[str]:
        """The columns' names; they may repeat."""
        return [c.name for c in self.result.columns]

    def cells(self, place: int) -> list[Cell]:
        """Return one column's cells that are not NULL."""
        return [row[place] for row in self.rows if row[place] is not None]

    @cached_property
    def private(self) -> frozenset[int]:
        """Places of columns whose values must not be told."""
        return private_places(self.result, self.statement)

    @cached_property
    def knowledge(self) -> dict[Predicate, bool | None]:
        """Say of each text literal whether its column holds it; None where that is not known.

        An alternative that is missing is no news where another of its column is there.
        """
        held = {p: self._holds(p) for p in self.statement.predicates if not p.negated}
        met = {(p.table, p.column) for p, h in held.items() if h and p.choice}
        return {
            p: None if h is False and p.choice and (p.table, p.column) in met else h
            for p, h in held.items()
        }

    def padded(self, predicate: Predicate) -> str | None:
        """Return the value that the column holds with blanks around it, if that is how it does."""
        if self.values is None or not predicate.table or predicate.pattern:
            return None
        place, wanted = (predicate.table, predicate.column), predicate.value
        held = self.values.holding(wanted)
        same = (v for t, c, v in held if v != wanted == v.strip() and _is((t, c), place))
        return next(same, None)

    def _holds(self, predicate: Predicate) -> bool | None:
        full = self._all_values(predicate)
        if full is not None:
            return any(_matches(predicate, v) for v in full)
        if self.values is None or not predicate.table or predicate.pattern:
            return None
        place = (predicate.table, predicate.column)
        if self.values.has(*place, predicate.value):
            return True
        if predicate.wrapped:
            held = [(t, c) for t, c, _ in self.values.holding(predicate.value)]
            return True if _among(place, held) else None
        return self.values.has(*place, predicate.value)

    def _all_values(self, predicate: Predicate) -> list[str] | None:
        """Return every value of a column whose profile holds them all."""
        table = self.catalog.table(predicate.table) if predicate.table else None
        column = table.column(predicate.column) if table else None
        if column is None or column.profile is None or column.private:
            return None
        profile = column.profile
        if profile.distinct is None or len(profile.frequent) < profile.distinct:
            return None
        return [str(v) for v, _ in profile.frequent if v is not None]


def _among(place: tuple[str, str], held: list[tuple[str, str]]) -> bool:
    return any(_is(one, place) for one in held)


def _is(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return (one[0].lower(), one[1].lower()) == (other[0].lower(), other[1].lower())


def _matches(predicate: Predicate, value: str) -> bool:
    wanted = predicate.value
    if predicate.pattern:
        return _like(wanted.lower(), value.lower())
    if predicate.wrapped:
        return wanted.strip().lower() == value.strip().lower()
    return wanted == value


def _like(pattern: str, value: str) -> bool:
    """Match a LIKE pattern without a regular expression: one greedy pass by its % parts."""
    parts = pattern.split("%")
    if "_" in pattern:
        return True
    if len(parts) == 1:
        return pattern == value
    if not value.startswith(parts[0]) or not value.endswith(parts[-1]):
        return False
    place = len(parts[0])
    for part in parts[1:-1]:
        place = value.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return place <= len(value) - len(parts[-1])
