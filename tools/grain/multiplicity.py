"""Which sources a join can repeat, through CTEs, derived tables, groups and set operations.

Every SELECT is read as its sources side by side and what determines what among them. A query that
does not group is looked through; one that groups, or drops duplicates, is a new source that is
unique on what it is grouped by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.grain.blocks import Block, Reading
from querymend.tools.grain.conditions import on_rules, rules_of
from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.keys import has_keys, unique_sets
from querymend.tools.grain.made import Made, names_of
from querymend.tools.grain.shape import (
    PARTIAL,
    arms_of,
    group_expressions,
    has_partial,
    one_row,
    queries,
)
from querymend.tools.grain.space import Atom, Feed, Relation, Rule
from querymend.tools.sql.aggregates import is_aggregate, walk_level
from querymend.tools.sql.binding import Binding
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.tables import ctes_in_sight, fold, is_cte, resolve
from querymend.tools.sql.trees import sees_all

MOST_ATOMS = 200
"""Uses of sources in one statement; a CTE used beyond them is not looked into."""


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
        self._made = Made(self._items)
        self._open: list[exp.CTE] = []

    def query(self, node: exp.Expr, outer: Env | None) -> Relation:
        """Read a query and return what it yields."""
        limited = False
        while isinstance(node, exp.Subquery):
            limited = limited or one_row(node)
            node = node.this
        if isinstance(node, exp.SetOperation):
            arms = [self.query(a, outer) for a in arms_of(node)]
            relation = self._made.set_operation(node, arms)
        elif isinstance(node, exp.Values):
            relation = self._made.values(node)
        elif isinstance(node, exp.Select):
            relation = self._select(node, outer)
        else:
            return self._made.unknown(node)
        if limited or one_row(node):
            return self._made.source(node, relation, keys=(frozenset(),))
        return relation

    def _select(self, node: exp.Select, outer: Env | None) -> Relation:
        relation = Relation(select=node)
        env = Env(relation=relation, feeds=relation.feeds, outer=outer)
        self._from(node, env)
        relation.rules += rules_of(node.args.get("where"), self._items, env, relation)
        block = self._block(node, env, relation)
        first = self.reading.blocks.setdefault(id(node), block) is block
        if first:
            self._subqueries(node, env)
        self._name(node, env, relation)
        if block.grouped:
            groups = self.reading.group_items(block)
            numbered = self._row_numbers(block) if not block.partial else ()
            return self._made.grouped(node, relation, None if block.partial else groups, numbered)
        qualify = node.args.get("qualify")
        relation.rules += rules_of(qualify, self._items, env, relation)
        return self._made.distinct(node, relation) if node.args.get("distinct") else relation

    def _block(self, node: exp.Select, env: Env, relation: Relation) -> Block:
        group = node.args.get("group")
        clauses = [*node.expressions, node.args.get("having"), node.args.get("order")]
        aggregates = any(is_aggregate(n, self._dialect) for n in walk_level(clauses))
        groups = tuple(group_expressions(node, self._dialect))
        plain = tuple(g for g in groups if not isinstance(g, PARTIAL))
        return Block(
            select=node,
            env=env,
            relation=relation,
            groups=plain,
            grouped=aggregates or group is not None,
            partial=len(plain) < len(groups) or has_partial(group),
        )

    def _subqueries(self, node: exp.Select, env: Env) -> None:
        """Read the queries within a SELECT's expressions, for what they aggregate themselves."""
        clauses: list[object] = list(node.expressions)
        clauses += [node.args.get(k) for k in ("where", "group", "having", "qualify", "order")]
        clauses += [j.args.get("on") for j in node.args.get("joins") or []]
        for query in queries(clauses):
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

    def _row_numbers(self, block: Block) -> Iterator[frozenset[str]]:
        """Yield the keys that a row number over a grouped query makes."""
        names = names_of(block.relation)
        for projection in block.select.expressions:
            window = projection.unalias()
            if not isinstance(window, exp.Window) or not isinstance(window.this, exp.RowNumber):
                continue
            parts = [self._items.of(p, block.env) for p in window.args.get("partition_by") or []]
            if all(p is None or p in names for p in parts):
                key = [names[p] for p in parts if p is not None]
                yield frozenset([*key, projection.alias_or_name.lower()])

    def _from(self, node: exp.Select, env: Env) -> None:
        start = node.args.get("from_")
        if start is None:
            return
        self._add(start.this, env)
        joins = node.args.get("joins") or []
        for join in joins:
            self._join(join, env)
        for join in joins if self._dialect == "sqlite" else []:
            self._late(join, joins, env)
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

    def _late(self, join: exp.Join, joins: Sequence[exp.Join], env: Env) -> None:
        """Read an ON again that may name tables joined after it."""
        if sees_all(join, joins):
            env.relation.rules += on_rules(join, self._items, env, env.relation, frozenset())

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
            relation = self._made.values(node)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Query):
            relation = self.query(node.this, env)
        elif isinstance(node, exp.Query) and not node.args.get("pivots"):
            relation = self.query(node, env)
        else:
            return self._function(node, env)
        relation.atoms = [_named(a, node.alias_or_name) for a in relation.atoms]
        return _renamed(relation, alias_columns(alias))

    def _function(self, node: exp.Expr, env: Env) -> Relation:
        """Read UNNEST or a table function: each of its rows comes of one row that it reads."""
        relation = self._made.function(node)
        read = {o for i in self._items.reads(node, env) for o in self._items.owners(i)}
        relation.rules += [Rule(frozenset((a.row,)), (o, "")) for a in relation.atoms for o in read]
        return relation

    def _table(self, node: exp.Table, env: Env) -> Relation:
        if any(node.args.get(k) for k in ("pivots", "changes", "rows_from")):
            return self._made.unknown(node)
        if is_cte(node, self._dialect):
            return self._cte(node, env)
        table = resolve(node, self._catalog, self._dialect)
        if table is None:
            return self._made.unknown(node)
        names = Relation(outputs=dict.fromkeys((c.name.lower() for c in table.columns), None))
        keys = unique_sets(table, self._catalog)
        return self._made.source(node, names, keys=keys, known=has_keys(table), table=table)

    def _cte(self, node: exp.Table, env: Env) -> Relation:
        wanted = fold(node.this, self._dialect)
        alike = (
            c for c in ctes_in_sight(node) if fold(c.args["alias"].this, self._dialect) == wanted
        )
        cte = next(alike)
        if any(c is cte for c in self._open) or self._made.count > MOST_ATOMS:
            return self._made.unknown(node)
        self._open.append(cte)
        relation = self.query(cte.this, env.outer)
        self._open.pop()
        return _renamed(relation, alias_columns(cte.args["alias"]))


def _merge(whole: Relation, part: Relation) -> None:
    whole.atoms += part.atoms
    whole.rules += part.rules
    whole.nullable |= part.nullable
    whole.joined |= part.joined


def _named(atom: Atom, alias: str) -> Atom:
    """Call a source that came without a name by its alias."""
    return atom if atom.name else replace(atom, name=alias)


def _renamed(relation: Relation, names: Sequence[str]) -> Relation:
    """Put an alias's list of columns over those of a query."""
    if not names:
        return relation
    pairs = list(relation.outputs.items())
    new = {n.lower(): item for n, (_, item) in zip(names, pairs, strict=False)}
    relation.outputs = new | dict(pairs[len(names) :])
    return relation
