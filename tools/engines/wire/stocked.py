"""Opens what a server stands on, and fills Glue with its tables."""

import threading
from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Cell, Table
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.behind import Behind, Places
from querymend.tools.engines.wire.glue import GlueTable, glue_tables, partition_input, table_input
from querymend.tools.engines.wire.pool import Open
from querymend.tools.sql.gate import admit

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
        source: a DuckDB file, one engine, or what opens engines.
        beneath: holds Glue.
        database: the database of tables without a schema.
        given: what Glue knows besides, by table name.

    Raises:
        SetupError: the source cannot be opened.
    """
    places = _places(source, database)
    first = places.shared
    stopped = threading.Event()
    with first.pool.lend(stopped) as engine:
        assert engine is not None
        known = glue_tables(first.catalog, given)
        behind = Behind(places=places, known=known, dialect=engine.dialect)
        _fill(beneath, behind, engine, database.lower())
    return behind


def _places(source: str | Path | Engine | Open, database: str) -> Places:
    if isinstance(source, str | Path):
        return _places_of_file(Path(source), database)
    if callable(source):
        return Places(source(), database=database, opener=source)
    return Places(source, database=database)


def _places_of_file(path: Path, database: str) -> Places:
    from querymend.tools.engines.stand_in.engine import open_stand_in

    return Places(
        open_stand_in(path),
        database=database,
        opener=lambda: open_stand_in(path),
        by_database=lambda name: open_stand_in(path, database=name),
    )


def _fill(beneath: Beneath, behind: Behind, engine: Engine, home: str) -> None:
    catalog = behind.places.shared.catalog
    bare = any(not t.schema for t in catalog.tables) or not catalog.tables
    tables: dict[str, list[Table]] = {home: []} if bare else {}
    for table in catalog.tables:
        tables.setdefault((table.schema or home).lower(), []).append(table)
    for name in dict.fromkeys([*tables, *beneath.databases()]):
        beneath.put_database(name)
        beneath.keep_only(name, (t.name.lower() for t in tables.get(name, ())))
        for table in tables.get(name, ()):
            _put(beneath, behind, engine, name, table)


def _put(beneath: Beneath, behind: Behind, engine: Engine, database: str, table: Table) -> None:
    known = behind.known[table.qualified_name]
    told = table_input(table, known, database=database, dialect=behind.dialect)
    beneath.put_table(database, told)
    if known.partitions and not known.is_projected and not known.view_sql:
        catalog = behind.places.shared.catalog
        values = _partition_values(engine, catalog, table, known)
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
