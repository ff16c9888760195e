"""The DuckDB engine: one database file, read-only and sealed."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.catalog.read import read_catalog
from querymend.tools.engines.deadline import Watch
from querymend.tools.engines.engine import Limits, Result, ResultColumn, capped
from querymend.tools.engines.errors_duckdb import RAISED, at_opening, translate
from querymend.tools.engines.under_way import UnderWay
from querymend.tools.errors import BudgetExceeded, SetupError
from querymend.tools.sql.admitted import Admitted, require_admitted

FETCH_ROWS = 10_000
EXPLAIN_SECONDS = 30.0
SEAL: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "max_temp_directory_size": "0GB",
    "lock_configuration": "true",
}
"""Read-only alone is no sandbox: SQL could still read files and caller's variables."""


class DuckDBEngine:
    """Runs admitted SQL on one DuckDB file; safe to use from many threads at once."""

    dialect = "duckdb"

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, name: str) -> None:
        self.name = name
        self._connection = connection
        self._lock = threading.Lock()
        self._under_way = UnderWay()
        self._catalog: Catalog | None = None

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The file's own connection, for an engine that is built on this one."""
        return self._connection

    def catalog(self) -> Catalog:
        """Read tables, columns, types and declared keys, once: the file does not change."""
        if self._catalog is None:
            with self._cursor() as cursor, _translated(""):
                self._catalog = read_catalog(cursor)
        return self._catalog

    def explain(self, sql: Admitted) -> str:
        """Let DuckDB bind and plan the statement; raise QueryError if it refuses."""
        with self._watched(sql, EXPLAIN_SECONDS) as (cursor, _):
            try:
                return cursor.sql(sql).explain()
            except duckdb.Error:
                cursor.execute(sql)  # fails alike, but this call tells the place in the text
                raise

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run one statement and fetch its rows, at most ``limits.rows`` of them.

        Raises:
            QueryError: the SQL is at fault.
            BudgetExceeded: the deadline passed, memory ran out, or it was cancelled.
            AccessDenied: it reached for files or settings.
            EngineUnavailable: the file could not be read just now.
        """
        started = time.perf_counter()
        with self._watched(sql, limits.seconds, limits.cancelled) as (cursor, watch):
            cursor.execute(sql)
            columns = tuple(ResultColumn(name=d[0], type=str(d[1])) for d in cursor.description)
            rows = fetch(cursor, limits.rows, watch)
        kept, cut = capped(rows, limits.rows)
        return Result(
            columns=columns,
            rows=kept,
            truncated=cut,
            seconds=time.perf_counter() - started,
        )

    def cancel(self) -> None:
        """Stop whatever runs now; its callers get BudgetExceeded."""
        self._under_way.stop()

    def close(self) -> None:
        """Stop what runs and give the file back."""
        self.cancel()
        self._connection.close()

    @contextmanager
    def _watched(
        self, sql: Admitted, seconds: float | None, cancelled: threading.Event | None = None
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, Watch]]:
        require_admitted(sql)
        with self._cursor() as cursor:
            watch = Watch(cursor.interrupt, seconds=seconds, cancelled=cancelled)
            with self._under_way.holding(watch), watch, _translated(sql, watch.check):
                yield cursor, watch

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._lock, _translated(""):
            cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()


def open_duckdb(
    path: str | Path, *, memory: str = "2GB", threads: int = 2, name: str = ""
) -> DuckDBEngine:
    """Open a DuckDB file where it is, read-only, with files, network and settings shut off.

    Args:
        path: the file.
        memory: what DuckDB may use, in its own spelling; past it a query ends in BudgetExceeded.
        threads: how many cores one query may use.
        name: what people are told it is; the file's name if empty.

    Raises:
        SetupError: missing, locked, damaged or not a database; says which and the cure.
    """
    path = Path(path)
    if not path.is_file():
        raise SetupError(f"There is no database file {path}. Check the path.")
    try:
        connection = duckdb.connect(
            str(path),
            read_only=True,
            config={"memory_limit": memory, "threads": threads, **SEAL},
        )
    except RAISED as error:
        raise at_opening(error, path) from error
    return DuckDBEngine(connection, name=f"DuckDB {name or path.name}")


def fetch(
    cursor: duckdb.DuckDBPyConnection, limit: int | None, watch: Watch
) -> list[tuple[Cell, ...]]:
    """Fetch one row more than the limit, which shows that there are more."""
    rows: list[tuple[Cell, ...]] = []
    while limit is None or len(rows) <= limit:
        wanted = FETCH_ROWS if limit is None else min(FETCH_ROWS, limit + 1 - len(rows))
        part = cursor.fetchmany(wanted)
        watch.check()
        if not part:
            break
        rows += part
    return rows


@contextmanager
def _translated(sql: str, stopped: Callable[[], None] = lambda: None) -> Iterator[None]:
    try:
        yield
    except RAISED as error:
        stopped()
        raise translate(error, sql) from error
    except MemoryError as error:
        raise BudgetExceeded("The result does not fit in memory.") from error
