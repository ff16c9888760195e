"""What an aggregated value stands for: the cases in which it comes about, and their sources.

A condition inside an aggregate chooses rows; only what is added up counts as the value:
``SUM(CASE WHEN r.id IS NOT NULL THEN s.amount END)`` adds up amounts of ``s``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from sqlglot import exp

from querymend.tools.grain.conditions import rules_of
from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.space import Item, Rule

MOST_CASES = 16


@dataclass(frozen=True, kw_only=True)
class Case:
    """One way in which a value comes about."""

    sources: frozenset[int] = frozenset()
    """The sources whose rows it stands for; none where each row just counts."""
    conditions: tuple[tuple[exp.Expr, Env], ...] = ()

    def rules(self, items: Items) -> list[Rule]:
        """Return what holds where it comes about."""
        return [r for c, env in self.conditions for r in rules_of(c, items, env, env.relation)]


def under(case: Case, condition: exp.Expr, env: Env) -> Case:
    """Return a case that comes about under one condition more."""
    return replace(case, conditions=((condition, env), *case.conditions))


class Values:
    """Takes a value apart into the cases in which it comes about."""

    def __init__(self, items: Items, *, zeros: bool) -> None:
        self._items = items
        self._zeros = zeros
        """A zero counts as a value: an average counts it, a sum does not."""

    def of(self, node: exp.Expr, env: Env) -> list[Case]:
        """Return the cases of an expression; one that is nothing in any case has none."""
        if isinstance(node, exp.Null) or (not self._zeros and is_zero(node)):
            return []
        if isinstance(node, exp.Case):
            return self._branches(_case_branches(node), env)
        if isinstance(node, exp.If):
            branches = [(node.this, node.args.get("true")), (None, node.args.get("false"))]
            return self._branches(branches, env)
        if isinstance(node, exp.Predicate | exp.Not | exp.Connector):
            return [Case(conditions=((node, env),))]
        if isinstance(node, exp.Column):
            return self._column(node, env)
        if isinstance(node, exp.Add | exp.Sub):
            parts = [*self.of(node.this, env), *self.of(node.expression, env)]
            return [c for c in parts if c.sources] or parts[:1]
        return self._together(node, env)

    def _branches(
        self, branches: Sequence[tuple[exp.Expr | None, exp.Expr | None]], env: Env
    ) -> list[Case]:
        found = []
        for condition, value in branches:
            cases = self.of(value, env) if value is not None else []
            found += [under(c, condition, env) if condition is not None else c for c in cases]
        return found

    def _column(self, node: exp.Column, env: Env) -> list[Case]:
        known, item = self._items.column(node, env)
        if known and item is None:
            return [Case()]
        if item is None:
            return [Case(sources=frozenset(a.id for a in env.relation.atoms))]
        return self._item(item)

    def _item(self, item: Item) -> list[Case]:
        if item[0] > 0:
            return [Case(sources=frozenset((item[0],)))]
        made = self._items.computed[item]
        if isinstance(made.node, exp.Column):
            return [Case(sources=frozenset(a.id for a in made.env.relation.atoms))]
        return self.of(made.node, made.env)

    def _together(self, node: exp.Expr, env: Env) -> list[Case]:
        """Join the cases of what an expression is computed from, each with each."""
        if isinstance(node, exp.Query) or node.find(exp.Window):
            owners = (self._items.owners(i) for i in self._items.reads(node, env))
            return [Case(sources=frozenset().union(*owners))]
        parts = [p for p in (self.of(child, env) for child in _operands(node)) if p]
        combined = list(product(*parts))[:MOST_CASES]
        return [_joined(cases) for cases in combined] or [Case()]


def _operands(node: exp.Expr) -> list[exp.Expr]:
    """Return what an expression computes with, leaving out plain types and units."""
    return [c for c in node.iter_expressions() if isinstance(c, exp.Expr) and c.find(exp.Column)]


def _joined(cases: Sequence[Case]) -> Case:
    return Case(
        sources=frozenset().union(*(c.sources for c in cases)),
        conditions=tuple(c for case in cases for c in case.conditions),
    )


def _case_branches(node: exp.Case) -> list[tuple[exp.Expr | None, exp.Expr | None]]:
    branches: list[tuple[exp.Expr | None, exp.Expr | None]] = []
    for part in node.args["ifs"]:
        condition = part.this
        if node.this is not None:
            condition = exp.EQ(this=node.this, expression=part.this)
        branches.append((condition, part.args.get("true")))
    return [*branches, (None, node.args.get("default"))]


def is_zero(node: exp.Expr) -> bool:
    """Tell whether an expression is the number zero."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal) and not node.is_string and not float(node.name)
