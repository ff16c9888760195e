"""Opens what a server stands on, and fills Glue with its tables."""

from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Cell, Table
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.glue import GlueTable, glue_tables, partition_input, table_input
from querymend.tools.engines.wire.pool import Open, Pool
from querymend.tools.engines.wire.work import Behind
from querymend.tools.sql.gate import admit

MOST_AT_ONCE = 8
_EVERYTHING = Limits(rows=None, seconds=None, bytes=None)


def stock(
    source: str | Path | Engine | Open,
    beneath: Beneath,
    *,
    database: str,
    given: Mapping[str, GlueTable],
) -> Behind:
    """Open a source and bring Glue in step with it.

    Args:
        source: a DuckDB file, one engine, or what opens an engine for a database.
        beneath: holds Glue.
        database: the database of tables without a schema.
        given: what Glue knows besides, by table name.

    Raises:
        SetupError: the source cannot be opened.
    """
    home = database.lower()
    pool, first = _opened(source, home)
    catalog = first.catalog()
    known = glue_tables(catalog, given)
    behind = Behind(
        pool=pool, catalog=catalog, known=known, dialect=first.dialect, home=lambda _: home
    )
    _fill(beneath, behind, first, home)
    return behind


def _opened(source: str | Path | Engine | Open, home: str) -> tuple[Pool, Engine]:
    """Return the pool, and an engine to read the catalog with."""
    if isinstance(source, str | Path):
        return _opened(_opener(Path(source)), home)
    if callable(source):
        opener: Open = source
        engine = opener(home)
        pool = Pool(lambda _: opener(home), most=MOST_AT_ONCE)
    else:
        engine = source
        pool = Pool(lambda _: engine, most=1)
    pool.add(home, engine)
    return pool, engine


def _opener(path: Path) -> Open:
    from querymend.tools.engines.duckdb import open_duckdb

    return lambda _: open_duckdb(path)


def _fill(beneath: Beneath, behind: Behind, engine: Engine, home: str) -> None:
    databases = {home: []} | {t.schema.lower(): [] for t in behind.catalog.tables if t.schema}
    tables: dict[str, list[Table]] = databases
    for table in behind.catalog.tables:
        tables[(table.schema or home).lower()].append(table)
    for name, found in tables.items():
        beneath.put_database(name)
        beneath.keep_only(name, (t.name.lower() for t in found))
        for table in found:
            _put(beneath, behind, engine, name, table)


def _put(beneath: Beneath, behind: Behind, engine: Engine, database: str, table: Table) -> None:
    known = behind.known[table.qualified_name]
    told = table_input(table, known, database=database, dialect=behind.dialect)
    beneath.put_table(database, told)
    if known.partitions and not known.is_projected and not known.view_sql:
        values = _partition_values(engine, behind.catalog, table, known)
        beneath.put_partitions(
            database,
            table.name.lower(),
            (partition_input(table, known, told, v, behind.dialect) for v in values),
        )


def _partition_values(
    engine: Engine, catalog: Catalog, table: Table, known: GlueTable
) -> list[tuple[Cell, ...]]:
    """Read which combinations of key values there are, in order."""
    keys = [exp.column(k, quoted=True) for k in known.partitions]
    source = exp.table_(table.name, db=table.schema or None, quoted=True)
    query = exp.select(*keys).distinct().from_(source).order_by(*(k.copy() for k in keys))
    verdict = admit(query.sql(engine.dialect), dialect=engine.dialect, catalog=catalog)
    assert verdict.sql is not None, verdict.findings
    return list(engine.run(verdict.sql, limits=_EVERYTHING).rows)
