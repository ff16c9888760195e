"""Tables as the model reads them: CREATE TABLE with keys, comments and sample rows."""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache

from sqlglot import Dialect

from querymend.tools.catalog.model import Cell, Column, Key, PartitionKey, Table
from querymend.tools.chunks.untrusted import CUT, cut, untrusted, untrusted_name

CELL = 40
COMMENT = 120
TABLE_COMMENT = 240
TYPE = 60
LISTED = 8
"""A text column with at most so many distinct values has them in its comment."""
VALUES = 90
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEXT = re.compile(r"char|text|string|enum", re.IGNORECASE)


def create_table(table: Table, *, samples: int = 3, descriptions: bool = True) -> str:
    """Write the table as DDL with REFERENCES, comments and a block of sample rows.

    The form is the one that small models answer best from: they know DDL, and sample rows show
    formats (Rajkumar et al. 2022, arXiv 2204.00498). Whatever came from data stands in comments
    that it cannot end.

    Args:
        table: a table, its columns already narrowed to what the reader may see.
        samples: sample rows to show, 0 for none.
        descriptions: whether to write descriptions, units and short lists of values.
    """
    entries = [(_column(c), _remark(table, c, descriptions)) for c in table.columns]
    entries += [(constraint, "") for constraint in _constraints(table)]
    note = untrusted(table.description, limit=TABLE_COMMENT) if descriptions else ""
    last = len(entries) - 1
    lines = [f"CREATE TABLE {table_name(table)} (" + (f" -- {note}" if note else "")]
    for place, (text, comment) in enumerate(entries):
        end = "," if place < last else ""
        lines.append(f"  {text}{end}" + (f" -- {comment}" if comment else ""))
    return "\n".join([*lines, ");", *_sample_block(table, samples)])


def table_name(table: Table) -> str:
    """Write the table's name as SQL names it; dots inside the name itself are quoted."""
    own = identifier(table.name)
    return f"{quoted(table.schema)}.{own}" if table.schema else own


def quoted(name: str) -> str:
    """Write a qualified name, quoting only the parts that need it."""
    return ".".join(identifier(part) for part in name.split("."))


def identifier(name: str) -> str:
    """Write one identifier, quoted where it is a reserved word or no plain identifier."""
    plain = _PLAIN.fullmatch(name) and name.lower() not in _reserved()
    return name if plain else '"' + untrusted_name(name).replace('"', '""') + '"'


@cache
def _reserved() -> frozenset[str]:
    """Return the reserved words of every dialect that QueryMend writes."""
    words: set[str] = set()
    for dialect in ("duckdb", "trino", "athena"):
        generator = Dialect.get_or_raise(dialect).generator_class
        words |= {word.lower() for word in generator.RESERVED_KEYWORDS}
    return frozenset(words)


def is_text(column: Column) -> bool:
    """Tell whether the column holds text, by its type."""
    return bool(_TEXT.search(column.type)) and not re.match(
        r"(?i)(struct|map|list|array|row)\b|.*\[\]$", column.type
    )


def _column(column: Column) -> str:
    kind = "ENUM" if column.type.upper().startswith("ENUM") else column.type
    return f"{identifier(column.name)} {untrusted(kind, limit=TYPE) or 'UNKNOWN'}"


def _remark(table: Table, column: Column, descriptions: bool) -> str:
    """Say what a reader must know of a column: that it is a partition key, whatever else is said.

    A query that does not filter on such a key reads the whole table.
    """
    key = table.partition_key(column.name)
    told = _partition(key, column) if key else ""
    said = _comment(column) if descriptions else ""
    return "; ".join(part for part in (told, said) if part)


def _partition(key: PartitionKey, column: Column) -> str:
    """Describe a partition key by its legal or newest values."""
    parts = ["partition key"]
    if key.projection == "injected":
        parts.append("needs = or IN")
    if column.private:
        return ", ".join(parts)
    if key.values:
        some = ", ".join(_literal(v) for v in key.values[:LISTED])
        more = f", {CUT}" if len(key.values) > LISTED else ""
        parts.append(f"values {cut(some + more, VALUES)}")
    if key.range:
        low, high = (untrusted(v, limit=CELL) for v in key.range)
        form = f" as {untrusted(key.format, limit=CELL)}" if key.format else ""
        parts.append(f"{low} to {high}{form}")
    elif key.latest:
        parts.append(f"newest {_literal(key.latest)}")
    return ", ".join(parts)


def _comment(column: Column) -> str:
    """Join description, unit and the values of a short list."""
    said = untrusted(column.description, limit=COMMENT)
    unit = untrusted(column.unit, limit=20)
    if unit and unit.lower() not in said.lower():
        said = f"{said} ({unit})" if said else unit
    values = _values(column)
    return "; ".join(part for part in (said, values) if part)


def _values(column: Column) -> str:
    """List the frequent values of a text column that has few."""
    profile = column.profile
    if column.private or profile is None or not is_text(column):
        return ""
    if profile.distinct is None or not 0 < profile.distinct <= LISTED:
        return ""
    shown = [_literal(value) for value, _ in profile.frequent if isinstance(value, str)]
    whole = ", ".join(shown) + ("" if len(shown) >= profile.distinct else f", {CUT}")
    return f"values: {cut(whole, VALUES)}" if shown else ""


def _literal(value: str) -> str:
    return "'" + untrusted(value, limit=CELL, escape=True).replace("'", "''") + "'"


def _constraints(table: Table) -> list[str]:
    """Write the primary key and the foreign keys."""
    primary = [f"PRIMARY KEY ({names(table.primary_key)})"] if table.primary_key else []
    return primary + [_foreign(key) for key in table.keys]


def _foreign(key: Key) -> str:
    target = f"{quoted(key.table)}({names(key.target_columns)})"
    return f"FOREIGN KEY ({names(key.columns)}) REFERENCES {target}"


def names(columns: Iterable[str]) -> str:
    """Write column names with commas between them."""
    return ", ".join(identifier(c) for c in columns)


def _sample_block(table: Table, samples: int) -> list[str]:
    """Write sample rows as a comment: a header, then one line a row."""
    rows = table.sample[:samples] if samples > 0 else ()
    if not rows:
        return []
    header = " | ".join(untrusted(c.name, limit=CELL) for c in table.columns)
    body = [
        " | ".join(_cell(v, column) for v, column in zip(row, table.columns, strict=True))
        for row in rows
    ]
    noun = "row" if len(rows) == 1 else "rows"
    return [f"/* {len(rows)} example {noun}:", header, *body, "*/"]


def _cell(value: Cell, column: Column) -> str:
    """Write one value: nothing where it is private, NULL where there is none."""
    if column.private:
        return ""
    if value is None:
        return "NULL"
    return untrusted(_spelling(value), limit=CELL, escape=True)


def _spelling(value: Cell) -> str:
    """Spell a value the way a query would show it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)
