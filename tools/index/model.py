"""The index's values: examples, facts, values found in the data, and the context of one question."""

from dataclasses import dataclass

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
