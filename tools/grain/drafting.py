"""Writes new queries out of the parts of a statement, in a copy: the statement stays as it is."""

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from querymend.tools.grain.blocks import Block
from querymend.tools.grain.conditions import conjuncts
from querymend.tools.grain.items import Items
from querymend.tools.grain.space import Atom, Feed, Relation
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.tables import ctes_in_sight


def column(name: str, alias: str = "") -> exp.Column:
    """Return a column by its exact name."""
    return exp.column(
        exp.to_identifier(name, quoted=True), exp.to_identifier(alias) if alias else None
    )


class Draft:
    """A copy of a statement in which one SELECT is worked on."""

    def __init__(self, tree: exp.Expr, block: Block, items: Items) -> None:
        self.tree = tree.copy()
        self._items = items
        self._block = block
        self._copies = dict(zip(map(id, tree.walk()), self.tree.walk(), strict=True))
        self._exposed = 0
        self.select = self.of(block.select)

    def of(self, node: exp.Expr) -> exp.Expr:
        """Return the node in the copy."""
        return self._copies[id(node)]

    def inlined(self, node: exp.Expr) -> exp.Expr:
        """Return a free copy of an expression, names of select items put in full."""
        made = exp.Paren(this=node.copy())
        pairs = list(zip(node.find_all(exp.Column), made.find_all(exp.Column), strict=True))
        for own, copied in pairs:
            ref = self._items.ref(own)
            if ref is not None and ref.status == "alias":
                meant = ref.block.aliases[ref.name.lower()]
                copied.replace(exp.paren(self.inlined(meant)) if meant is not own else copied)
        return _bare(made)

    def keys(self, atoms: Iterable[Atom]) -> list[exp.Expr] | None:
        """Return the columns that tell the rows of sources apart, or None where none are known."""
        found: list[exp.Expr] = []
        for atom in atoms:
            if not atom.keys:
                return None
            for name in min(map(sorted, atom.keys), key=lambda k: (len(k), k)):
                made = self._expose(self._block.relation, atom, name)
                if made is None:
                    return None
                found.append(made)
        return found

    def ctes(self) -> tuple[list[exp.CTE], bool]:
        """Return copies of the CTEs that the SELECT may name, in order, and whether recursive."""
        start = self._block.select.args["from_"]
        found = list(ctes_in_sight(start))[::-1]
        recursive = any(c.parent is not None and c.parent.args.get("recursive") for c in found)
        return [_cte(self.of(c).copy()) for c in found], recursive

    def ties(self) -> list[tuple[exp.Expr, exp.Expr]] | None:
        """Return the equalities with columns of the query around, each with its own side.

        None where the SELECT reads such columns elsewhere too: it cannot stand by itself.
        """
        found = []
        loose = sum(1 for _ in self._outer_columns(self._block.select))
        for condition in conjuncts(self._block.select.args.get("where")):
            theirs = sum(1 for _ in self._outer_columns(condition))
            side = self._own_side(condition) if theirs else None
            if side is not None:
                found.append((condition, side))
                loose -= theirs
        return None if loose else found

    def _own_side(self, condition: exp.Expr) -> exp.Expr | None:
        """Return the side of an equality that reads this SELECT alone, against the other."""
        if not isinstance(condition, exp.EQ):
            return None
        left: exp.Expr = condition.this
        right: exp.Expr = condition.expression
        for own, other in ((left, right), (right, left)):
            outer = {id(c) for c in self._outer_columns(condition)}
            theirs = [id(c) in outer for c in other.find_all(exp.Column)]
            if all(theirs) and not any(id(c) in outer for c in own.find_all(exp.Column)):
                return own
        return None

    def _outer_columns(self, node: exp.Expr) -> Iterator[exp.Column]:
        outer = self._block.env.outer
        for column in node.find_all(exp.Column) if outer is not None else ():
            ref = self._items.ref(column)
            source = ref.source if ref is not None else None
            if source is not None and outer is not None and outer.feed(source.node) is not None:
                yield column

    def _expose(self, relation: Relation, atom: Atom, name: str) -> exp.Column | None:
        """Return a source's column as a SELECT may name it, handed on by the queries between."""
        feed = next((f for f in relation.feeds.values() if atom in f.atoms), None)
        if feed is None:
            return None
        alias = feed.node.alias_or_name
        for output, item in feed.relation.outputs.items():
            if item == (atom.id, name):
                return column(_spelt(atom, output), alias)
        return self._handed_on(feed, atom, name, alias)

    def _handed_on(self, feed: Feed, atom: Atom, name: str, alias: str) -> exp.Column | None:
        inner = feed.relation.select
        if inner is None or alias_columns(feed.node.args.get("alias")) or _has_columns(inner):
            return None
        made = self._expose(feed.relation, atom, name)
        if made is None:
            return None
        self._exposed += 1
        label = f"qm_key{self._exposed}"
        self.of(inner).append("expressions", exp.alias_(made, label, quoted=True))
        return column(label, alias)


def _has_columns(inner: exp.Expr) -> bool:
    """Tell whether the CTE or subquery that holds a SELECT lists names for its columns."""
    parent = inner.parent
    while isinstance(parent, exp.Subquery):
        if alias_columns(parent.args.get("alias")):
            return True
        parent = parent.parent
    return isinstance(parent, exp.CTE) and bool(alias_columns(parent.args["alias"]))


def _spelt(atom: Atom, name: str) -> str:
    """Return a name as the catalog spells it."""
    found = atom.table.column(name) if atom.table else None
    return found.name if found else name


def _bare(node: exp.Paren) -> exp.Expr:
    inner = node.this
    inner.pop()
    assert isinstance(inner, exp.Expr)
    return inner


def _cte(node: exp.Expr) -> exp.CTE:
    assert isinstance(node, exp.CTE)
    return node


def grouped_by_place(select: exp.Select, count: int) -> exp.Select:
    """Group a SELECT by its first columns, by their places."""
    places: Sequence[exp.Expr] = [exp.Literal.number(i + 1) for i in range(count)]
    return select.group_by(*places, copy=False) if count else select
