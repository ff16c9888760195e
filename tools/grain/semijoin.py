"""A join whose only use is to choose rows becomes EXISTS, or goes where it chooses nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.grain.conditions import conjuncts
from querymend.tools.grain.drafting import Draft
from querymend.tools.grain.parts import Parts
from querymend.tools.grain.space import Feed
from querymend.tools.grain.suspects import Suspect


def semi_joined(draft: Draft, parts: Parts, suspects: Sequence[Suspect]) -> bool:
    """Change the draft; False where the repeating sources are read by more than conditions."""
    branch = parts.of_atoms({a for s in suspects for a in s.by})
    if branch is None or not _only_chooses(parts, branch, suspects):
        return False
    if any(j.method for f in parts.feeds if (j := parts.join_of(f)) is not None):
        return False
    for suspect in suspects:
        _take_all_values(draft, suspect)
    move = _Move(draft=draft, parts=parts, branch=branch)
    return move.drop() if move.is_idle() else move.to_exists()


def _take_all_values(draft: Draft, suspect: Suspect) -> None:
    """Drop the DISTINCT of a sum, which was there against the repeats."""
    value = suspect.measure.value
    if suspect.measure.distinct and value is not None:
        draft.of(suspect.measure.node).set("this", value.copy())


def _only_chooses(parts: Parts, branch: Sequence[Feed], suspects: Sequence[Suspect]) -> bool:
    """Tell whether nothing but conditions reads the branch, and no count takes its rows."""
    nodes = {id(f.node) for f in branch}
    bare = [m for m in parts.measures if m.value is None and not m.distinct]
    mine = {id(s.measure.node) for s in suspects}
    return not (nodes & parts.reads(parts.shown())) and all(id(m.node) in mine for m in bare)


@dataclass(frozen=True, kw_only=True)
class _Move:
    """Moves some entries of FROM out of it."""

    draft: Draft
    parts: Parts
    branch: Sequence[Feed]

    @property
    def _nodes(self) -> set[int]:
        return {id(f.node) for f in self.branch}

    @property
    def _kept(self) -> list[Feed]:
        return [f for f in self.parts.feeds if id(f.node) not in self._nodes]

    def _touches(self, condition: exp.Expr) -> bool:
        return bool(self._nodes & self._reads(condition))

    def _reads(self, condition: exp.Expr) -> set[int]:
        """Return what a condition reads, the ones made of USING included."""
        found = self.parts.reads(condition)
        names = {c.table.lower() for c in condition.find_all(exp.Column) if c.table}
        made = {id(f.node) for f in self.parts.feeds if f.node.alias_or_name.lower() in names}
        return found | made

    def is_idle(self) -> bool:
        """Tell whether the branch neither chooses rows nor is read: LEFT JOINs alone."""
        where = conjuncts(self.parts.block.select.args.get("where"))
        joins = [self.parts.join_of(f) for f in self.branch]
        left = all(j is not None and j.side == "LEFT" for j in joins)
        return left and not any(self._touches(c) for c in where) and self._stands_alone()

    def _stands_alone(self) -> bool:
        """Tell whether what stays is joined without the branch."""
        first = self.parts.feeds[0]
        own = (c for f in self._kept for c in self.parts.conditions(f))
        return id(first.node) not in self._nodes and not any(self._touches(c) for c in own)

    def drop(self) -> bool:
        """Take the joins away."""
        for feed in self.branch:
            join = self.draft.of(feed.node).parent
            assert join is not None
            join.pop()
        return True

    def to_exists(self) -> bool:
        """Put the branch into an EXISTS."""
        if not all(self.parts.is_inner(f) for f in self.branch) or not self._kept:
            return False
        conditions = [c for f in self.branch for c in self.parts.conditions(f)]
        if not self._stands_alone():
            rebuilt = self._rebuilt()
            if rebuilt is None:
                return False
            conditions = rebuilt
        else:
            self.drop()
        return self._exists(conditions)

    def _exists(self, conditions: Sequence[exp.Expr]) -> bool:
        select = self.draft.select
        where = list(conjuncts(self.parts.block.select.args.get("where")))
        moved = [c for c in where if self._touches(c)]
        inner = exp.select(exp.Literal.number(1)).from_(self.branch[0].node.copy())
        for feed in self.branch[1:]:
            inner = inner.join(feed.node.copy(), join_type="cross")
        inner = inner.where(*(c.copy() for c in (*conditions, *moved)))
        stay = [c.copy() for c in where if not self._touches(c)]
        select.set("where", None)
        for condition in (*stay, exp.Exists(this=inner)):
            select.set("where", _and(select.args.get("where"), condition))
        return True

    def _rebuilt(self) -> list[exp.Expr] | None:
        """Join what stays anew, from inner joins alone; return the conditions left over."""
        kept = self._kept
        joins = [self.parts.join_of(f) for f in kept]
        if len(kept) > 1 and any(j is not None and j.side for j in joins):
            return None
        left = [c for f in self.parts.feeds for c in self.parts.conditions(f)]
        select = self.draft.select
        seen = {id(kept[0].node)}
        made: list[exp.Expr] = []
        for feed in kept[1:]:
            seen.add(id(feed.node))
            mine = [c for c in left if self._reads(c) <= seen]
            if not mine and not self._in_where(seen):
                return None
            left = [c for c in left if c not in mine]
            on = exp.and_(*(c.copy() for c in mine)) if mine else None
            made.append(exp.Join(this=feed.node.copy(), on=on))
        select.set("from_", exp.From(this=kept[0].node.copy()))
        select.set("joins", made)
        return left

    def _in_where(self, seen: set[int]) -> bool:
        where = conjuncts(self.parts.block.select.args.get("where"))
        return any(len(self._reads(c)) > 1 and self._reads(c) <= seen for c in where)


def _and(where: object, condition: exp.Expr) -> exp.Where:
    parts = [where.this, condition] if isinstance(where, exp.Where) else [condition]
    return exp.Where(this=exp.and_(*parts, copy=False))
