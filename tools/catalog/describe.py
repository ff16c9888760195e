"""Merges what a pack says about tables and columns into a catalog."""

from collections.abc import Iterable
from dataclasses import replace

from querymend.tools.catalog.model import Catalog, Column, Key, PartitionKey, Table


def describe(catalog: Catalog, notes: Catalog) -> tuple[Catalog, tuple[str, ...]]:
    """Return the catalog with the notes' descriptions, keys, units and private flags, by name.

    Names match in any case and keep the catalog's spelling; what the notes leave empty stays as
    it was. A column that either side calls private is private, and loses profile and samples.

    Returns:
        The catalog, and a line for each table, column or key of the notes that it does not hold.
    """
    warnings: list[str] = []
    found: dict[str, Table] = {}
    for note in notes.tables:
        table = catalog.table(note.qualified_name)
        if table is None:
            warnings.append(f"The catalog has no table {note.qualified_name!r}.")
        else:
            found[table.qualified_name] = _merge(table, note, catalog, warnings)
    tables = tuple(found.get(t.qualified_name, t) for t in catalog.tables)
    return replace(catalog, tables=tuple(hide_private(t) for t in tables)), tuple(warnings)


def hide_private(table: Table) -> Table:
    """Take every trace of private columns' values out of a table: profile, samples, enums, keys."""
    if not any(c.private for c in table.columns):
        return table
    return replace(
        table,
        columns=tuple(_hidden(c) if c.private else c for c in table.columns),
        sample=tuple(
            tuple(None if c.private else cell for c, cell in zip(table.columns, row, strict=True))
            for row in table.sample
        ),
        partition_keys=tuple(
            PartitionKey(name=k.name, projection=k.projection) if _is_private(table, k) else k
            for k in table.partition_keys
        ),
    )


def _is_private(table: Table, key: PartitionKey) -> bool:
    column = table.column(key.name)
    return column is not None and column.private


def _hidden(column: Column) -> Column:
    is_enum = column.type.upper().startswith("ENUM")
    return replace(column, profile=None, type="VARCHAR" if is_enum else column.type)


def _merge(table: Table, note: Table, catalog: Catalog, warnings: list[str]) -> Table:
    name = table.qualified_name
    columns = {c.name: c for c in table.columns}
    for said in note.columns:
        column = table.column(said.name)
        if column is None:
            warnings.append(f"Table {name!r} has no column {said.name!r}.")
        else:
            columns[column.name] = _described(column, said)
    return replace(
        table,
        columns=tuple(columns.values()),
        description=note.description or table.description,
        primary_key=_known(table, note.primary_key, warnings) or table.primary_key,
        unique=_added(table.unique, (_known(table, u, warnings) for u in note.unique)),
        partitions=_known(table, note.partitions, warnings) or table.partitions,
        keys=_with_keys(table, note.keys, catalog, warnings),
    )


def _described(column: Column, said: Column) -> Column:
    return replace(
        column,
        description=said.description or column.description,
        unit=said.unit or column.unit,
        grain=said.grain or column.grain,
        time_window=said.time_window or column.time_window,
        leaks=said.leaks or column.leaks,
        private=said.private or column.private,
    )


def _known(table: Table, names: Iterable[str], warnings: list[str]) -> tuple[str, ...]:
    """Return the names as the table spells them, or nothing if one is unknown."""
    names = tuple(names)
    columns = [table.column(n) for n in names]
    unknown = [n for n, c in zip(names, columns, strict=True) if c is None]
    warnings += [f"Table {table.qualified_name!r} has no key column {n!r}." for n in unknown]
    return () if unknown else tuple(c.name for c in columns if c)


def _added(
    there: tuple[tuple[str, ...], ...], more: Iterable[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys((*there, *(m for m in more if m))))


def _with_keys(
    table: Table, said: Iterable[Key], catalog: Catalog, warnings: list[str]
) -> tuple[Key, ...]:
    """Add the notes' keys; one that is already there keeps its first, surer origin."""
    keys = {(k.columns, k.table, k.target_columns): k for k in table.keys}
    for key in said:
        spelt = _spelt(table, key, catalog, warnings)
        if spelt:
            keys.setdefault((spelt.columns, spelt.table, spelt.target_columns), spelt)
    return tuple(keys.values())


def _spelt(table: Table, key: Key, catalog: Catalog, warnings: list[str]) -> Key | None:
    target = catalog.table(key.table)
    if target is None:
        warnings.append(f"A key of {table.qualified_name!r} names no table: {key.table!r}.")
        return None
    here = _known(table, key.columns, warnings)
    there = _known(target, key.target_columns or target.primary_key, warnings)
    if len(here) != len(there) or not here:
        return None
    origin = "pack" if key.origin == "declared" else key.origin
    return Key(columns=here, table=target.qualified_name, target_columns=there, origin=origin)
