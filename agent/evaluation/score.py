"""Scoring one answer, and the gold rows that it is held against."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from querymend.answer import Answer, Outcome
from querymend.evaluation.questions import Question
from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.errors import QueryError, QuerymendError
from querymend.tools.results.compare import is_ordered, same_rows
from querymend.tools.sql.gate import admit

Score = Literal["right", "cautious", "silently_wrong", "said_so", "withheld"]
SCORES: tuple[Score, ...] = ("right", "cautious", "silently_wrong", "said_so", "withheld")
DELIVERED = frozenset({"right", "cautious"})

Rows = Sequence[Sequence[Cell]]
_WHOLE = Limits(rows=None, seconds=120.0, bytes=None)
_TICK = 100_000
"""SQLite's virtual machine steps between two looks at the clock."""


def score(outcome: Outcome, *, correct: bool, answerable: bool = True) -> Score:
    """Return what a question's outcome is worth (DESIGN §8).

    Args:
        outcome: what the answer said of itself.
        correct: its rows are a gold result; never so for an unanswerable question.
        answerable: the data can answer it; else refusing is right.
    """
    if outcome == "refused" and not answerable:
        return "right"
    if outcome == "answered":
        return "right" if correct else "silently_wrong"
    if outcome == "answered_with_warnings":
        return "cautious" if correct else "said_so"
    return "withheld"


@dataclass(frozen=True, kw_only=True)
class Gold:
    """One accepted result."""

    sql: str
    rows: tuple[tuple[Cell, ...], ...]
    ordered: bool

    def equals(self, rows: Rows) -> bool:
        """Tell whether these rows are this result."""
        return same_rows(rows, self.rows, ordered=self.ordered)


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Holds answers about one database against the questions' golds.

    Its own statements pass the gate too, and cost the question nothing.
    """

    engine: Engine
    catalog: Catalog
    sqlite: Path | None = None
    """The original file, where golds for SQLite run."""

    def golds(self, question: Question) -> tuple[Gold, ...]:
        """Return the accepted results; empty for an unanswerable question.

        Raises:
            QuerymendError: none of the golds runs.
        """
        if question.gold:
            return self._results(question, question.gold, self.engine.dialect)
        return self._results(question, question.gold_sqlite, "sqlite")

    def rows(self, sql: str) -> tuple[tuple[Cell, ...], ...]:
        """Run one statement through the gate and fetch all its rows.

        Raises:
            QuerymendError: the gate or the engine refuses it.
        """
        verdict = admit(sql, dialect=self.engine.dialect, catalog=self.catalog)
        if verdict.sql is None:
            raise QueryError("; ".join(f.message for f in verdict.findings))
        return self.engine.run(verdict.sql, limits=_WHOLE).rows

    def correct(self, answer: Answer, golds: Sequence[Gold]) -> bool:
        """Tell whether the answer's whole result is a gold one.

        The rows that an answer was cut to are no result: all of them are fetched.
        """
        if not answer.outcome.startswith("answered") or not golds:
            return False
        rows: Rows = self.rows(answer.sql) if answer.truncated and answer.sql else answer.rows
        return any(gold.equals(rows) for gold in golds)

    def correct_sql(self, sql: str, golds: Sequence[Gold]) -> bool | None:
        """Tell whether a statement returns a gold result; None if it does not run."""
        try:
            rows = self.rows(sql)
        except QuerymendError:
            return None
        return any(gold.equals(rows) for gold in golds)

    def _results(
        self, question: Question, statements: Sequence[str], dialect: str
    ) -> tuple[Gold, ...]:
        found, faults = [], []
        for sql in statements:
            try:
                rows = self._on_sqlite(sql) if dialect == "sqlite" else self.rows(sql)
            except QuerymendError as error:
                faults.append(f"{error} [{sql}]")
                continue
            by_sql = is_ordered(sql, dialect)
            ordered = by_sql if question.ordered is None else question.ordered
            found.append(Gold(sql=sql, rows=rows, ordered=ordered))
        if faults and not found:
            raise QueryError(f"No gold of {question.key} runs: {'; '.join(faults)}")
        return tuple(found)

    def _on_sqlite(self, sql: str) -> tuple[tuple[Cell, ...], ...]:
        if self.sqlite is None:
            raise QueryError("The gold is SQLite's, and the database is no SQLite file.")
        return sqlite_rows(self.sqlite, sql)


def sqlite_rows(path: Path, sql: str, *, seconds: float = 120.0) -> tuple[tuple[Cell, ...], ...]:
    """Run one read on a SQLite file, opened read-only.

    Raises:
        QueryError: SQLite refuses the statement, or it takes longer than ``seconds``.
    """
    deadline = time.monotonic() + seconds
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = _text
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _TICK)
            return tuple(_fetch(connection, sql))
    except sqlite3.Error as error:
        raise QueryError(str(error), code=type(error).__name__) from error


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _fetch(connection: sqlite3.Connection, sql: str) -> Iterator[tuple[Cell, ...]]:
    with closing(connection.execute(sql)) as cursor:
        yield from cursor
