"""The aggregates of a SELECT whose number a repeated row would change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from querymend.tools.grain.blocks import Block, Reading
from querymend.tools.grain.items import Items
from querymend.tools.grain.values import Case, Values, under
from querymend.tools.sql.aggregates import is_aggregate, walk_level

Sort = Literal["sum", "average", "count", "list"]
"""What repeated rows do to it: a sum and a count grow, an average shifts, a list repeats."""
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
        if sort is None or _asks_for_any(node):
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


def _asks_for_any(node: exp.Expr) -> bool:
    """Tell whether a count is compared so that how many there are does not matter."""
    parent = node.parent
    bound = parent.args.get("expression") if isinstance(parent, exp.GT | exp.GTE) else None
    least = "0" if isinstance(parent, exp.GT) else "1"
    return isinstance(node, exp.Count) and isinstance(bound, exp.Literal) and bound.name == least


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
        cases = [under(c, measure.filter, env) for c in cases]
    return cases
