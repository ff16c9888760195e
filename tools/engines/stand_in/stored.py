"""Trino's types and the session's database, kept in the DuckDB file beside the tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import duckdb
from sqlglot import exp

from querymend.tools.catalog.carried import META_SCHEMA

COLUMNS_TABLE = "trino_columns"
SESSION_TABLE = "trino_session"
_CREATE = (
    f"CREATE SCHEMA IF NOT EXISTS {META_SCHEMA}",
    f"CREATE TABLE {META_SCHEMA}.{COLUMNS_TABLE}"
    " (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, type VARCHAR)",
    f"CREATE TABLE {META_SCHEMA}.{SESSION_TABLE} (database VARCHAR)",
)
Place = tuple[str, str, str]
"""Schema, table and column, in lower case."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What a file that a set-up built knows beyond DuckDB."""

    types: Mapping[Place, str] = field(default_factory=dict)
    """Trino's type of each column."""
    database: str = ""
    """The first schema that the set-up created."""


def keep(connection: duckdb.DuckDBPyConnection, stored: Stored) -> None:
    """Write it into the file."""
    for statement in _CREATE:
        connection.execute(statement)
    rows = [[*place, kind] for place, kind in stored.types.items()]
    if rows:
        into = f"INSERT INTO {META_SCHEMA}.{COLUMNS_TABLE} VALUES (?, ?, ?, ?)"
        connection.executemany(into, rows)
    connection.execute(f"INSERT INTO {META_SCHEMA}.{SESSION_TABLE} VALUES (?)", [stored.database])


def kept(connection: duckdb.DuckDBPyConnection) -> Stored:
    """Read it; a file that no set-up built has none."""
    has = "SELECT 1 FROM duckdb_tables() WHERE schema_name = ? AND table_name = ?"
    if not connection.execute(has, [META_SCHEMA, COLUMNS_TABLE]).fetchone():
        return Stored()
    rows = connection.execute(_all(COLUMNS_TABLE)).fetchall()
    session = connection.execute(_all(SESSION_TABLE)).fetchone()
    types = {(schema, table, column): kind for schema, table, column, kind in rows}
    return Stored(types=types, database=session[0] if session else "")


def _all(table: str) -> str:
    return exp.select("*").from_(exp.table_(table, db=META_SCHEMA)).sql("duckdb")
