"""The Glue catalog: tables, views, comments, partition keys and their values. No query runs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog, Column, PartitionKey, Table
from querymend.tools.catalog.projection import projected

PAGES = 20
"""Pages of a thousand partitions that are looked through for a table's newest one."""
AT_ONCE = 8
Client = Any
"""A boto3 client of Glue."""
Entry = Mapping[str, Any]
"""One table as Glue describes it."""


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Where and how a table's files lie; for estimates alone, never for a prompt."""

    location: str = ""
    columnar: bool = False
    """Parquet or ORC: only the columns that a query names are read."""
    bytes: int | None = None
    projected: bool = False
    """Partitions are computed, so Glue lists none."""
    view: bool = False


@dataclass(frozen=True, kw_only=True)
class GlueCatalog:
    """What Glue told, at one time."""

    catalog: Catalog
    storage: Mapping[str, Storage]
    """By qualified name as in the catalog."""
    default: str = ""
    """The database of tables without a schema."""


def read_glue(
    glue: Client, databases: Sequence[str] = (), *, catalog_id: str = "", newest: bool = True
) -> GlueCatalog:
    """Read the tables of some databases, or of all of them.

    Args:
        glue: the client, under the role that will run the queries.
        databases: in order; the first is the default, whose tables carry no schema.
        catalog_id: another account's or a federated catalog.
        newest: look for the newest value of each partition key.
    """
    wanted = databases or _databases(glue, catalog_id)
    tables: list[Table] = []
    storage: dict[str, Storage] = {}
    for database in wanted:
        schema = "" if database == wanted[0] else database
        for entry in _entries(glue, database, catalog_id):
            table = table_of(entry, schema)
            tables.append(table)
            storage[table.qualified_name] = storage_of(entry)
    default = wanted[0] if wanted else ""
    if newest:
        tables = _with_newest(glue, tables, storage, default, catalog_id)
    catalog = Catalog(tables=tuple(tables), default_schema=default)
    return GlueCatalog(catalog=catalog, storage=storage, default=default)


def table_of(entry: Entry, schema: str = "") -> Table:
    """Make a table of Glue's description."""
    stored = entry.get("StorageDescriptor") or {}
    keys = entry.get("PartitionKeys") or ()
    columns = tuple(_column(c) for c in (*(stored.get("Columns") or ()), *keys))
    parameters = entry.get("Parameters") or {}
    return Table(
        name=entry["Name"],
        schema=schema,
        columns=columns,
        description=entry.get("Description") or parameters.get("comment", ""),
        partitions=tuple(k["Name"] for k in keys),
        partition_keys=tuple(projected(k["Name"], parameters) for k in keys),
        version=_version(entry),
    )


def storage_of(entry: Entry) -> Storage:
    """Say where a table's files are."""
    stored = entry.get("StorageDescriptor") or {}
    parameters = entry.get("Parameters") or {}
    told = f"{stored.get('InputFormat', '')} {parameters.get('classification', '')}".lower()
    return Storage(
        location=stored.get("Location", ""),
        columnar="parquet" in told or "orc" in told,
        bytes=size_of(parameters),
        projected=str(parameters.get("projection.enabled", "")).lower() == "true",
        view=entry.get("TableType") == "VIRTUAL_VIEW",
    )


def size_of(parameters: Mapping[str, str]) -> int | None:
    """Return the bytes that a crawler or Hive noted for a table or partition."""
    for key in ("totalSize", "sizeKey", "rawDataSize"):
        text = str(parameters.get(key, ""))
        if text.isdigit():
            return int(text)
    return None


def athena_type(hive: str) -> str:
    """Write a Hive type as Athena's SQL spells it: ``array<struct<a:int>>`` → ``array(row(…))``."""
    try:
        kind = exp.DataType.build(hive, dialect="hive")
        text = kind.sql("trino")
    except (SqlglotError, ValueError):
        return hive
    return _lower(text)


def _lower(text: str) -> str:
    """Write the type's own words small and leave quoted names as they are."""
    return "".join(p if p.startswith('"') else p.lower() for p in re.split(r'("[^"]*")', text))


