"""The engine protocol and its values: what goes in, what comes back."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.engines.execution import Execution
from querymend.tools.sql.admitted import Admitted

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one statement may take."""

    rows: int | None = 1_000
    """Rows returned at most; None for all of them."""
    seconds: float | None = 60.0
    bytes: int | None = 1_000_000_000
    """Bytes scanned at most, where the engine can tell."""
    cancelled: threading.Event | None = field(default=None, compare=False)
    """Set by whoever asked, when the answer is no longer wanted."""
    sees: Catalog | None = field(default=None, compare=False, repr=False)
    """What whoever asked may see: errors name nothing else; None for all."""


@dataclass(frozen=True, kw_only=True)
class ResultColumn:
    """One column of a result; names may repeat."""

    name: str
    type: str
    """The engine's own spelling."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one statement returned."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    """There are more rows than these."""
    seconds: float = 0.0
    bytes_scanned: int | None = None
    query_id: str = ""
    execution: Execution | None = None
    """What the server told of the run, where there is a server."""

    @property
    def row_count(self) -> int | None:
        """How many rows the statement yields, or None where it was cut."""
        return None if self.truncated else len(self.rows)


def capped(rows: Sequence[Row], limit: int | None) -> tuple[tuple[Row, ...], bool]:
    """Cut rows that were fetched one beyond the limit, and tell whether there are more."""
    cut = limit is not None and len(rows) > limit
    return tuple(rows[:limit] if cut else rows), cut


class Engine(Protocol):
    """Runs admitted SQL. One engine serves many threads at once.

    Every method raises the classes of ``querymend.tools.errors`` and nothing else.
    """

    @property
    def dialect(self) -> str:
        """The sqlglot dialect that the SQL is written in: ``duckdb``, ``athena``, ``trino``."""
        ...

    @property
    def name(self) -> str:
        """What it is and where, for people: ``DuckDB shop.duckdb``. Holds no secret."""
        ...

    def catalog(self) -> Catalog:
        """Read tables, columns, types and declared keys (no profile)."""
        ...

    def explain(self, sql: Admitted) -> str:
        """Let the engine judge the statement without running it; raise QueryError if it refuses."""
        ...

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run one statement and fetch its rows, at most ``limits.rows`` of them.

        Raises:
            QueryError: the SQL is at fault.
            EngineUnavailable: the same call may succeed later.
            BudgetExceeded: the deadline passed or too much was scanned; nothing is left running.
            AccessDenied: the engine refused the caller.
        """
        ...

    def cancel(self) -> None:
        """Stop whatever this engine is running, from any thread."""
        ...

    def close(self) -> None:
        """Give back connections and files."""
        ...
