"""What reading a statement for its grain yields: its SELECTs, and what holds in each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.space import Item, Known, Relation, Rule


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
