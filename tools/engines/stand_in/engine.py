"""The stand-in as an engine: Athena's SQL in, Athena's types and values out, DuckDB between."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from querymend.tools.catalog.model import Catalog, Cell, Column, Table
from querymend.tools.catalog.read import database_of, read_catalog
from querymend.tools.engines.duckdb import DuckDBEngine, fetch, open_duckdb
from querymend.tools.engines.engine import Limits, Result, ResultColumn, capped
from querymend.tools.engines.stand_in.faults import as_fault, in_trinos_words
from querymend.tools.engines.stand_in.runtime.library import FUNCTIONS
from querymend.tools.engines.stand_in.runtime.scalar import register
from querymend.tools.engines.stand_in.stored import Place, Stored, kept
from querymend.tools.engines.stand_in.translate.physical import shown
from querymend.tools.engines.stand_in.translate.statement import Translated, translate
from querymend.tools.engines.stand_in.translate.translator import World
from querymend.tools.engines.stand_in.values import changes, value
from querymend.tools.errors import QueryError, SetupError
from querymend.tools.sql.admitted import Admitted, require_admitted
from querymend.tools.sql.checks import check
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.spelling import read_type

EXPLAIN_SECONDS = 30.0


class StandInEngine(DuckDBEngine):
    """Runs Athena's SQL on one DuckDB file; safe to use from many threads at once."""

    dialect = "athena"

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, *, name: str, database: str = ""
    ) -> None:
        super().__init__(connection, name=name)
        self._registering = threading.Lock()
        self._registered: set[str] = set()
        with self._cursor() as cursor:
            stored, own, catalog = kept(cursor), read_catalog(cursor), database_of(cursor)
        self.database = database or stored.database
        """Where unqualified names belong."""
        self._world = World(catalog=catalog, database=self.database, stored=_stored_types(own))
        self._trino_catalog = replace(_in_trino(own, stored), default_schema=self.database)

    def catalog(self) -> Catalog:
        """Return the tables, their columns in Trino's types."""
        return self._trino_catalog

    def translated(self, sql: Admitted) -> Translated:
        """Return what DuckDB is asked, without running it.

        Raises:
            QueryError: Athena refuses the statement, or the stand-in cannot run it.
        """
        require_admitted(sql)
        for finding in check(sql, dialect=self.dialect, catalog=self._trino_catalog):
            if finding.severity == "block":
                raise as_fault(finding)
        return translate(sql, self._trino_catalog, self._world)

    def explain(self, sql: Admitted) -> str:
        """Translate the statement and let DuckDB plan it; raise QueryError if either refuses."""
        made = self.translated(sql)
        self._register(made)
        try:
            with self._watched(sql, EXPLAIN_SECONDS) as (cursor, _):
                return cursor.sql(made.sql).explain()
        except QueryError as error:
            raise in_trinos_words(error, sql) from error

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run one statement and fetch its rows, at most ``limits.rows`` of them.

        Raises:
            QueryError: the SQL is at fault (code: Trino's name), or the stand-in cannot run it
                (code ``NOT_IN_STAND_IN``, the message names the construct).
            BudgetExceeded: the deadline passed, memory ran out, or it was cancelled.
            EngineUnavailable: the file could not be read just now.
        """
        started = time.perf_counter()
        made = self.translated(sql)
        self._register(made)
        try:
            with self._watched(sql, limits.seconds, limits.cancelled) as (cursor, watch):
                cursor.execute(made.sql)
                rows = fetch(cursor, limits.rows, watch)
        except QueryError as error:
            raise in_trinos_words(error, sql) from error
        kept, cut = capped(rows, limits.rows)
        return Result(
            columns=tuple(ResultColumn(name=n, type=shown(k)) for n, k in made.columns),
            rows=_valued(kept, [k for _, k in made.columns]),
            truncated=cut,
            seconds=time.perf_counter() - started,
        )

    def _register(self, made: Translated) -> None:
        """Add the functions that a statement calls to DuckDB, once."""
        with self._registering:
            missing = made.functions - self._registered
            # On the engine's own connection: functions end with the one that they were added to.
            register(self._connection, tuple(f for f in FUNCTIONS if f.name in missing))
            self._registered |= missing


def open_stand_in(
    path: str | Path, *, database: str = "", memory: str = "2GB", threads: int = 2, name: str = ""
) -> StandInEngine:
    """Open a DuckDB file, read-only and sealed, to be asked in Athena's SQL.

    Args:
        path: the file: any DuckDB database, or one that ``build`` made.
        database: where unqualified names belong; the first schema that a set-up created, if empty.
        memory: what DuckDB may use, in its own spelling.
        threads: how many cores one query may use.
        name: what people are told it is; the file's name if empty.

    Raises:
        SetupError: missing, locked, damaged or not a database, or it has no such schema.
    """
    path = Path(path)
    opened = open_duckdb(path, memory=memory, threads=threads)
    engine = StandInEngine(
        opened.connection, name=f"Athena stand-in {name or path.name}", database=database
    )
    schemas = {t.schema.lower() for t in engine.catalog().tables}
    if database and database.lower() not in schemas:
        engine.close()
        raise SetupError(f"{path.name} has no database {database}.")
    return engine


def _stored_types(own: Catalog) -> dict[Place, str]:
    """Return DuckDB's types by place."""
    return {
        (t.schema.lower(), t.name.lower(), c.name.lower()): c.type
        for t in own.tables
        for c in t.columns
    }


def _in_trino(own: Catalog, stored: Stored) -> Catalog:
    return Catalog(tables=tuple(_table(t, stored) for t in own.tables))


def _table(table: Table, stored: Stored) -> Table:
    columns = tuple(_column(table, c, stored) for c in table.columns)
    return replace(table, columns=columns)


def _column(table: Table, column: Column, stored: Stored) -> Column:
    place = (table.schema.lower(), table.name.lower(), column.name.lower())
    if place in stored.types:
        return replace(column, type=stored.types[place])
    found = read_type(column.type)
    return replace(column, type=str(found)) if found is not None else column


def _valued(
    rows: Sequence[tuple[Cell, ...]], kinds: Sequence[TrinoType]
) -> tuple[tuple[Cell, ...], ...]:
    if not any(changes(k) for k in kinds):
        return tuple(rows)
    return tuple(tuple(value(v, k) for v, k in zip(row, kinds, strict=True)) for row in rows)
