"""Expressions as items: which source and column a value is, or which values it is computed from."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from querymend.tools.grain.space import Atom, Feed, Item, Relation, Rule
from querymend.tools.sql.binding import Binding, Ref

_WHOLE = exp.DataType.TEXT_TYPES | exp.DataType.INTEGER_TYPES


@dataclass(kw_only=True, eq=False)
class Env:
    """The sources that one SELECT sees, and the SELECTs around it."""

    relation: Relation
    feeds: dict[int, Feed] = field(default_factory=dict)
    """By the identity of the entry in FROM."""
    outer: "Env | None" = None

    def feed(self, node: exp.Expr) -> Feed | None:
        """Return the source of that entry, of this SELECT or one around it."""
        env: Env | None = self
        while env is not None:
            if id(node) in env.feeds:
                return env.feeds[id(node)]
            env = env.outer
        return None

    def outside(self) -> Iterator[Atom]:
        """Yield the sources of the SELECTs around: they stand still while this one runs."""
        env = self.outer
        while env is not None:
            for feed in env.feeds.values():
                yield from feed.atoms
            env = env.outer


@dataclass(frozen=True, kw_only=True)
class Computed:
    """A value that is no column of a source."""

    node: exp.Expr
    env: Env


class Items:
    """Makes items of expressions; the same text in the same SELECT is the same item."""

    def __init__(self, binding: Binding) -> None:
        self.computed: dict[Item, Computed] = {}
        self.rules: list[Rule] = []
        """What a computed value is computed from determines it; true everywhere."""
        self._refs: dict[int, Ref] = {id(r.column): r for r in binding.refs}
        self._seen: dict[tuple[int, str], Item] = {}

    def ref(self, column: exp.Column) -> Ref | None:
        """Return where a column comes from."""
        return self._refs.get(id(column))

    def of(self, node: exp.Expr, env: Env) -> Item | None:
        """Return the item of an expression; None if it is constant."""
        node = _plain(node)
        if isinstance(node, exp.Column):
            found, item = self.column(node, env)
            if found:
                return item
        if not node.find(exp.Window) and not isinstance(node, exp.Column):
            reads = self.reads(node, env)
            if not reads:
                return None
        return self._compute(node, env)

    def column(self, column: exp.Column, env: Env) -> tuple[bool, Item | None]:
        """Return whether a column is one of a source in sight, and its item."""
        ref = self.ref(column)
        if ref is None or ref.status == "row":
            return False, None
        if ref.status == "alias" and ref.depth == 0:
            return True, self.of(ref.block.aliases[ref.name.lower()], env)
        feed = env.feed(ref.source.node) if ref.source else None
        return feed.find(ref.name) if feed else (False, None)

    def reads(self, node: exp.Expr, env: Env) -> frozenset[Item]:
        """Return the items that an expression reads, those of its subqueries included."""
        columns = node.find_all(exp.Column)
        found = (self.column(c, env) for c in columns if not isinstance(c.this, exp.Star))
        return frozenset(item for known, item in found if known and item is not None)

    def owners(self, item: Item) -> frozenset[int]:
        """Return the sources that a value is made from."""
        if item[0] > 0:
            return frozenset((item[0],))
        made = self.computed[item]
        reads = self.reads(made.node, made.env)
        return frozenset(o for i in reads if i != item for o in self.owners(i))

    def _compute(self, node: exp.Expr, env: Env) -> Item:
        key = (id(env), node.sql())
        if key not in self._seen:
            item = (-1 - len(self._seen), "")
            self._seen[key] = item
            self.computed[item] = Computed(node=node, env=env)
            self._determine(item, node, env)
        return self._seen[key]

    def _determine(self, item: Item, node: exp.Expr, env: Env) -> None:
        """Say what determines a computed value, and what a row number determines."""
        if not node.find(exp.Window):
            self.rules.append(Rule(self.reads(node, env), item))
            return
        if not isinstance(node, exp.Window):
            return
        parts = frozenset(
            i for p in node.args.get("partition_by") or [] if (i := self.of(p, env)) is not None
        )
        if isinstance(node.this, exp.RowNumber):
            env.relation.rules += [Rule(parts | {item}, r) for r in env.relation.rows]
        elif isinstance(node.this, exp.AggFunc) and not node.args.get("order"):
            self.rules.append(Rule(parts, item))


def _plain(node: exp.Expr) -> exp.Expr:
    """Take off brackets, aliases, and casts that keep different values different."""
    while True:
        if isinstance(node, exp.Paren | exp.Alias) or (
            isinstance(node, exp.Cast) and node.to.this in _WHOLE and _is_column(node.this)
        ):
            node = node.this
        else:
            return node


def _is_column(node: exp.Expr) -> bool:
    return isinstance(_plain(node), exp.Column)
