"""The index's values: examples, facts, values in the data, and the context of one question."""

from dataclasses import dataclass
from typing import Protocol

from querymend.tools.catalog.model import Table


@dataclass(frozen=True, kw_only=True)
class Example:
    """A verified question → SQL pair."""

    id: str
    question: str
    sql: str
    dialect: str = "duckdb"
    tables: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One line of business knowledge: a metric's formula, a code's meaning, a synonym."""

    id: str
    text: str
    tables: tuple[str, ...] = ()
    """Tables it speaks of; empty for all."""
    terms: tuple[str, ...] = ()
    """Words of a question that call for it."""


@dataclass(frozen=True, kw_only=True)
class ValueHit:
    """A phrase of the question that a text column holds as a value."""

    phrase: str
    table: str
    column: str
    value: str
    score: float
    """1.0 where they are equal but for case; lower for near values."""


@dataclass(frozen=True, kw_only=True)
class Join:
    """One step of a path between tables: columns here equal columns there."""

    table: str
    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]
    """Unique in the target: table → target is many to one."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """An example with how near its question is, between 0 and 1."""

    example: Example
    score: float


@dataclass(frozen=True, kw_only=True)
class Context:
    """What was retrieved for one question, within the token budget."""

    tables: tuple[Table, ...] = ()
    """In the catalog's order, so that prompts share their beginning."""
    joins: tuple[Join, ...] = ()
    facts: tuple[Fact, ...] = ()
    examples: tuple[Scored, ...] = ()
    """Nearest first."""
    values: tuple[ValueHit, ...] = ()
    left_out: tuple[str, ...] = ()
    """What did not fit, one line each: ``table returns (rank 7, 180 tokens)``."""
    margin: float = 0.0
    """How far the last table taken scores above the first one left out, 0 to 1."""


class ValueLookup(Protocol):
    """Tells which text values the warehouse holds. Tables are named as in the catalog, qualified.

    Private columns are never in it.
    """

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        """Return (table, column, exact value) wherever the value stands, in any case."""
        ...

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        """Return the column's values most like this one, with likeness (0 to 1), best first."""
        ...

    def has(self, table: str, column: str, value: str) -> bool | None:
        """Tell whether the column holds exactly this value; None if it is not known in full."""
        ...
