"""The typed events of one question, in the order in which they happen."""

from dataclasses import dataclass

from querymend.answer import Answer
from querymend.tools.catalog.model import Cell
from querymend.tools.findings import Finding


@dataclass(frozen=True, kw_only=True)
class StageStarted:
    """A stage began: route, retrieve, generate, validate, execute, inspect, repair or answer.

    A query of several steps has one more before ``execute``: ``steps``.
    """

    stage: str


@dataclass(frozen=True, kw_only=True)
class Token:
    """A piece of text came from the model."""

    text: str


@dataclass(frozen=True, kw_only=True)
class SqlWritten:
    """There is a new SQL text, not yet checked."""

    sql: str
    author: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class FindingMade:
    """Something is wrong or doubtful."""

    finding: Finding


@dataclass(frozen=True, kw_only=True)
class RowsReturned:
    """The engine returned rows; the first few are here."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    row_count: int | None
    """How many there are, or None where they were cut."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class StepRan:
    """A step of a multi-step query ran by itself, bounded, before the next was written."""

    step: str
    columns: tuple[str, ...]
    row_count: int | None
    """How many rows there are, or None where they were cut."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The last event: the whole answer."""

    answer: Answer


Event = StageStarted | Token | SqlWritten | FindingMade | RowsReturned | StepRan | Answered
