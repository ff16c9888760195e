"""Reads the keys that a SQLite database declares."""

import sqlite3
from collections.abc import Sequence
from itertools import groupby

from querymend.tools.catalog.model import Key, Table

_PRIMARY = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
_UNIQUE = """
SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial AND origin <> 'pk' ORDER BY seq
"""
_INDEXED = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_FOREIGN = """
SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq
"""


def declared_keys(source: sqlite3.Connection, names: Sequence[str]) -> tuple[Table, ...]:
    """Return the tables with their keys and without columns; names as the tables spell them.

    A foreign key that names no existing table or column is left out.
    """
    columns = {n: _all_columns(source, n) for n in names}
    return tuple(
        Table(
            name=name,
            columns=(),
            primary_key=_first(source, _PRIMARY, name),
            unique=_unique(source, name),
            keys=_foreign(source, name, columns),
        )
        for name in names
    )


def _first(source: sqlite3.Connection, query: str, name: str) -> tuple[str, ...]:
    return tuple(row[0] for row in source.execute(query, [name]))


def _all_columns(source: sqlite3.Connection, name: str) -> tuple[str, ...]:
    return _first(source, "SELECT name FROM pragma_table_info(?)", name)


def _unique(source: sqlite3.Connection, name: str) -> tuple[tuple[str, ...], ...]:
    found = (_first(source, _INDEXED, index) for index in _first(source, _UNIQUE, name))
    return tuple(columns for columns in found if all(columns))


def _foreign(
    source: sqlite3.Connection, name: str, columns: dict[str, tuple[str, ...]]
) -> tuple[Key, ...]:
    rows = source.execute(_FOREIGN, [name]).fetchall()
    keys = (_key(source, name, list(group), columns) for _, group in groupby(rows, lambda r: r[0]))
    return tuple(k for k in keys if k)


def _key(
    source: sqlite3.Connection,
    name: str,
    rows: list[tuple[int, str, str, str | None]],
    columns: dict[str, tuple[str, ...]],
) -> Key | None:
    target = _spelt(rows[0][1], tuple(columns))
    if not target:
        return None
    # Without named columns the reference is to the primary key.
    there = tuple(r[3] or "" for r in rows) if rows[0][3] else _first(source, _PRIMARY, target)
    here = tuple(_spelt(r[2], columns[name]) for r in rows)
    there = tuple(_spelt(c, columns[target]) for c in there)
    if len(here) != len(there) or not all((*here, *there)):
        return None
    return Key(columns=here, table=target, target_columns=there)


def _spelt(name: str, known: tuple[str, ...]) -> str:
    """Return the name as it was created: references may write it in another case."""
    return next((k for k in known if k.lower() == name.lower()), "")
