"""New sources out of queries: what a grouped query, a DISTINCT, a UNION or a list is unique on."""

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.grain.items import Items
from querymend.tools.grain.keys import literal_keys
from querymend.tools.grain.space import Atom, Item, Known, Relation, minimal_keys
from querymend.tools.sql.outputs import alias_columns

Keys = tuple[frozenset[str], ...]


def names_of(relation: Relation) -> dict[Item, str]:
    """Return the column that shows each item; of several the first."""
    return {i: n for n, i in reversed(relation.outputs.items()) if i is not None}


class Made:
    """Makes sources, and counts them."""

    def __init__(self, items: Items) -> None:
        self.count = 0
        self._items = items

    def source(
        self,
        node: exp.Expr,
        inner: Relation,
        *,
        keys: Keys = (),
        known: bool = True,
        table: Table | None = None,
        arms: tuple[Relation, ...] = (),
    ) -> Relation:
        """Make a source of its own out of what a query yields."""
        self.count += 1
        name = node.alias_or_name if not isinstance(node, exp.Query) or table else ""
        atom = Atom(
            id=self.count, name=name, node=node, table=table, keys=keys, known=known, arms=arms
        )
        return Relation(
            atoms=[atom],
            rules=atom.key_rules(),
            outputs={n: (atom.id, n) for n in inner.outputs},
            open=inner.open,
        )

    def unknown(self, node: exp.Expr) -> Relation:
        """Make a source of which nothing is known."""
        return self.source(node, Relation(open=True), known=False)

    def values(self, node: exp.Values) -> Relation:
        """Make a source of a list of literals."""
        names = alias_columns(node.args.get("alias"))
        inner = Relation(outputs=dict.fromkeys((n.lower() for n in names), None))
        return self.source(node, inner, keys=literal_keys(node, names))

    def function(self, node: exp.Expr) -> Relation:
        """Make a source of UNNEST or a table function; a series holds no value twice."""
        names = [n.lower() for n in alias_columns(node.args.get("alias"))]
        call = node.this if isinstance(node, exp.Table) else next(iter(node.expressions), None)
        series = isinstance(call, exp.GenerateSeries | exp.GenerateDateArray)
        keys = (frozenset(names[:1]),) if series and names else ()
        inner = Relation(outputs=dict.fromkeys(names, None), open=not names)
        return self.source(node, inner, keys=keys)

    def grouped(
        self,
        node: exp.Select,
        relation: Relation,
        groups: Sequence[Item] | None,
        numbered: Iterable[frozenset[str]],
    ) -> Relation:
        """Make a source of a grouped query: unique on its groups, None where they overlap."""
        if groups is None:
            return self.source(node, relation)
        keys = minimal_keys(groups, [*relation.rules, *self._items.rules])
        return self.source(node, relation, keys=(*_by_name(keys, relation), *numbered))

    def distinct(self, node: exp.Select, relation: Relation) -> Relation:
        """Make a source of a query without duplicates: unique on all columns, or on those of ON."""
        distinct = node.args["distinct"]
        on = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
        if on is None:
            return self.source(node, relation, keys=self._all_columns(relation))
        names = [e.name.lower() for e in on.expressions] if isinstance(on, exp.Tuple) else []
        return self.source(node, relation, keys=(frozenset(names),) if names else ())

    def set_operation(self, node: exp.SetOperation, arms: Sequence[Relation]) -> Relation:
        """Make a source of UNION, INTERSECT or EXCEPT."""
        first = arms[0]
        keys: list[frozenset[str]] = []
        if node.args.get("distinct"):
            keys.append(frozenset(first.outputs))
        if isinstance(node, exp.Union):
            keys += self._labelled(arms)
        else:
            keys += self._row_keys(first)
        known = () if any(a.open for a in arms) else tuple(keys)
        return self.source(node, first, keys=known, arms=tuple(arms))

    def _labelled(self, arms: Sequence[Relation]) -> Iterator[frozenset[str]]:
        """Yield the key of a UNION ALL whose arms carry different constants in one column."""
        columns = [list(a.outputs) for a in arms]
        keys = [next(iter(self._row_keys(a)), None) for a in arms]
        if any(k is None for k in keys) or len({len(c) for c in columns}) != 1:
            return
        pairs = zip(columns, keys, strict=True)
        places = {names.index(c) for names, key in pairs for c in key or ()}
        for place, name in enumerate(columns[0]):
            labels = [a.labels.get(c[place]) for a, c in zip(arms, columns, strict=True)]
            if None not in labels and len(set(labels)) == len(labels):
                yield frozenset((name, *(columns[0][p] for p in places)))

    def _row_keys(self, relation: Relation) -> Keys:
        """Return sets of a query's columns that determine its row."""
        known = Known(_shown(relation), [*relation.rules, *self._items.rules])
        if not all(a.row in known for a in relation.atoms):
            return ()
        return self._all_columns(relation)

    def _all_columns(self, relation: Relation) -> Keys:
        """Return sets of a query's columns that determine all of them."""
        if relation.open:
            return ()
        keys = minimal_keys(_shown(relation), [*relation.rules, *self._items.rules])
        return tuple(_by_name(keys, relation))


def _shown(relation: Relation) -> list[Item]:
    return [i for i in dict.fromkeys(relation.outputs.values()) if i is not None]


def _by_name(keys: Sequence[frozenset[Item]], relation: Relation) -> Iterator[frozenset[str]]:
    names = names_of(relation)
    for key in keys:
        if all(i in names for i in key):
            yield frozenset(names[i] for i in key)
