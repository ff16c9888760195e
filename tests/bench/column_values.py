"""What the text columns of a SQLite database hold, for checks and fixes that look values up."""

import sqlite3
from collections import defaultdict

from rapidfuzz import fuzz, process

from querymend.tools.catalog.model import Catalog


class Values:
    """What text columns hold, read whole."""

    def __init__(self, database: sqlite3.Connection, catalog: Catalog) -> None:
        self.columns: dict[tuple[str, str], list[str]] = {}
        self.places: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for table in catalog.tables:
            for column in table.columns:
                self._read(database, table.name, column.name)

    def _read(self, database: sqlite3.Connection, table: str, column: str) -> None:
        found = database.execute(f'SELECT DISTINCT "{column}" FROM "{table}" LIMIT 50000')
        texts = [v for (v,) in found if isinstance(v, str)]
        if texts:
            self.columns[table.lower(), column.lower()] = texts
            for text in texts:
                self.places[text.strip().lower()].append((table, column, text))

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        """Return where the value stands, in any case."""
        return self.places.get(value.strip().lower(), [])

    def has(self, table: str, column: str, value: str) -> bool | None:
        """Tell whether the column holds exactly this value."""
        texts = self.columns.get((table.lower(), column.lower()))
        return None if texts is None else value in texts

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        """Return the most like values of a column."""
        texts = self.columns.get((table.lower(), column.lower()), [])
        found = process.extract(value, texts, scorer=fuzz.ratio, processor=str.lower, limit=limit)
        return [(text, score / 100) for text, score, _ in found]
