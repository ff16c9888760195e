"""The join graph: how a set of tables is connected through keys, bridge tables included."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from querymend.tools.catalog.model import Catalog, Key, Origin, Table
from querymend.tools.index.model import Join

if TYPE_CHECKING:
    import networkx

    Graph = networkx.Graph[str]

WEIGHTS: dict[Origin, float] = {"declared": 1.0, "pack": 1.0, "inferred": 2.0}


def join_path(catalog: Catalog, tables: Iterable[str]) -> tuple[Join, ...]:
    """Return the joins that connect the tables, through the fewest and surest keys.

    Tables in between are used where the given ones do not touch. Two tables that several equally
    sure keys connect (a flight's source and destination) get all of these. Tables that no key
    reaches stay apart; unknown names are ignored.
    """
    graph = _graph(catalog)
    pairs = _tree(graph, _known(catalog, tables))
    return tuple(join for pair in pairs for join in graph.edges[pair]["joins"])


def closure(catalog: Catalog, tables: Iterable[str]) -> tuple[str, ...]:
    """Return the tables and the bridges between them by qualified name, in the catalog's order."""
    known = _known(catalog, tables)
    kept = {*known, *(n for pair in _tree(_graph(catalog), known) for n in pair)}
    return tuple(t.qualified_name for t in catalog.tables if t.qualified_name in kept)


def _known(catalog: Catalog, tables: Iterable[str]) -> list[str]:
    """Return qualified names in the catalog's order, so that equal sets get equal paths."""
    found = {t.qualified_name for t in map(catalog.table, tables) if t}
    return [t.qualified_name for t in catalog.tables if t.qualified_name in found]


def _graph(catalog: Catalog) -> "Graph":
    import networkx

    graph: Graph = networkx.Graph()
    named = {t.qualified_name: t for t in catalog.tables}
    graph.add_nodes_from(named)
    for table in catalog.tables:
        for key in table.keys:
            _connect(graph, table, key, named.get(key.table) or catalog.table(key.table))
    return graph


def _connect(graph: "Graph", table: Table, key: Key, target: Table | None) -> None:
    """Keep the surest keys between two tables."""
    if target is None or target is table:
        return
    here, there = table.qualified_name, target.qualified_name
    join = Join(table=here, columns=key.columns, target=there, target_columns=key.target_columns)
    weight = WEIGHTS[key.origin]
    edge = graph.get_edge_data(here, there)
    if edge is None or weight < edge["weight"]:
        graph.add_edge(here, there, weight=weight, joins=[join])
    elif weight == edge["weight"]:
        edge["joins"].append(join)


def _tree(graph: "Graph", ends: Sequence[str]) -> list[tuple[str, str]]:
    """Connect the ends by the lightest tree that growing from one of them finds.

    The shortest-path heuristic for Steiner trees (Takahashi and Matsuyama 1980), tried from
    each end; networkx's own approximation depends on the order of sets.
    """
    import networkx

    far = {e: networkx.single_source_dijkstra_path_length(graph, e) for e in ends}
    trees = [_grown(graph, start, far) for start in ends]
    return min(trees, key=lambda t: (-_joined(t, ends), _weight(graph, t)), default=[])


def _grown(
    graph: "Graph", start: str, far: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, str]]:
    """Attach the nearest end, one after another; ends out of reach start trees of their own.

    Args:
        graph: the join graph.
        start: the end to begin with.
        far: for each end, how far every table in its reach is.
    """
    import networkx

    pairs: list[tuple[str, str]] = []
    inside, left = [start], [e for e in far if e != start]
    while left:
        steps = [(far[e][n], e, n) for e in left for n in inside if n in far[e]]
        _, end, near = min(steps, key=lambda s: s[0], default=(0.0, left[0], left[0]))
        path = networkx.dijkstra_path(graph, near, end)
        pairs += pairwise(path)
        inside += [n for n in path if n not in inside]
        left = [e for e in left if e not in inside]
    return pairs


def _joined(pairs: Sequence[tuple[str, str]], ends: Sequence[str]) -> int:
    return len({n for pair in pairs for n in pair} & set(ends))


def _weight(graph: "Graph", pairs: Sequence[tuple[str, str]]) -> float:
    return sum(float(graph.edges[pair]["weight"]) for pair in pairs)
