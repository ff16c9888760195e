"""The engine's tables as Glue holds them: Hive types, partition keys, projection, views."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from querymend.tools.catalog.model import Catalog, Cell, Column, Table
from querymend.tools.engines.wire.shapes import cell_text, shape

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_PARQUET = "org.apache.hadoop.hive.ql.io.parquet"


@dataclass(frozen=True, kw_only=True)
class GlueTable:
    """What Glue knows of a table that the data behind the server does not tell."""

    partitions: tuple[str, ...] = ()
    """Partition keys, in order; all are columns of the table."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Table properties: ``{"projection.enabled": "true", "projection.dt.type": "date", …}``."""
    description: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)
    """Comments of columns, by name."""
    location: str = ""
    view_sql: str = ""
    """For a view: its SQL."""

    @property
    def is_projected(self) -> bool:
        """Whether Athena works partitions out by rule, so that Glue lists none."""
        return self.parameters.get("projection.enabled", "").lower() == "true"

    @property
    def injected(self) -> tuple[str, ...]:
        """Keys whose values every query must give."""
        return tuple(
            k for k in self.partitions if self.parameters.get(f"projection.{k}.type") == "injected"
        )


def glue_tables(catalog: Catalog, given: Mapping[str, GlueTable]) -> dict[str, GlueTable]:
    """Return what Glue knows of every table, by qualified name.

    Partition keys that the engine itself tells are taken where nothing else is given.
    """
    known = {name.lower(): table for name, table in given.items()}
    found = {}
    for table in catalog.tables:
        names = (table.qualified_name.lower(), table.name.lower())
        own = next((known[n] for n in names if n in known), None)
        found[table.qualified_name] = own or GlueTable(partitions=table.partitions)
    return found


def table_input(
    table: Table, known: GlueTable, *, database: str, dialect: str
) -> dict[str, object]:
    """Return Glue's TableInput for one table."""
    keys = [k.lower() for k in known.partitions]
    columns = {c.name.lower(): _column(c, known, dialect) for c in table.columns}
    location = known.location or f"s3://querymend-data/{database}/{table.name.lower()}/"
    told: dict[str, object] = {
        "Name": table.name.lower(),
        "Description": known.description or table.description,
        "TableType": "EXTERNAL_TABLE",
        "Parameters": {"classification": "parquet", "EXTERNAL": "TRUE", **known.parameters},
        "PartitionKeys": [columns[k] for k in keys],
        "StorageDescriptor": storage([c for n, c in columns.items() if n not in keys], location),
    }
    return {**told, **_as_view(known, told, database)} if known.view_sql else told


def _column(column: Column, known: GlueTable, dialect: str) -> dict[str, object]:
    told: dict[str, object] = {
        "Name": column.name.lower(),
        "Type": shape(column.type, dialect).hive(),
    }
    comment = known.comments.get(column.name, column.description)
    return {**told, "Comment": comment} if comment else told


def storage(columns: Sequence[Mapping[str, object]], location: str) -> dict[str, object]:
    """Return Glue's StorageDescriptor of Parquet files."""
    return {
        "Columns": list(columns),
        "Location": location,
        "InputFormat": f"{_PARQUET}.MapredParquetInputFormat",
        "OutputFormat": f"{_PARQUET}.MapredParquetOutputFormat",
        "SerdeInfo": {"SerializationLibrary": f"{_PARQUET}.serde.ParquetHiveSerDe"},
    }


def _as_view(known: GlueTable, told: Mapping[str, object], database: str) -> dict[str, object]:
    """Return what differs in a view: its text is kept as Presto's JSON in base 64."""
    body = {"originalSql": known.view_sql, "catalog": "awsdatacatalog", "schema": database}
    packed = base64.b64encode(json.dumps(body).encode()).decode()
    return {
        "TableType": "VIRTUAL_VIEW",
        "ViewOriginalText": f"/* Presto View: {packed} */",
        "ViewExpandedText": "/* Presto View */",
        "Parameters": {"presto_view": "true", "comment": "Presto View", **known.parameters},
        "PartitionKeys": [],
    }


def partition_input(
    table: Table, known: GlueTable, told: Mapping[str, object], values: Sequence[Cell], dialect: str
) -> dict[str, object]:
    """Return Glue's PartitionInput for one combination of key values."""
    kinds = [shape(c.type, dialect) for k in known.partitions if (c := table.column(k))]
    texts = [
        NO_VALUE if (text := cell_text(v, kind)) is None else text
        for v, kind in zip(values, kinds, strict=True)
    ]
    descriptor = dict(_mapping(told["StorageDescriptor"]))
    path = "/".join(f"{k.lower()}={t}" for k, t in zip(known.partitions, texts, strict=True))
    descriptor["Location"] = f"{str(descriptor['Location']).rstrip('/')}/{path}"
    return {"Values": texts, "StorageDescriptor": descriptor}


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value
