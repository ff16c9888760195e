"""Keys that a copy carries beside its tables: facts of the source, never constraints.

Real data breaks its own declared keys, so a copy that enforced them could not be loaded.
"""

from dataclasses import replace

import duckdb
from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.catalog.stored import dump_catalog, load_catalog

META_SCHEMA = "querymend_meta"
META_TABLE = "source"


def store_keys(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
    """Write the catalog's keys into the database, in a schema that catalogs leave out."""
    text = exp.Literal.string(dump_catalog(catalog))
    connection.execute(exp.Create(kind="SCHEMA", this=exp.table_("", db=META_SCHEMA)).sql("duckdb"))
    rows = exp.select(exp.alias_(text, "catalog"))
    connection.execute(rows.ctas(exp.table_(META_TABLE, db=META_SCHEMA)).sql("duckdb"))


def with_stored_keys(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> Catalog:
    """Return the catalog with the keys that the database carries, if it carries any."""
    has = "SELECT 1 FROM duckdb_tables() WHERE schema_name = ? AND table_name = ?"
    if not connection.execute(has, [META_SCHEMA, META_TABLE]).fetchone():
        return catalog
    query = exp.select("catalog").from_(exp.table_(META_TABLE, db=META_SCHEMA))
    row = connection.execute(query.sql("duckdb")).fetchone()
    facts = load_catalog(row[0]).tables if row else ()
    stored = {t.qualified_name: t for t in facts}
    return Catalog(tables=tuple(_with(t, stored.get(t.qualified_name)) for t in catalog.tables))


def _with(table: Table, facts: Table | None) -> Table:
    if facts is None:
        return table
    return replace(table, primary_key=facts.primary_key, unique=facts.unique, keys=facts.keys)
