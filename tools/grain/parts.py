"""A SELECT taken apart for a cure: which entries of FROM each part of it reads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from querymend.tools.grain.blocks import Block, Reading
from querymend.tools.grain.conditions import conjuncts
from querymend.tools.grain.items import Items
from querymend.tools.grain.measures import Measure, measures_of
from querymend.tools.grain.space import Atom, Feed

_REJECTING = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.In,
    exp.Between,
    exp.Like,
    exp.ILike,
    exp.Column,
)


@dataclass(frozen=True)
class Parts:
    """One SELECT with what its parts read."""

    block: Block
    reading: Reading
    dialect: str

    @property
    def items(self) -> Items:
        """The statement's expressions as items."""
        return self.reading.items

    @cached_property
    def feeds(self) -> list[Feed]:
        """The entries of FROM, in order."""
        return list(self.block.env.feeds.values())

    @cached_property
    def measures(self) -> list[Measure]:
        """The aggregates that repeated rows change."""
        return list(measures_of(self.block, self.items, self.dialect))

    def is_of(self, measure: Measure, atoms: Iterable[Atom]) -> bool:
        """Tell whether rows of the given sources determine what an aggregate adds up."""
        start = [a.row for a in atoms] + self.reading.group_items(self.block)
        known = self.reading.known(self.block, iter(start))
        rows = {a.id: a.row for a in self.block.relation.atoms}
        return all(rows[s] in known for c in measure.cases for s in c.sources if s in rows)

    def reads(self, nodes: object) -> set[int]:
        """Return the identities of the entries of FROM that expressions read."""
        found = set()
        for column in _columns(nodes):
            ref = self.items.ref(column)
            if ref is not None and ref.source and id(ref.source.node) in self.block.env.feeds:
                found.add(id(ref.source.node))
            elif ref is not None and ref.status == "alias":
                found |= self.reads(ref.block.aliases[ref.name.lower()])
        return found

    def shown(self) -> list[object]:
        """Return the clauses that are not about which rows are taken."""
        select = self.block.select
        keys = ("group", "having", "qualify", "order", "distinct")
        return [*select.expressions, *(select.args.get(k) for k in keys)]

    def of_atoms(self, atoms: Iterable[Atom]) -> list[Feed] | None:
        """Return the entries of FROM that sources make up; None if one holds others too."""
        wanted = {a.id for a in atoms}
        found = [f for f in self.feeds if wanted & {a.id for a in f.atoms}]
        whole = all({a.id for a in f.atoms} <= wanted for f in found)
        return found if found and whole else None

    def join_of(self, feed: Feed) -> exp.Join | None:
        """Return the JOIN that brings an entry in; None for the first one."""
        parent = feed.node.parent
        return parent if isinstance(parent, exp.Join) else None

    def conditions(self, feed: Feed) -> list[exp.Expr]:
        """Return the conditions of an entry's JOIN; USING written out."""
        join = self.join_of(feed)
        if join is None:
            return []
        made = [self._merged(feed, name.name) for name in join.args.get("using") or []]
        return [*conjuncts(join.args.get("on")), *made]

    def _merged(self, feed: Feed, name: str) -> exp.Expr:
        place = self.feeds.index(feed)
        before = next((f for f in self.feeds[:place] if f.find(name)[0]), self.feeds[0])
        sides = (exp.column(name, f.node.alias_or_name) for f in (before, feed))
        return exp.EQ(this=next(sides), expression=next(sides))

    def is_inner(self, feed: Feed) -> bool:
        """Tell whether only rows with a partner in the entry are kept."""
        nullable = any(a.id in self.block.relation.nullable for a in feed.atoms)
        where = conjuncts(self.block.select.args.get("where"))
        return not nullable or any(
            rejects_null(c) and id(feed.node) in self.reads(c) for c in where
        )


def rejects_null(condition: exp.Expr) -> bool:
    """Tell whether a condition fails where what it reads is NULL."""
    if isinstance(condition, exp.Not) and isinstance(condition.this, exp.Is):
        return isinstance(condition.this.expression, exp.Null)
    lax = condition.find(exp.Coalesce, exp.Case, exp.Or, exp.Is, exp.If)
    return isinstance(condition, _REJECTING) and lax is None


def _columns(nodes: object) -> Iterator[exp.Column]:
    for node in nodes if isinstance(nodes, list) else [nodes]:
        if isinstance(node, exp.Expr):
            yield from node.find_all(exp.Column)
