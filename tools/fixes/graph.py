"""The join graph of a catalog: key paths between tables, each step with how sure it is."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from querymend.tools.catalog.model import Catalog, Key, Table

SURE = {"declared": 0.98, "pack": 0.98, "inferred": 0.9}
SHARED = 0.6
"""Two tables with a column of the same name, and no key between them."""
TOO_COMMON = frozenset({"id", "name", "code", "type", "date", "title", "description", "year"})


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One way from a table to another: columns there equal columns here."""

    table: str
    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]
    sure: float
    to_one: bool
    """Each row here meets at most one row there."""

    def turned(self) -> "Edge":
        """Return the same way walked backwards."""
        return Edge(
            table=self.target,
            columns=self.target_columns,
            target=self.table,
            target_columns=self.columns,
            sure=self.sure,
            to_one=False,
        )


Path = tuple[Edge, ...]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """All ways between the tables of one catalog, by qualified lower-case name."""

    catalog: Catalog

    @cached_property
    def edges(self) -> dict[str, list[Edge]]:
        """Edges by the table that they start from."""
        found: dict[str, list[Edge]] = defaultdict(list)
        for edge in [*self._keys(), *self._shared()]:
            found[edge.table].append(edge)
            found[edge.target].append(edge.turned())
        return found

    def between(self, a: str, b: str) -> list[Edge]:
        """Return the edges that lead straight from one table to another."""
        return [e for e in self.edges.get(a, ()) if e.target == b]

    def paths(self, starts: Collection[str], goal: str, *, longest: int = 3) -> list[Path]:
        """Return the shortest paths from any start to the goal; parallel keys make several."""
        reached: list[Path] = [()]
        for _ in range(longest):
            reached = [p for p in self._longer(reached, starts) if len(reached) < 2_000]
            found = [p for p in reached if p[-1].target == goal]
            if found:
                return sorted(found, key=certainty, reverse=True)[:6]
        return []

    def _longer(self, paths: Sequence[Path], starts: Collection[str]) -> Iterator[Path]:
        for path in paths:
            seen = {*starts, *(e.target for e in path)}
            for here in [path[-1].target] if path else sorted(starts):
                for edge in self.edges.get(here, ()):
                    if edge.target not in seen:
                        yield (*path, edge)

    def _keys(self) -> Iterator[Edge]:
        for table in self.catalog.tables:
            for key in table.keys:
                target = self.catalog.table(key.table)
                if target is not None:
                    yield _edge(table, key, target)

    def _shared(self) -> Iterator[Edge]:
        """Two tables that hold a column of one name, where no key joins them."""
        joined = {frozenset((e.table, e.target)) for e in self._keys()}
        tables = self.catalog.tables
        for i, a in enumerate(tables):
            for b in tables[i + 1 :]:
                if frozenset((low(a), low(b))) not in joined:
                    yield from _same_names(a, b)


def low(table: Table) -> str:
    """Return the name by which the graph knows a table."""
    return table.qualified_name.lower()


def certainty(path: Path) -> float:
    """Return how likely a path is the one meant: shorter ones and declared keys are surer."""
    sure = 0.9 ** max(len(path) - 1, 0)
    for edge in path:
        sure *= edge.sure
    return sure


def _edge(table: Table, key: Key, target: Table) -> Edge:
    return Edge(
        table=low(table),
        columns=key.columns,
        target=low(target),
        target_columns=key.target_columns,
        sure=SURE[key.origin],
        to_one=True,
    )


def _same_names(a: Table, b: Table) -> Iterator[Edge]:
    for column in a.columns:
        other = b.column(column.name)
        if other is None or column.name.lower() in TOO_COMMON:
            continue
        if not _joinable(column.name):
            continue
        yield Edge(
            table=low(a),
            columns=(column.name,),
            target=low(b),
            target_columns=(other.name,),
            sure=SHARED,
            to_one=b.is_unique((other.name,)),
        )


def _joinable(name: str) -> bool:
    return name.lower().endswith(("id", "code", "key", "no", "number", "num"))
