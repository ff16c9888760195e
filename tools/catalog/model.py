"""The catalog's values: tables, columns, keys, profiles, and the scope that narrows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Origin = Literal["declared", "pack", "inferred"]
Projection = Literal["", "enum", "integer", "date", "injected"]
"""How a partition key's values are computed; empty where the catalog lists them."""
Cell = object
"""One value of a row: None, bool, int, float, Decimal, str, bytes, date, time, list, dict …"""


@dataclass(frozen=True, kw_only=True)
class Leak:
    """What using a column would give away about a target that is predicted."""

    target: str
    """The column or event that this one reveals: ``churned``."""
    known_from: str = ""
    """When its value is known: ``after renewal_date``."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What one column's values look like."""

    distinct: int | None = None
    null_share: float | None = None
    """Between 0 and 1."""
    minimum: Cell = None
    maximum: Cell = None
    frequent: tuple[tuple[Cell, int], ...] = ()
    """The most frequent values with their counts, most frequent first."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column, with what is known about its meaning and its values."""

    name: str
    type: str
    """The engine's own spelling: ``DECIMAL(12,2)``."""
    description: str = ""
    unit: str = ""
    grain: str = ""
    time_window: str = ""
    leaks: Leak | None = None
    private: bool = False
    """Its values stay out of index, samples, prompts, traces and logs."""
    profile: Profile | None = None


@dataclass(frozen=True, kw_only=True)
class Key:
    """A way to join: columns here equal columns there (there, they are unique)."""

    columns: tuple[str, ...]
    table: str
    """The table that is referred to, by qualified name."""
    target_columns: tuple[str, ...]
    origin: Origin = "declared"


@dataclass(frozen=True, kw_only=True)
class PartitionKey:
    """What is known of the values of one partition key."""

    name: str
    projection: Projection = ""
    values: tuple[str, ...] = ()
    """All values, where they are few or the projection lists them."""
    range: tuple[str, str] | None = None
    """First and last legal value of a projection, in its own spelling: ``NOW-1YEARS``."""
    format: str = ""
    """How a projected date is written, in Java's letters: ``yyyy-MM-dd``."""
    latest: str = ""
    """The newest value that there is."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table or view."""

    name: str
    columns: tuple[Column, ...]
    schema: str = ""
    """Empty where the engine has one schema only, or it is the engine's default."""
    description: str = ""
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    """Other sets of columns that are unique."""
    keys: tuple[Key, ...] = ()
    rows: int | None = None
    sample: tuple[tuple[Cell, ...], ...] = ()
    """A few whole rows in column order; private columns hold None."""
    partitions: tuple[str, ...] = ()
    """Partition key columns, in order."""
    partition_keys: tuple[PartitionKey, ...] = ()
    """What is known of their values, in the same order."""
    version: str = ""
    """Changes whenever the catalog's entry does, where the catalog can tell."""

    def partition_key(self, name: str) -> PartitionKey | None:
        """Return what is known of a partition key, in any case, or None if it is none."""
        return next((k for k in self.partition_keys if k.name.lower() == name.lower()), None)

    @property
    def qualified_name(self) -> str:
        """``schema.name``, or the name alone in the default schema."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def column(self, name: str) -> Column | None:
        """Return the column of that name, in any case, or None."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    def is_unique(self, columns: Iterable[str]) -> bool:
        """Tell whether these columns determine a row, from declared keys."""
        given = {c.lower() for c in columns}
        sets = (self.primary_key, *self.unique)
        return any(s and {c.lower() for c in s} <= given for s in sets)


@dataclass(frozen=True, kw_only=True)
class Scope:
    """An allow-list: which tables, and which of their columns, a caller may use.

    Names match in any case. A table is named as in the catalog, qualified or not.
    """

    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Table name → allowed columns; an empty tuple allows every column."""

    @classmethod
    def of(cls, *tables: str) -> "Scope":
        """Allow whole tables."""
        return cls(tables=dict.fromkeys(tables, ()))

    def columns(self, table: Table) -> tuple[str, ...] | None:
        """Return the allowed column names of a table in its order, or None if it is not allowed."""
        wanted = {table.name.lower(), table.qualified_name.lower()}
        for name, columns in self.tables.items():
            if name.lower() in wanted:
                allowed = {c.lower() for c in columns}
                return tuple(
                    c.name for c in table.columns if not allowed or c.name.lower() in allowed
                )
        return None


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """What a warehouse holds. Tables keep the engine's order, which prompts rely on."""

    tables: tuple[Table, ...] = ()
    default_schema: str = ""
    """Where a bare name is looked for first, if schemas have tables of the same name.

    It also names the schema of tables that carry none.
    """

    def table(self, name: str) -> Table | None:
        """Return the table of that name, in any case; None if absent or ambiguous."""
        low, home = name.lower(), f"{self.default_schema.lower()}."
        exact = [t for t in self.tables if t.qualified_name.lower() == low]
        if not exact and self.default_schema and low.startswith(home):
            low = low.removeprefix(home)
            exact = [t for t in self.tables if not t.schema and t.name.lower() == low]
            return exact[0] if len(exact) == 1 else None
        bare = exact or [t for t in self.tables if t.name.lower() == low]
        if len(bare) > 1 and self.default_schema:
            bare = [t for t in bare if t.schema.lower() == self.default_schema.lower()]
        return bare[0] if len(bare) == 1 else None

    def within(self, scope: Scope | None) -> "Catalog":
        """Return what the scope allows: other tables, columns and keys are absent."""
        if scope is None:
            return self
        kept = [(t, scope.columns(t)) for t in self.tables]
        allowed = {t.qualified_name: set(cols) for t, cols in kept if cols is not None}
        tables = tuple(_narrow(t, allowed) for t, cols in kept if cols is not None)
        return replace(self, tables=tables)


def _narrow(table: Table, allowed: Mapping[str, set[str]]) -> Table:
    """Drop the columns, keys and sample cells that are not allowed."""
    mine = allowed[table.qualified_name]
    places = [i for i, c in enumerate(table.columns) if c.name in mine]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in places),
        sample=tuple(tuple(row[i] for i in places) for row in table.sample),
        primary_key=table.primary_key if set(table.primary_key) <= mine else (),
        unique=tuple(u for u in table.unique if set(u) <= mine),
        partitions=tuple(p for p in table.partitions if p in mine),
        partition_keys=tuple(k for k in table.partition_keys if k.name in mine),
        keys=tuple(
            k
            for k in table.keys
            if set(k.columns) <= mine and set(k.target_columns) <= allowed.get(k.table, set())
        ),
    )
