"""How much a query scans: rows left by its partition predicates, times its columns' width.

That is what Parquet behind Athena amounts to: whole partitions are skipped, and so are columns
that nobody names. Bytes are an estimate; that they fall with a predicate or a column is the point.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.engines.wire.shapes import Shape, shape
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.tables import base_tables, resolve

_WIDTHS = {"tinyint": 1, "smallint": 2, "integer": 4, "float": 4, "date": 4, "boolean": 1}
_WIDE = {"array", "map", "row", "json"}
Count = Callable[[exp.Select], int]
"""Counts rows: runs ``SELECT count(*) …`` on the engine behind."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """One table as one statement reads it."""

    table: Table
    written: exp.Table
    columns: tuple[str, ...]
    """What it names of the table, without partition keys."""
    conditions: tuple[exp.Expr, ...]
    """Predicates on partition keys alone."""


def reads(parsed: Parsed, catalog: Catalog, keys: Mapping[str, tuple[str, ...]]) -> list[Read]:
    """Return what the statement reads of each table that it names.

    Args:
        parsed: the statement.
        catalog: the tables.
        keys: partition keys by qualified table name.
    """
    assert parsed.tree is not None
    found = []
    for written in base_tables(parsed.tree, parsed.dialect):
        table = resolve(written, catalog, parsed.dialect)
        if table is not None:
            mine = {k.lower() for k in keys.get(table.qualified_name, ())}
            found.append(_read(table, written, mine, parsed.tree))
    return found


def _read(table: Table, written: exp.Table, keys: set[str], tree: exp.Expr) -> Read:
    select = written.find_ancestor(exp.Select)
    alias = written.alias_or_name.lower()
    named = {c.name.lower() for c in tree.find_all(exp.Column) if c.table.lower() in {"", alias}}
    star = select is not None and _has_star(select, alias)
    columns = (c.name for c in table.columns if c.name.lower() not in keys)
    return Read(
        table=table,
        written=written,
        columns=tuple(c for c in columns if star or c.lower() in named),
        conditions=tuple(_conditions(select, alias, keys)) if select is not None else (),
    )


def _has_star(select: exp.Select, alias: str) -> bool:
    return any(
        isinstance(e, exp.Star)
        or (isinstance(e, exp.Column) and e.is_star and e.table.lower() in {"", alias})
        for e in select.expressions
    )


def _conditions(select: exp.Select, alias: str, keys: set[str]) -> Iterable[exp.Expr]:
    where = select.args.get("where")
    if where is None:
        return
    for conjunct in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        columns = list(conjunct.find_all(exp.Column))
        if (
            columns
            and not conjunct.find(exp.Select)
            and all(_is_key(c, alias, keys) for c in columns)
        ):
            yield conjunct


def _is_key(column: exp.Column, alias: str, keys: set[str]) -> bool:
    return column.name.lower() in keys and column.table.lower() in {"", alias}


def missing_values(found: Iterable[Read], injected: Mapping[str, tuple[str, ...]]) -> str:
    """Return an injected key whose values a read does not give one by one, or ''.

    Args:
        found: the reads.
        injected: keys whose values must be given, by qualified table name.
    """
    return next(
        (
            key
            for read in found
            for key in injected.get(read.table.qualified_name, ())
            if not any(_gives(condition, key) for condition in read.conditions)
        ),
        "",
    )


def _gives(condition: exp.Expr, key: str) -> bool:
    """Tell whether a predicate names the values of a key one by one."""
    column = condition.this if isinstance(condition, exp.EQ | exp.In) else None
    given = [condition.args.get("expression"), *condition.args.get("expressions", [])]
    values = [v for v in given if v is not None]
    named = isinstance(column, exp.Column) and column.name.lower() == key.lower()
    return named and bool(values) and all(isinstance(v, exp.Literal | exp.Cast) for v in values)


def width(kind: Shape) -> int:
    """Return how many bytes a value of this type takes, roughly."""
    if kind.name in _WIDE:
        return 32
    if kind.name in {"varchar", "char", "varbinary", "decimal"}:
        return 16
    return _WIDTHS.get(kind.name, 8)


class Scans:
    """Estimates bytes, and remembers row counts: the data behind a server does not change."""

    def __init__(self, *, scale: float) -> None:
        self._scale = scale
        self._rows: dict[str, int] = {}
        self._lock = threading.Lock()

    def bytes(self, found: Iterable[Read], dialect: str, count: Count) -> int:
        """Return the bytes that these reads scan."""
        return round(self._scale * sum(self._one(read, dialect, count) for read in found))

    def forget(self) -> None:
        """Count anew."""
        with self._lock:
            self._rows.clear()

    def _one(self, read: Read, dialect: str, count: Count) -> int:
        kinds = {c.name: shape(c.type, dialect) for c in read.table.columns}
        per_row = sum(width(kinds[name]) for name in read.columns)
        return per_row * self._count(read, dialect, count) if per_row else 0

    def _count(self, read: Read, dialect: str, count: Count) -> int:
        select = counting(read)
        text = select.sql(dialect)
        if text not in self._rows:
            rows = count(select)
            with self._lock:
                self._rows[text] = rows
        return self._rows[text]


def counting(read: Read) -> exp.Select:
    """Build the query that counts the rows of the partitions that are read."""
    source = read.written.copy()
    for name in ("joins", "laterals", "pivots", "sample"):
        source.set(name, None)
    return exp.select("COUNT(*)").from_(source).where(*(c.copy() for c in read.conditions))
