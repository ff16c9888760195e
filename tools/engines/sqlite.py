"""Copies a SQLite database into DuckDB, exactly: values, NULLs, order of tables, declared keys."""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp

from querymend.tools.catalog.carried import store_keys
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.sqlite_keys import declared_keys
from querymend.tools.errors import SetupError

CHUNK_ROWS = 4_096
MAGIC = b"SQLite format 3\x00"
Progress = Callable[[str, float], None]
_TABLES = """
SELECT m.name, m.type FROM sqlite_master AS m
LEFT JOIN pragma_table_list AS l ON l.name = m.name AND l.schema = 'main'
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND COALESCE(l.type, '') <> 'shadow'
ORDER BY m.type, m.rowid
"""
_COLUMNS = "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
_log = logging.getLogger("querymend")


@dataclass(frozen=True, kw_only=True)
class _Column:
    name: str
    type: str
    """DuckDB's type."""
    as_text: bool
    """Stored values are of several kinds: read them all as text."""


def sqlite_files(path: Path) -> list[Path]:
    """Return the files that make up the database: itself and its write-ahead log."""
    log = path.with_name(f"{path.name}-wal")
    return [path, log] if log.exists() else [path]


def copy_sqlite(
    path: Path, target: duckdb.DuckDBPyConnection, progress: Progress | None = None
) -> None:
    """Copy tables and views of a SQLite file into an open DuckDB database.

    A column gets the type of the values that it holds, since SQLite's declared types bind
    nobody: BIGINT, DOUBLE, VARCHAR or BLOB; VARCHAR where it holds text among others. An empty
    column gets its declared affinity. Declared keys are stored as facts.

    Raises:
        SetupError: not a SQLite database, damaged, locked or unreadable.
    """
    with _opened(path) as source:
        names = source.execute(_TABLES).fetchall()
        for done, (name, kind) in enumerate(names, start=1):
            _copy(source, target, name, is_view=kind == "view")
            if progress:
                progress(name, done / len(names))
        tables = [name for name, kind in names if kind == "table"]
        store_keys(target, Catalog(tables=declared_keys(source, tables)))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file read-only, in one transaction: what is copied belongs together."""
    try:
        with closing(_connect(path)) as connection:
            connection.text_factory = _text
            connection.execute("BEGIN")
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            yield connection
    except sqlite3.Error as error:
        raise SetupError(
            f"{path.name} cannot be read as a SQLite database: {error}. "
            "Close other programs that use it, check its permissions, or restore it."
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    log = path.with_name(f"{path.name}-wal")
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if log.exists() and log.stat().st_size:
            raise
        # A database in WAL mode in a folder that may not be written: nothing waits in its log.
        return sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
    return connection


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _copy(
    source: sqlite3.Connection, target: duckdb.DuckDBPyConnection, name: str, *, is_view: bool
) -> None:
    try:
        columns = _columns(source, name)
    except sqlite3.OperationalError as error:
        if not is_view:
            raise
        _log.warning("view %s is left out: %s", name, error)
        return
    if columns:
        _create(target, name, columns)
        _fill(source, target, name, columns)


def _columns(source: sqlite3.Connection, table: str) -> list[_Column]:
    rows = source.execute(_COLUMNS, [table]).fetchall()
    return [_column(name, declared, _stored(source, table, name)) for name, declared in rows]


def _stored(source: sqlite3.Connection, table: str, column: str) -> frozenset[str]:
    """Return which of integer, real, text and blob the column holds."""
    kind = exp.Anonymous(this="typeof", expressions=[exp.column(column, quoted=True)])
    query = exp.select(kind).distinct().from_(exp.to_identifier(table, quoted=True))
    return frozenset(r[0] for r in source.execute(query.sql("sqlite"))) - {"null"}


def _column(name: str, declared: str, stored: frozenset[str]) -> _Column:
    if not stored:
        return _Column(name=name, type=_affinity(declared), as_text=False)
    if stored <= {"integer", "real"}:
        kind = "DOUBLE" if "real" in stored else "BIGINT"
        return _Column(name=name, type=kind, as_text=False)
    if stored == {"blob"}:
        return _Column(name=name, type="BLOB", as_text=False)
    return _Column(name=name, type="VARCHAR", as_text=stored != {"text"})


def _affinity(declared: str) -> str:
    """Follow SQLite's rules of affinity (sqlite.org/datatype3.html §3.1), for a column of NULLs."""
    name = declared.upper()
    for parts, kind in (
        (("INT", "BOOL"), "BIGINT"),
        (("CHAR", "CLOB", "TEXT", "DATE", "TIME"), "VARCHAR"),
        (("BLOB",), "BLOB"),
        (("REAL", "FLOA", "DOUB", "NUM", "DEC"), "DOUBLE"),
    ):
        if any(p in name for p in parts):
            return kind
    return "VARCHAR"


def _create(target: duckdb.DuckDBPyConnection, table: str, columns: Sequence[_Column]) -> None:
    definitions = [
        exp.ColumnDef(
            this=exp.to_identifier(c.name, quoted=True),
            kind=exp.DataType.build(c.type, dialect="duckdb"),
        )
        for c in columns
    ]
    place = exp.table_(table, quoted=True)
    schema = exp.Schema(this=place, expressions=definitions)
    target.execute(exp.Create(kind="TABLE", this=schema).sql("duckdb"))


def _fill(
    source: sqlite3.Connection,
    target: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[_Column],
) -> None:
    insert = _insert(table, columns)
    rows = source.execute(_select(table, columns))
    while chunk := rows.fetchmany(CHUNK_ROWS):
        target.execute(insert, [list(values) for values in zip(*chunk, strict=True)])


def _select(table: str, columns: Sequence[_Column]) -> str:
    values = (exp.column(c.name, quoted=True) for c in columns)
    chosen = [exp.cast(v, "TEXT") if c.as_text else v for c, v in zip(columns, values, strict=True)]
    return exp.select(*chosen).from_(exp.to_identifier(table, quoted=True)).sql("sqlite")


def _insert(table: str, columns: Sequence[_Column]) -> str:
    """Take one list a column: far quicker than one value a parameter, and as exact."""
    lists = [
        exp.Anonymous(
            this="unnest",
            expressions=[exp.cast(exp.Placeholder(), f"{c.type}[]", dialect="duckdb")],
        )
        for c in columns
    ]
    return exp.insert(exp.select(*lists), exp.table_(table, quoted=True)).sql("duckdb")
