"""How Trino's types lie in DuckDB.

- ``char(n)`` is a text without the blanks that fill it; ``json`` is its text.
- ``timestamp with time zone`` is a struct of the instant in UTC (``i``) and the zone (``z``).
- A row is a struct; a field without a name, or with one that is there twice, is ``f1``, ``f2`` …
"""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.sql.types.model import ZONED, TrinoType

ZONED_TIMESTAMP = f"timestamp{ZONED}"
_NAMES = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double": "DOUBLE",
    "varchar": "VARCHAR",
    "char": "VARCHAR",
    "json": "VARCHAR",
    "varbinary": "BLOB",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "uuid": "UUID",
    "interval day to second": "INTERVAL",
    "interval year to month": "INTERVAL",
    "unknown": "INTEGER",
    ZONED_TIMESTAMP: "STRUCT(i TIMESTAMP, z VARCHAR)",
}
MICROS = 6


def physical(kind: TrinoType) -> str:
    """Return DuckDB's type for one of Trino's.

    Raises:
        QueryError: there is none.
    """
    if kind.base == "decimal":
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if kind.base == "array":
        return f"{physical(kind.parts[0])}[]"
    if kind.base == "map":
        return f"MAP({physical(kind.parts[0])}, {physical(kind.parts[1])})"
    if kind.base == "row":
        fields = zip(field_names(kind), kind.parts, strict=True)
        return f"STRUCT({', '.join(f'{_quoted(n)} {physical(p)}' for n, p in fields)})"
    if kind.base in ("timestamp", ZONED_TIMESTAMP, "time") and kind.precision > MICROS:
        raise refused(f"{kind}: more than six digits of a second")
    if kind.base not in _NAMES:
        raise refused(f"The type {kind}")
    return _NAMES[kind.base]


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def field_names(kind: TrinoType) -> list[str]:
    """Return the names of a row's fields as they are in DuckDB."""
    names = list(kind.names or (None,) * len(kind.parts))
    low = [n.lower() for n in names if n]
    plain = len(low) == len(names) and len(set(low)) == len(low)
    return [n if plain and n else f"f{i}" for i, n in enumerate(names, start=1)]


def shown(kind: TrinoType) -> str:
    """Spell a result's type as Athena does: ``decimal(12, 2)``, ``INTERVAL DAY TO SECOND``."""
    if kind.base.startswith("interval"):
        return kind.base.upper()
    if kind.base == "row":
        names = kind.names or (None,) * len(kind.parts)
        fields = zip(names, kind.parts, strict=True)
        return f"row({', '.join(f'{n} {shown(p)}' if n else shown(p) for n, p in fields)})"
    if kind.parts:
        return f"{kind.base}({', '.join(map(shown, kind.parts))})"
    return str(kind).replace(",", ", ")
