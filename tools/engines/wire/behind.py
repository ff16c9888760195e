"""What queries run on: engines by database, their catalog, and what Glue knows besides."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Engine
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.pool import Open, Pool

MOST_AT_ONCE = 8


@dataclass(frozen=True, kw_only=True)
class Place:
    """Engines on the same data that look for bare names in the same database."""

    pool: Pool
    catalog: Catalog
    home: str
    """That database, in lower case; empty where bare names are found nowhere."""


class Places:
    """The place of every database: its own where the source can open one, else one for all.

    Args:
        first: an engine that is open already.
        database: the database of tables that have no schema.
        opener: opens more engines like the first; None if it is the only one.
        by_database: opens the engine whose bare names belong to a database.
    """

    def __init__(
        self,
        first: Engine,
        *,
        database: str,
        opener: Open | None = None,
        by_database: Callable[[str], Engine] | None = None,
    ) -> None:
        self._by_database = by_database
        self._database = database.lower()
        self._shared = self._place(first, opener)
        self._places: dict[str, Place] = {self._shared.home: self._shared}
        self._lock = threading.Lock()

    @property
    def shared(self) -> Place:
        """The place of the engine that was there first."""
        return self._shared

    def of(self, database: str) -> Place:
        """Return where a query of this database runs."""
        name = database.lower()
        schemas = {t.schema.lower() for t in self._shared.catalog.tables}
        with self._lock:
            if self._by_database is not None and name in schemas and name not in self._places:
                opener = _opener(self._by_database, name)
                self._places[name] = self._place(opener(), opener)
            return self._places.get(name, self._shared)

    def wake(self) -> None:
        """Let queries that wait for an engine see that they were stopped."""
        for place in list(self._places.values()):
            place.pool.wake()

    def close(self) -> None:
        """Close every engine."""
        for place in self._places.values():
            place.pool.close()

    def _place(self, engine: Engine, opener: Open | None) -> Place:
        catalog = engine.catalog()
        own = self._database if any(not t.schema for t in catalog.tables) else ""
        return Place(
            pool=Pool(engine, opener=opener, most=MOST_AT_ONCE),
            catalog=catalog,
            home=own or catalog.default_schema.lower(),
        )


def _opener(by_database: Callable[[str], Engine], name: str) -> Open:
    return lambda: by_database(name)


@dataclass(frozen=True, kw_only=True)
class Behind:
    """What queries run on, and what is known of it."""

    places: Places
    known: Mapping[str, GlueTable]
    """What Glue knows, by qualified table name."""
    dialect: str

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Partition keys by qualified table name."""
        return {name: table.partitions for name, table in self.known.items()}

    @property
    def injected(self) -> dict[str, tuple[str, ...]]:
        """Keys whose values every query must give, by qualified table name."""
        return {name: table.injected for name, table in self.known.items()}
