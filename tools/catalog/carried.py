"""Keys that a copy carries beside its tables: facts of the source, never constraints.

Real data breaks its own declared keys, so a copy that enforced them could not be loaded.
"""

import json
from dataclasses import replace

import duckdb
from pydantic import BaseModel, TypeAdapter
from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Key, Table

META_SCHEMA = "querymend_meta"
META_TABLE = "source"


class _CarriedKey(BaseModel):
    columns: tuple[str, ...]
    table: str
    target_columns: tuple[str, ...]


class _Carried(BaseModel):
    primary_key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    keys: tuple[_CarriedKey, ...]


_ALL = TypeAdapter(dict[str, _Carried])


def store_keys(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
    """Write the catalog's keys into the database, in a schema that catalogs leave out."""
    facts = {
        t.qualified_name: _Carried(
            primary_key=t.primary_key,
            unique=t.unique,
            keys=tuple(
                _CarriedKey(columns=k.columns, table=k.table, target_columns=k.target_columns)
                for k in t.keys
            ),
        )
        for t in catalog.tables
    }
    place = exp.table_(META_TABLE, db=META_SCHEMA)
    text = exp.Literal.string(json.dumps(_ALL.dump_python(facts, mode="json")))
    connection.execute(exp.Create(kind="SCHEMA", this=exp.table_("", db=META_SCHEMA)).sql("duckdb"))
    rows = exp.select(exp.alias_(text, "keys"))
    connection.execute(rows.ctas(place).sql("duckdb"))


def with_stored_keys(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> Catalog:
    """Return the catalog with the keys that the database carries, if it carries any."""
    has = "SELECT 1 FROM duckdb_tables() WHERE schema_name = ? AND table_name = ?"
    if not connection.execute(has, [META_SCHEMA, META_TABLE]).fetchone():
        return catalog
    query = exp.select("keys").from_(exp.table_(META_TABLE, db=META_SCHEMA))
    row = connection.execute(query.sql("duckdb")).fetchone()
    facts = _ALL.validate_json(row[0]) if row else {}
    return Catalog(
        tables=tuple(
            _with(t, facts[t.qualified_name]) if t.qualified_name in facts else t
            for t in catalog.tables
        )
    )


def _with(table: Table, facts: _Carried) -> Table:
    return replace(
        table,
        primary_key=facts.primary_key,
        unique=facts.unique,
        keys=tuple(
            Key(columns=k.columns, table=k.table, target_columns=k.target_columns)
            for k in facts.keys
        ),
    )
