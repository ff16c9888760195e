"""Reads a DuckDB database's catalog: tables, columns, types, comments and declared keys."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import duckdb
from sqlglot import exp

from querymend.tools.catalog.carried import META_SCHEMA, with_stored_keys
from querymend.tools.catalog.model import Catalog, Column, Key, Table

DEFAULT_SCHEMA = "main"
_TABLES = """
SELECT schema_name, table_name, comment FROM (
    SELECT schema_name, table_name, comment, 0 AS is_view, table_oid AS place FROM duckdb_tables()
    WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, comment, 1, view_oid FROM duckdb_views()
    WHERE NOT internal AND database_name = current_database()
) ORDER BY is_view, place
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database() ORDER BY column_index
"""
_CONSTRAINTS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
    referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database() ORDER BY constraint_index
"""
_Name = tuple[str, str]
_log = logging.getLogger("querymend")


def read_catalog(connection: duckdb.DuckDBPyConnection) -> Catalog:
    """Read the tables and views of all schemas; the default schema's have schema ''.

    Tables come in the order of their creation, then views. A view that DuckDB cannot bind any
    more is left out and logged. Keys that a copy of another database carries are declared keys.
    """
    columns = _columns(connection)
    keys = _constraints(connection)
    tables = []
    for schema, name, comment in connection.execute(_TABLES).fetchall():
        if schema != META_SCHEMA and _binds(connection, schema, name):
            table = Table(
                name=name,
                schema=_schema(schema),
                description=comment or "",
                columns=tuple(columns[schema, name]),
            )
            tables.append(_with_keys(table, keys[schema, name]))
    return with_stored_keys(connection, Catalog(tables=tuple(tables)))


def _schema(name: str) -> str:
    return "" if name == DEFAULT_SCHEMA else name


def _binds(connection: duckdb.DuckDBPyConnection, schema: str, name: str) -> bool:
    # Whole names: DuckDB takes a schema named like its file for ambiguous.
    place = exp.table_(name, db=schema, catalog=database_of(connection), quoted=True)
    try:
        connection.sql(exp.select("*").from_(place).sql("duckdb"))
    except duckdb.Error as error:
        _log.warning("view %s.%s is left out: %s", schema, name, type(error).__name__)
        return False
    return True


def database_of(connection: duckdb.DuckDBPyConnection) -> str:
    """Return DuckDB's name for the file that a connection is on."""
    row = connection.execute("SELECT current_database()").fetchone()
    return str(row[0]) if row else ""


def _columns(connection: duckdb.DuckDBPyConnection) -> Mapping[_Name, list[Column]]:
    found: defaultdict[_Name, list[Column]] = defaultdict(list)
    for schema, table, name, kind, comment in connection.execute(_COLUMNS).fetchall():
        found[schema, table].append(Column(name=name, type=kind, description=comment or ""))
    return found


_Constraint = tuple[str, tuple[str, ...], str, tuple[str, ...]]


def _constraints(connection: duckdb.DuckDBPyConnection) -> Mapping[_Name, list[_Constraint]]:
    found: defaultdict[_Name, list[_Constraint]] = defaultdict(list)
    for schema, table, kind, columns, target, there in connection.execute(_CONSTRAINTS).fetchall():
        full = f"{schema}.{target}" if _schema(schema) else target
        found[schema, table].append((kind, tuple(columns), full, tuple(there)))
    return found


def _with_keys(table: Table, constraints: Iterable[_Constraint]) -> Table:
    kinds: defaultdict[str, list[_Constraint]] = defaultdict(list)
    for constraint in constraints:
        kinds[constraint[0]].append(constraint)
    return replace(
        table,
        primary_key=next((c[1] for c in kinds["PRIMARY KEY"]), ()),
        unique=tuple(c[1] for c in kinds["UNIQUE"]),
        keys=tuple(
            Key(columns=columns, table=target, target_columns=there)
            for _, columns, target, there in kinds["FOREIGN KEY"]
        ),
    )
