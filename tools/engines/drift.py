"""Catalogs that change under a running process."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from querymend.tools.catalog.model import Catalog, Table


@runtime_checkable
class Drifts(Protocol):
    """An engine whose catalog others may change, and that can tell cheaply whether they did."""

    def reread(self) -> Catalog | None:
        """Read the catalog anew if its versions differ from what was read; None if they do not."""
        ...


def changes(old: Catalog, new: Catalog) -> Iterator[tuple[str, str]]:
    """Yield each table that is new, gone or different, with a sentence about it."""
    before = {t.qualified_name: t for t in old.tables}
    after = {t.qualified_name: t for t in new.tables}
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield name, f"The table {name} is gone."
        elif name not in before:
            yield name, f"The table {name} is new."
        elif told := "; ".join(_differences(before[name], after[name])):
            yield name, f"The table {name} has changed: {told}."


def _differences(old: Table, new: Table) -> Iterator[str]:
    before = {c.name: c.type for c in old.columns}
    after = {c.name: c.type for c in new.columns}
    if added := [c for c in after if c not in before]:
        yield f"new columns {', '.join(added)}"
    if gone := [c for c in before if c not in after]:
        yield f"columns gone {', '.join(gone)}"
    if other := [c for c in before if c in after and before[c] != after[c]]:
        yield "other types " + ", ".join(f"{c} {after[c]}" for c in other)
    if old.partitions != new.partitions:
        yield f"partition keys {', '.join(new.partitions) or 'none'}"
    if old.description != new.description:
        yield "another description"
