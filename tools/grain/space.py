"""What determines what: rows and columns as items, functional dependencies as rules.

Whether a join repeats a row is asked as: does that row determine the rows of all other sources?
The answer is the closure of what is given under keys, join conditions and filters (Armstrong 1974).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from querymend.tools.catalog.model import Table

Item = tuple[int, str]
"""A source's number and one of its columns in lower case; ``ROW`` for the whole row.

Negative numbers are computed values.
"""
ROW = ""


@dataclass(frozen=True)
class Rule:
    """Whatever rows agree on ``given`` agree on ``then``."""

    given: frozenset[Item]
    then: Item


@dataclass(frozen=True, eq=False, kw_only=True)
class Atom:
    """One use of a source whose rows stand for themselves: a table, a grouped query, a UNION."""

    id: int
    name: str
    """Its alias; the CTE's or table's name where there is none."""
    node: exp.Expr
    """Its entry in FROM, or the query that makes it."""
    table: Table | None = None
    keys: tuple[frozenset[str], ...] = ()
    """Sets of columns, lower case, that are unique; the empty set where it has one row."""
    known: bool = False
    """Its keys are known, so that columns without one do repeat."""
    arms: "tuple[Relation, ...]" = ()
    """The queries that a UNION puts one under another."""

    @property
    def row(self) -> Item:
        """Its row as an item."""
        return self.id, ROW

    def key_rules(self) -> list[Rule]:
        """Return that each key determines the row."""
        return [Rule(frozenset((self.id, c) for c in key), self.row) for key in self.keys]


@dataclass(kw_only=True)
class Relation:
    """What a query yields before it is grouped: sources side by side, and what holds of them."""

    atoms: list[Atom] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    outputs: dict[str, Item | None] = field(default_factory=dict)
    """Column names in order, lower case; None for a constant."""
    labels: dict[str, str] = field(default_factory=dict)
    """Text of the constants among them."""
    open: bool = False
    """Its columns are not all known."""
    nullable: dict[int, frozenset[int]] = field(default_factory=dict)
    """Sources that an outer join may fill with NULL, each with those that go along."""
    joined: set[Item] = field(default_factory=set)
    """Items that a join's condition compares."""
    select: exp.Select | None = None
    """The SELECT that was looked through, where it was one."""
    feeds: "dict[int, Feed]" = field(default_factory=dict)
    """What that SELECT reads."""

    @property
    def rows(self) -> frozenset[Item]:
        """The rows of all its sources."""
        return frozenset(a.row for a in self.atoms)


@dataclass(frozen=True, kw_only=True)
class Feed:
    """What one entry of FROM gives to its SELECT."""

    relation: Relation
    node: exp.Expr

    @property
    def atoms(self) -> list[Atom]:
        """Its sources, looked through to."""
        return self.relation.atoms

    def find(self, name: str) -> tuple[bool, Item | None]:
        """Return whether it has a column of that name, and the item (None for a constant)."""
        low = name.lower()
        if low in self.relation.outputs:
            return True, self.relation.outputs[low]
        if self.relation.open and len(self.atoms) == 1:
            return True, (self.atoms[0].id, low)
        return False, None


class Known:
    """A set of items that is closed under rules."""

    def __init__(self, start: Iterable[Item], rules: Sequence[Rule]) -> None:
        self._items = set(start)
        left = list(rules)
        while fired := [r for r in left if all(i in self for i in r.given)]:
            self._items.update(r.then for r in fired)
            left = [r for r in left if r not in fired]

    def __contains__(self, item: Item) -> bool:
        return item in self._items or (item[0], ROW) in self._items


def minimal_keys(
    items: Sequence[Item], rules: Sequence[Rule], most: int = 6
) -> list[frozenset[Item]]:
    """Return sets of items that determine all of them, each without a superfluous one."""
    found: list[frozenset[Item]] = []
    for turn in range(min(len(items), most) or 1):
        kept = list(items[turn:]) + list(items[:turn])
        for item in list(kept):
            rest = [i for i in kept if i != item]
            if item in Known(rest, rules):
                kept = rest
        if frozenset(kept) not in found:
            found.append(frozenset(kept))
    return found