def _column(entry: Entry) -> Column:
    return Column(
        name=entry["Name"],
        type=athena_type(entry.get("Type") or ""),
        description=entry.get("Comment") or "",
    )


def _version(entry: Entry) -> str:
    """Return what changes with every change of the table."""
    updated = entry.get("UpdateTime") or entry.get("CreateTime") or ""
    return f"{entry.get('VersionId', '')} {updated}".strip()


def _databases(glue: Client, catalog_id: str) -> list[str]:
    found = _paged(glue, "get_databases", "DatabaseList", **_of(catalog_id))
    return [d["Name"] for d in found]


def _entries(glue: Client, database: str, catalog_id: str) -> Iterator[Entry]:
    return _paged(glue, "get_tables", "TableList", DatabaseName=database, **_of(catalog_id))


def _of(catalog_id: str) -> dict[str, str]:
    return {"CatalogId": catalog_id} if catalog_id else {}


def _paged(glue: Client, call: str, key: str, **wanted: object) -> Iterator[Entry]:
    for page in glue.get_paginator(call).paginate(**wanted):
        yield from page.get(key) or ()


def _with_newest(
    glue: Client,
    tables: Sequence[Table],
    storage: Mapping[str, Storage],
    default: str,
    catalog_id: str,
) -> list[Table]:
    """Add the newest value of each key; tables are looked at side by side."""

    def one(table: Table) -> Table:
        if not table.partitions or storage[table.qualified_name].projected:
            return table
        found = partitions(glue, table.schema or default, table.name, catalog_id=catalog_id)
        return replace(table, partition_keys=_newest(table, found))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, tables))


@dataclass(frozen=True, kw_only=True)
class Partition:
    """One partition: its values in the order of the keys, and what is known of its files."""

    values: tuple[str, ...]
    location: str = ""
    bytes: int | None = None
    version: str = ""


def partitions(
    glue: Client,
    database: str,
    table: str,
    *,
    where: str = "",
    pages: int = PAGES,
    catalog_id: str = "",
) -> tuple[Partition, ...] | None:
    """Return a table's partitions, or None if there are more than so many pages.

    Args:
        glue: the client.
        database: the table's.
        table: its name.
        where: Glue's own filter, ``dt >= '2026-01-01'``.
        pages: of a thousand partitions at most.
        catalog_id: another catalog.
    """
    wanted: dict[str, object] = {"DatabaseName": database, "TableName": table}
    wanted |= {"ExcludeColumnSchema": True, **_of(catalog_id)}
    if where:
        wanted["Expression"] = where
    found: list[Partition] = []
    for number, page in enumerate(glue.get_paginator("get_partitions").paginate(**wanted)):
        if number >= pages:
            return None
        found += (_partition(p) for p in page.get("Partitions") or ())
    return tuple(found)


def _partition(entry: Entry) -> Partition:
    stored = entry.get("StorageDescriptor") or {}
    changed = entry.get("LastAccessTime") or entry.get("CreationTime") or ""
    return Partition(
        values=tuple(entry.get("Values") or ()),
        location=stored.get("Location", ""),
        bytes=size_of(entry.get("Parameters") or {}),
        version=str(changed),
    )


def _newest(table: Table, found: Sequence[Partition] | None) -> tuple[PartitionKey, ...]:
    found = [p for p in found or () if len(p.values) == len(table.partitions)]
    if not found:
        return table.partition_keys
    latest = max(found, key=lambda p: ordering(table, p.values)).values
    values = [sorted({p.values[i] for p in found}) for i in range(len(table.partitions))]
    return tuple(
        replace(key, latest=latest[i], values=_few(values[i]))
        for i, key in enumerate(table.partition_keys)
    )


FEW = 8
"""So many values of a key, or fewer, are all told."""


def _few(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(values) if len(values) <= FEW else ()


def ordering(table: Table, values: Iterable[str]) -> tuple[tuple[float, str], ...]:
    """Return what sorts partitions from old to new: numbers as numbers, all else as text."""
    return tuple(_rank(value) for value in values)


def _rank(value: str) -> tuple[float, str]:
    return (float(value), "") if re.fullmatch(r"-?\d+(\.\d+)?", value) else (0.0, value)
