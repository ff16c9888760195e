"""A value look-up that shows only what the caller may see."""

from querymend.tools.catalog.model import Catalog
from querymend.tools.index.model import ValueLookup


class ScopedValues:
    """Narrows a look-up to a catalog that a scope has narrowed."""

    def __init__(self, lookup: ValueLookup, catalog: Catalog) -> None:
        self._lookup = lookup
        self._catalog = catalog

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        """Return (table, column, exact value) wherever a visible column holds it, in any case."""
        return [h for h in self._lookup.holding(value) if self._sees(h[0], h[1])]

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        """Return a visible column's values most like this one; none for others."""
        if not self._sees(table, column):
            return []
        return self._lookup.nearest(table, column, value, limit)

    def has(self, table: str, column: str, value: str) -> bool | None:
        """Tell whether a visible column holds exactly this value; None for others."""
        return self._lookup.has(table, column, value) if self._sees(table, column) else None

    def _sees(self, table: str, column: str) -> bool:
        found = self._catalog.table(table)
        return found is not None and found.column(column) is not None
