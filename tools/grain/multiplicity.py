"""Which sources a join can repeat, through CTEs, derived tables, groups and set operations.

Every SELECT is read as its sources side by side and what determines what among them. A query that
does not group is looked through; one that groups, or drops duplicates, is a new source that is
unique on what it is grouped by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.grain.conditions import on_rules, rules_of
from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.keys import has_keys, literal_keys, unique_sets
from querymend.tools.grain.space import Atom, Feed, Item, Known, Relation, Rule, minimal_keys
from querymend.tools.sql.aggregates import is_aggregate, walk_level
from querymend.tools.sql.binding import Binding
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.tables import ctes_in_sight, fold, is_cte, resolve

MOST_ATOMS = 200
"""Uses of sources in one statement; a CTE used beyond them is not looked into."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """One SELECT: its sources and what holds of them before it groups."""

    select: exp.Select
    env: Env
    relation: Relation
    groups: tuple[exp.Expr, ...] = ()
    """What every group agrees on; of ROLLUP and the like nothing."""
    grouped: bool = False
    """It aggregates, with GROUP BY or without."""
    partial: bool = False
    """ROLLUP, CUBE or GROUPING SETS: some groups span others."""


@dataclass(kw_only=True)
class Reading:
    """A statement, read for its grain."""

    items: Items
    blocks: dict[int, Block] = field(default_factory=dict)
    """By the identity of the SELECT, in the order in which they run."""

    def known(self, block: Block, start: Iterator[Item], rules: Sequence[Rule] = ()) -> Known:
        """Return what the given items determine in a SELECT, its surroundings standing still."""
        still = [a.row for a in block.env.outside()]
        return Known([*start, *still], [*block.relation.rules, *self.items.rules, *rules])

    def group_items(self, block: Block) -> list[Item]:
        """Return what rows of one group have in common."""
        made = (self.items.of(g, block.env) for g in block.groups)
        return [i for i in made if i is not None]


def read(binding: Binding, catalog: Catalog) -> Reading:
    """Read every SELECT of a bound statement."""
    reader = _Reader(binding, catalog)
    tree = binding.parsed.tree
    assert tree is not None
    reader.query(tree, None)
    return reader.reading


class _Reader:
    def __init__(self, binding: Binding, catalog: Catalog) -> None:
        self.reading = Reading(items=Items(binding))
        self._items = self.reading.items
        self._catalog = catalog
        self._dialect = binding.parsed.dialect
        self._atoms = 0
        self._open: list[exp.CTE] = []

    def query(self, node: exp.Expr, outer: Env | None) -> Relation:
        """Read a query and return what it yields."""
        limited = False
        while isinstance(node, exp.Subquery):
            limited = limited or _one_row(node)
            node = node.this
        if isinstance(node, exp.SetOperation):
            relation = self._set_operation(node, outer)
        elif isinstance(node, exp.Values):
            relation = self._values(node)
        elif isinstance(node, exp.Select):
            relation = self._select(node, outer)
        else:
            return self._unknown(node, "")
        if limited or _one_row(node):
            return self._single("", node, relation, (frozenset(),))
        return relation

    # -- one SELECT

    def _select(self, node: exp.Select, outer: Env | None) -> Relation:
        relation = Relation(select=node)
        env = Env(relation=relation, feeds=relation.feeds, outer=outer)
        self._from(node, env)
        relation.rules += rules_of(node.args.get("where"), self._items, env, relation)
        block = self._block(node, env, relation)
        first = self.reading.blocks.setdefault(id(node), block) is block
        if first:
            self._subqueries(node, env)
        if block.grouped:
            return self._grouped(block)
        self._name(node, env, relation)
        qualify = node.args.get("qualify")
        relation.rules += rules_of(qualify, self._items, env, relation)
        return self._distinct(node, relation) if node.args.get("distinct") else relation

    def _block(self, node: exp.Select, env: Env, relation: Relation) -> Block:
        group = node.args.get("group")
        clauses = [*node.expressions, node.args.get("having"), node.args.get("order")]
        aggregates = any(is_aggregate(n, self._dialect) for n in walk_level(clauses))
        groups = tuple(_group_expressions(node, self._dialect))
        plain = tuple(g for g in groups if not isinstance(g, _PARTIAL))
        return Block(
            select=node,
            env=env,
            relation=relation,
            groups=plain,
            grouped=aggregates or group is not None,
            partial=len(plain) < len(groups) or _has_partial(group),
        )

    def _subqueries(self, node: exp.Select, env: Env) -> None:
        """Read the queries within a SELECT's expressions, for what they aggregate themselves."""
        clauses: list[object] = list(node.expressions)
        clauses += [node.args.get(k) for k in ("where", "group", "having", "qualify", "order")]
        clauses += [j.args.get("on") for j in node.args.get("joins") or []]
        for query in _queries(clauses):
            self.query(query, env)

    def _name(self, node: exp.Select, env: Env, relation: Relation) -> None:
        """Name the columns that a SELECT yields."""
        for place, projection in enumerate(node.expressions):
            if isinstance(projection, exp.Star) or isinstance(projection.this, exp.Star):
                self._star(projection, env, relation)
                continue
            name = projection.alias_or_name.lower() or f"?{place}"
            item = self._items.of(projection, env)
            relation.outputs.setdefault(name, item)
            if item is None:
                relation.labels.setdefault(name, projection.unalias().sql())

    def _star(self, star: exp.Expr, env: Env, relation: Relation) -> None:
        wanted = star.args["table"].name.lower() if star.args.get("table") else ""
        for feed in env.feeds.values():
            if wanted and (feed.node.alias_or_name or "").lower() != wanted:
                continue
            relation.open = relation.open or feed.relation.open
            for name, item in feed.relation.outputs.items():
                relation.outputs.setdefault(name, item)

    # -- new sources

    def _grouped(self, block: Block) -> Relation:
        relation = block.relation
        self._name(block.select, block.env, relation)
        groups = self.reading.group_items(block)
        keys = minimal_keys(groups, [*relation.rules, *self._items.rules])
        named = self._keys_by_name(keys, relation)
        numbered = self._row_numbers(block, relation)
        known = () if block.partial else (*named, *numbered)
        return self._single("", block.select, relation, known)

    def _row_numbers(self, block: Block, relation: Relation) -> Iterator[frozenset[str]]:
        """Yield the keys that a row number over a grouped query makes."""
        names = {i: n for n, i in reversed(relation.outputs.items()) if i is not None}
        for projection in block.select.expressions:
            window = projection.unalias()
            if not isinstance(window, exp.Window) or not isinstance(window.this, exp.RowNumber):
                continue
            parts = [self._items.of(p, block.env) for p in window.args.get("partition_by") or []]
            if all(p is None or p in names for p in parts):
                key = [names[p] for p in parts if p is not None]
                yield frozenset([*key, projection.alias_or_name.lower()])

    def _distinct(self, node: exp.Select, relation: Relation) -> Relation:
        distinct = node.args["distinct"]
        on = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
        names = [e.name.lower() for e in on.expressions] if isinstance(on, exp.Tuple) else []
        if on is not None:
            return self._single("", node, relation, (frozenset(names),) if names else ())
        return self._single("", node, relation, self._all_columns(relation))

    def _all_columns(self, relation: Relation) -> tuple[frozenset[str], ...]:
        items = [i for i in dict.fromkeys(relation.outputs.values()) if i is not None]
        if relation.open:
            return ()
        keys = minimal_keys(items, [*relation.rules, *self._items.rules])
        return tuple(self._keys_by_name(keys, relation))

    def _keys_by_name(
        self, keys: Sequence[frozenset[Item]], relation: Relation
    ) -> Iterator[frozenset[str]]:
        names = {i: n for n, i in reversed(relation.outputs.items()) if i is not None}
        for key in keys:
            if all(i in names for i in key):
                yield frozenset(names[i] for i in key)

    def _row_keys(self, relation: Relation) -> list[frozenset[str]]:
        """Return sets of a query's columns that determine its row."""
        items = [i for i in dict.fromkeys(relation.outputs.values()) if i is not None]
        rules = [*relation.rules, *self._items.rules]
        known = Known(items, rules)
        if relation.open or not all(a.row in known for a in relation.atoms):
            return []
        return list(self._all_columns(relation))

    def _set_operation(self, node: exp.SetOperation, outer: Env | None) -> Relation:
        arms = [self.query(a, outer) for a in _arms(node)]
        first = arms[0]
        keys: list[frozenset[str]] = []
        if node.args.get("distinct"):
            keys.append(frozenset(first.outputs))
        if isinstance(node, exp.Union):
            keys += self._labelled(arms)
        else:
            keys += self._row_keys(first)
        keys = [] if any(a.open for a in arms) else keys
        return self._single("", node, first, tuple(keys), arms=tuple(arms))

    def _labelled(self, arms: Sequence[Relation]) -> Iterator[frozenset[str]]:
        """Yield the key of a UNION ALL whose arms carry different constants in one column."""
        names = list(arms[0].outputs)
        keys = [next(iter(self._row_keys(a)), None) for a in arms]
        if any(k is None or len(a.outputs) != len(names) for k, a in zip(keys, arms, strict=True)):
            return
        places = {
            list(a.outputs).index(c) for a, k in zip(arms, keys, strict=True) for c in k or ()
        }
        for place, name in enumerate(names):
            labels = [a.labels.get(list(a.outputs)[place]) for a in arms]
            if None not in labels and len(set(labels)) == len(labels):
                yield frozenset((name, *(names[p] for p in places)))

    def _values(self, node: exp.Values) -> Relation:
        names = alias_columns(node.args.get("alias"))
        relation = Relation(outputs=dict.fromkeys((n.lower() for n in names), None))
        return self._single(node.alias, node, relation, literal_keys(node, names))

    def _single(
        self,
        name: str,
        node: exp.Expr,
        inner: Relation,
        keys: tuple[frozenset[str], ...],
        *,
        known: bool = True,
        table: Table | None = None,
        arms: tuple[Relation, ...] = (),
    ) -> Relation:
        """Make a source of its own out of what a query yields."""
        self._atoms += 1
        atom = Atom(
            id=self._atoms, name=name, node=node, table=table, keys=keys, known=known, arms=arms
        )
        return Relation(
            atoms=[atom],
            rules=atom.key_rules(),
            outputs={n: (atom.id, n) for n in inner.outputs},
            open=inner.open,
        )

    def _unknown(self, node: exp.Expr, name: str, *, known: bool = False) -> Relation:
        return self._single(name, node, Relation(open=True), (), known=known)

    # -- FROM

    def _from(self, node: exp.Select, env: Env) -> None:
        start = node.args.get("from_")
        if start is None:
            return
        self._add(start.this, env)
        for join in node.args.get("joins") or []:
            self._join(join, env)
        for lateral in node.args.get("laterals") or []:
            self._add(lateral, env)

    def _add(self, node: exp.Expr, env: Env) -> None:
        """Put one entry of FROM, with what is joined inside its brackets, into the relation."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.alias:
            self._add(node.this, env)
            return
        feed = Feed(relation=self._source(node, env), node=node)
        env.feeds[id(node)] = feed
        _merge(env.relation, feed.relation)
        for join in (node.args.get("joins") or []) if isinstance(node, exp.Table) else []:
            self._join(join, env)

    def _join(self, join: exp.Join, env: Env) -> None:
        relation = env.relation
        before = frozenset(a.id for a in relation.atoms)
        seen = list(env.feeds.values())
        if join.kind in ("SEMI", "ANTI"):
            self._add(join.this, Env(relation=Relation(), feeds=env.feeds, outer=env.outer))
            return
        self._add(join.this, env)
        new = frozenset(a.id for a in relation.atoms) - before
        nullable = {"LEFT": new, "RIGHT": before, "FULL": before | new}.get(join.side, frozenset())
        sides = (before, new) if join.side == "FULL" else (nullable,)
        relation.nullable |= {a: side for side in sides for a in side}
        relation.rules += on_rules(join, self._items, env, relation, nullable)
        self._same_names(join, seen, env)
        if join.method == "ASOF":
            rows = frozenset((a, "") for a in before)
            relation.rules += [Rule(rows, (a, "")) for a in new]

    def _same_names(self, join: exp.Join, seen: Sequence[Feed], env: Env) -> None:
        """Equate the columns that USING or NATURAL merges."""
        added = [f for f in env.feeds.values() if f not in seen]
        names = [u.name for u in join.args.get("using") or []]
        if join.method == "NATURAL":
            mine = {n for f in seen for n in f.relation.outputs}
            names = [n for f in added for n in f.relation.outputs if n in mine]
        for name in names:
            left = next((i for f in seen for ok, i in [f.find(name)] if ok and i), None)
            right = next((i for f in added for ok, i in [f.find(name)] if ok and i), None)
            if left and right:
                env.relation.joined |= {left, right}
                env.relation.rules += [
                    Rule(frozenset((left,)), right),
                    Rule(frozenset((right,)), left),
                ]

    def _source(self, node: exp.Expr, env: Env) -> Relation:
        alias = node.args.get("alias")
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            relation = self._table(node, env)
        elif isinstance(node, exp.Values):
            relation = self._values(node)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Query):
            relation = self.query(node.this, env)
        elif isinstance(node, exp.Query) and not node.args.get("pivots"):
            relation = self.query(node, env)
        else:
            return self._function(node)
        return _renamed(relation, alias_columns(alias))

    def _table(self, node: exp.Table, env: Env) -> Relation:
        if any(node.args.get(k) for k in ("pivots", "changes", "rows_from")):
            return self._unknown(node, node.alias_or_name)
        if is_cte(node, self._dialect):
            return self._cte(node, env)
        table = resolve(node, self._catalog, self._dialect)
        if table is None:
            return self._unknown(node, node.alias_or_name)
        names = Relation(outputs=dict.fromkeys((c.name.lower() for c in table.columns), None))
        keys = unique_sets(table, self._catalog)
        return self._single(
            node.alias_or_name, node, names, keys, known=has_keys(table), table=table
        )

    def _cte(self, node: exp.Table, env: Env) -> Relation:
        wanted = fold(node.this, self._dialect)
        alike = (
            c for c in ctes_in_sight(node) if fold(c.args["alias"].this, self._dialect) == wanted
        )
        cte = next(alike)
        if any(c is cte for c in self._open) or self._atoms > MOST_ATOMS:
            return self._unknown(node, node.alias_or_name)
        self._open.append(cte)
        relation = self.query(cte.this, env.outer)
        self._open.pop()
        return _renamed(relation, alias_columns(cte.args["alias"]))

    def _function(self, node: exp.Expr) -> Relation:
        """Read UNNEST and table functions; a series holds no value twice."""
        names = [n.lower() for n in alias_columns(node.args.get("alias"))]
        made = node.this if isinstance(node, exp.Table) else next(iter(node.expressions), None)
        series = isinstance(made, exp.GenerateSeries | exp.GenerateDateArray)
        keys = (frozenset(names[:1]),) if series and names else ()
        inner = Relation(outputs=dict.fromkeys(names, None), open=not names)
        return self._single(node.alias_or_name, node, inner, keys)


_PARTIAL = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _has_partial(group: exp.Expr | None) -> bool:
    return group is not None and any(
        group.args.get(k) for k in ("rollup", "cube", "grouping_sets", "totals")
    )


def _group_expressions(select: exp.Select, dialect: str) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, places in the select list looked up."""
    group = select.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        for projection in select.expressions:
            if not any(is_aggregate(n, dialect) for n in walk_level(projection)):
                yield projection.unalias()
    for node in group.expressions:
        if isinstance(node, exp.Literal) and node.is_int:
            place = int(node.name) - 1
            if 0 <= place < len(select.expressions):
                yield select.expressions[place].unalias()
        else:
            yield node


def _one_row(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
    return isinstance(count, exp.Literal) and count.name == "1"


def _queries(nodes: Sequence[object]) -> Iterator[exp.Expr]:
    """Yield the outermost queries within expressions."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Query) and not isinstance(node, exp.Table):
            yield node
        elif isinstance(node, exp.Expr):
            stack.extend(node.iter_expressions())


def _arms(node: exp.Expr) -> list[exp.Expr]:
    arms: list[exp.Expr] = []
    while isinstance(node, exp.SetOperation):
        arms.append(node.expression)
        node = node.this
    return [node, *reversed(arms)]


def _merge(whole: Relation, part: Relation) -> None:
    whole.atoms += part.atoms
    whole.rules += part.rules
    whole.nullable |= part.nullable
    whole.joined |= part.joined


def _renamed(relation: Relation, names: Sequence[str]) -> Relation:
    """Put an alias's list of columns over those of a query."""
    if not names:
        return relation
    pairs = list(relation.outputs.items())
    new = {n.lower(): item for n, (_, item) in zip(names, pairs, strict=False)}
    relation.outputs = new | dict(pairs[len(names) :])
    return relation
