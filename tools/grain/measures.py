"""Aggregates of a SELECT, and which sources the aggregated value stands for.

A condition inside an aggregate chooses rows; only what is added up counts as the value:
``SUM(CASE WHEN r.id IS NOT NULL THEN s.amount END)`` adds up amounts of ``s``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from sqlglot import exp

from querymend.tools.grain.conditions import rules_of
from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.multiplicity import Block, Reading
from querymend.tools.grain.space import Item, Rule
from querymend.tools.sql.aggregates import is_aggregate, walk_level

Sort = Literal["sum", "average", "count", "list"]
"""What repeated rows do to it: a sum and a count grow, an average shifts, a list repeats."""
MOST_CASES = 16
_SORTS: tuple[tuple[tuple[type[exp.Expr], ...], Sort], ...] = (
    ((exp.Sum,), "sum"),
    ((exp.Count, exp.CountIf), "count"),
    ((exp.GroupConcat, exp.ArrayAgg), "list"),
    (
        (
            exp.Avg,
            exp.Stddev,
            exp.StddevPop,
            exp.StddevSamp,
            exp.Variance,
            exp.VariancePop,
            exp.Median,
            exp.PercentileCont,
            exp.PercentileDisc,
            exp.Quantile,
        ),
        "average",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One way in which a value comes about."""

    sources: frozenset[int] = frozenset()
    """The sources whose rows it stands for; none where each row just counts."""
    conditions: tuple[tuple[exp.Expr, Env], ...] = ()

    def rules(self, items: Items) -> list[Rule]:
        """Return what holds where it comes about."""
        return [r for c, env in self.conditions for r in rules_of(c, items, env, env.relation)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measure:
    """One aggregate, or an aggregate over a window."""

    node: exp.Expr
    sort: Sort
    block: Block
    cases: tuple[Case, ...]
    distinct: bool = False
    partition: tuple[exp.Expr, ...] | None = None
    """What a window divides the rows by; None where it is no window."""
    filter: exp.Expr | None = None
    term: exp.Expr | None = None
    """The part of a sum of sums that this is about; None for the whole."""

    @property
    def groups(self) -> tuple[exp.Expr, ...]:
        """What the rows that it takes together have in common."""
        return self.block.groups if self.partition is None else self.partition

    @property
    def value(self) -> exp.Expr | None:
        """What is added up; None for COUNT(*)."""
        value = self.term or self.node.this
        if isinstance(value, exp.Distinct):
            value = value.expressions[0] if len(value.expressions) == 1 else None
        return value if isinstance(value, exp.Expr) and not isinstance(value, exp.Star) else None


def measures_of(block: Block, items: Items, dialect: str) -> Iterator[Measure]:
    """Yield the aggregates of one SELECT whose number a repeated row would change."""
    select = block.select
    clauses = [*select.expressions, *(select.args.get(k) for k in ("having", "qualify", "order"))]
    for node in walk_level(clauses):
        sort = _sort(node)
        if sort is None:
            continue
        window = _window(node)
        if window is None and is_aggregate(node, dialect):
            parts = None
        elif window is not None and not block.grouped and not window.args.get("order"):
            parts = tuple(window.args.get("partition_by") or [])
        else:
            continue
        for term in _terms(node, sort):
            yield replace(_measure(node, sort, block, items, term), partition=parts)


def arm_measures(measure: Measure, reading: Reading) -> Iterator[Measure]:
    """Yield an aggregate over a UNION's column once for each of the queries in it."""
    items, env = reading.items, measure.block.env
    value = measure.value
    if not isinstance(value, exp.Column) or measure.distinct or measure.sort == "count":
        return
    _, item = items.column(value, env)
    atom = next((a for a in measure.block.relation.atoms if item and a.id == item[0]), None)
    if atom is None or item is None or not atom.arms:
        return
    names = list(atom.arms[0].outputs)
    groups = [i[1] for g in measure.groups if (i := items.of(g, env)) and i[0] == atom.id]
    for arm in atom.arms:
        select = arm.select
        if select is not None and len(select.expressions) == len(names):
            shown = [select.expressions[names.index(n)].unalias() for n in (item[1], *groups)]
            yield _in_arm(measure, reading.blocks[id(select)], shown, items)


def _in_arm(measure: Measure, block: Block, shown: Sequence[exp.Expr], items: Items) -> Measure:
    """Return an aggregate as if it stood in an arm, over that arm's own expressions."""
    value, *groups = shown
    made = replace(measure, block=block, term=value, partition=tuple(groups))
    return replace(made, cases=tuple(_cases(made, items)))


def _terms(node: exp.Expr, sort: Sort) -> list[exp.Expr | None]:
    """Return the parts of a sum: that of ``a + b`` is one of ``a`` and one of ``b``."""
    value = node.this
    if sort not in ("sum", "average") or isinstance(value, exp.Distinct):
        return [None]
    terms = list(_addends(value))
    return [t for t in terms if t.find(exp.Column)] if len(terms) > 1 else [None]


def _addends(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Paren | exp.Neg):
        yield from _addends(node.this)
    elif isinstance(node, exp.Add | exp.Sub):
        yield from _addends(node.this)
        yield from _addends(node.expression)
    else:
        yield node


def _sort(node: exp.Expr) -> Sort | None:
    return next((sort for kinds, sort in _SORTS if isinstance(node, kinds)), None)


def _window(node: exp.Expr) -> exp.Expr | None:
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls):
        parent = parent.parent
    return parent if isinstance(parent, exp.Window) else None


def _measure(
    node: exp.Expr, sort: Sort, block: Block, items: Items, term: exp.Expr | None
) -> Measure:
    chosen = node.parent.expression if isinstance(node.parent, exp.Filter) else None
    plain = Measure(
        node=node,
        sort=sort,
        block=block,
        cases=(),
        term=term,
        distinct=isinstance(node.this, exp.Distinct),
        filter=chosen.this if isinstance(chosen, exp.Where) else None,
    )
    return replace(plain, cases=tuple(_cases(plain, items)))


def _cases(measure: Measure, items: Items) -> list[Case]:
    env = measure.block.env
    value = measure.value
    if value is None:
        cases = [Case()]
    elif isinstance(measure.node, exp.CountIf):
        cases = [Case(conditions=((value, env),))]
    else:
        cases = Values(items, zeros=measure.sort in ("average", "count")).of(value, env)
    if measure.filter is not None:
        cases = [_under(c, measure.filter, env) for c in cases]
    return cases


def _under(case: Case, condition: exp.Expr, env: Env) -> Case:
    return replace(case, conditions=((condition, env), *case.conditions))


class Values:
    """Takes a value apart into the cases in which it comes about."""

    def __init__(self, items: Items, *, zeros: bool) -> None:
        self._items = items
        self._zeros = zeros
        """A zero counts as a value: an average counts it, a sum does not."""

    def of(self, node: exp.Expr, env: Env) -> list[Case]:
        """Return the cases of an expression; one that is nothing in any case has none."""
        if isinstance(node, exp.Null) or (not self._zeros and _is_zero(node)):
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
            found += [_under(c, condition, env) if condition is not None else c for c in cases]
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


def _is_zero(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal) and not node.is_string and not float(node.name)
