"""Equalities that join two sources of one SELECT, and whether the catalog knows them as keys."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Key, Table
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.sql.binding import Block, Source


@dataclass(frozen=True, kw_only=True)
class Link:
    """``a.x = b.y`` between two sources of one block."""

    node: exp.Expr
    block: Block
    left: Used
    right: Used

    @property
    def sources(self) -> tuple[Source, Source]:
        """The two sources."""
        assert self.left.ref.source is not None
        assert self.right.ref.source is not None
        return self.left.ref.source, self.right.ref.source

    def side(self, source: Source) -> Used | None:
        """Return the column of one of the two sources."""
        pairs = zip(self.sources, (self.left, self.right), strict=True)
        return next((used for own, used in pairs if own is source), None)

    def other(self, source: Source) -> Used:
        """Return the column of the source that is not this one."""
        return self.right if self.sources[0] is source else self.left


def links_of(seen: Seen) -> Iterator[Link]:
    """Yield every equality of columns of two different sources in one SELECT."""
    for node in seen.all(exp.EQ):
        left, right = seen.by_node.get(id(node.this)), seen.by_node.get(id(node.expression))
        if left is None or right is None or left.ref.source is right.ref.source:
            continue
        if left.ref.block.select is right.ref.block.select and not left.ref.depth:
            yield Link(node=node, block=left.ref.block, left=left, right=right)


def is_key(one: Used, other: Used, catalog: Catalog) -> bool:
    """Tell whether two columns are a known key, in either direction, or refer to the same place."""
    here, there = targets(one, catalog), targets(other, catalog)
    return _place(other) in here or _place(one) in there or bool(here & there)


def targets(used: Used, catalog: Catalog) -> frozenset[tuple[str, str]]:
    """Return the (table, column) places that a column refers to, lower case."""
    return frozenset(
        (_named(key.table, catalog), there.lower())
        for key in used.table.keys
        for here, there in zip(key.columns, key.target_columns, strict=False)
        if here.lower() == used.column.name.lower()
    )


def keys_between(one: Table, other: Table, catalog: Catalog) -> list[tuple[str, str]]:
    """Return the pairs of columns, here and there, of the single-column keys between two tables."""
    found = [(k.columns[0], k.target_columns[0]) for k in _keys(one, other, catalog)]
    return found + [(k.target_columns[0], k.columns[0]) for k in _keys(other, one, catalog)]


def _keys(one: Table, other: Table, catalog: Catalog) -> Iterator[Key]:
    name = other.qualified_name.lower()
    for key in one.keys:
        if _named(key.table, catalog) == name and len(key.columns) == 1:
            yield key


def _named(table: str, catalog: Catalog) -> str:
    found = catalog.table(table)
    return (found.qualified_name if found else table).lower()


def _place(used: Used) -> tuple[str, str]:
    return used.table.qualified_name.lower(), used.column.name.lower()


def is_unique(table: Table, column: str) -> bool:
    """Tell whether a column tells a table's rows apart: by its keys, or by its profile."""
    if table.is_unique([column]):
        return True
    found = table.column(column)
    profile = found.profile if found else None
    full = profile is not None and profile.distinct is not None and not profile.null_share
    return bool(full and table.rows and profile and profile.distinct == table.rows)
