"""A small extra query that counts what a join repeats: the number before the join and after.

    SELECT count(*), sum(changed), … FROM (           one row
      SELECT g, SUM(m) AS before, SUM(m * n) AS after FROM (     a row for each group
        SELECT g, key, m, COUNT(*) AS n FROM … WHERE … GROUP BY g, key, m)   a row for each row
      GROUP BY g)

``m`` is what the query adds up, ``key`` tells the rows of its source apart, ``n`` says how often
the join repeats each. Filters and groups are the query's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from sqlglot import exp

from querymend.tools.catalog.model import Cell
from querymend.tools.grain.drafting import Draft, grouped_by_place
from querymend.tools.grain.items import Items
from querymend.tools.grain.measures import Measure, Sort
from querymend.tools.grain.suspects import Suspect

NEAR = "0.000000001"
"""Relative difference below which two sums of floating-point numbers are the same."""


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """The join changes the number."""

    evidence: str


@dataclass(frozen=True, kw_only=True)
class Cleared:
    """The join repeats nothing that counts, in this data."""

    evidence: str
    single: bool = False
    """No row is met twice, whatever is made of it."""


Verdict = Confirmed | Cleared


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One query of one row, and how to read it."""

    sql: str
    what: str
    """The repeated rows, for people: ``sales_fact s``."""
    sort: Sort
    distinct: bool = False
    conditional: bool = False
    """It looks at the rows alone for which a condition holds."""

    def decide(self, rows: Sequence[Sequence[Cell]]) -> Verdict:
        """Read what the probe returned."""
        cells = [_number(c) for c in rows[0]] if rows else []
        if len(cells) != len(_Counts._fields) or not cells[0]:
            return Cleared(evidence="no rows are joined")
        counts = _Counts(*cells)
        if counts.changed:
            return Confirmed(evidence=f"{self._rows(counts)}; {self._numbers(counts)}")
        if counts.most > 1:
            return Cleared(evidence=f"{self._rows(counts)}; the number stays the same")
        single = not self.conditional
        return Cleared(evidence=f"no row of {self.what} is repeated", single=single)

    def _rows(self, counts: "_Counts") -> str:
        if self.distinct:
            return f"{counts.rows:,.0f} rows of {self.what}"
        return (
            f"{counts.rows:,.0f} rows of {self.what} become {counts.joined:,.0f}, "
            f"one up to {counts.most:,.0f} times"
        )

    def _numbers(self, counts: "_Counts") -> str:
        before, after = counts.before, counts.after
        if self.sort == "average" and counts.rows and counts.joined:
            before, after = before / counts.rows, after / counts.joined
        places = 0 if self.sort == "count" else 2
        groups = f" in {counts.changed:,.0f} of {counts.groups:,.0f} groups"
        with_ = "of distinct values" if self.distinct else "with them"
        return (
            f"{self.sort} {before:,.{places}f} without repeats, {after:,.{places}f} {with_}"
            f"{groups if counts.groups > 1 else ''}"
        )


class _Counts(NamedTuple):
    """The one row of a probe, summed over all groups."""

    groups: float
    changed: float
    """Groups whose number the repeats change."""
    rows: float
    joined: float
    most: float
    """How often the most repeated row is met."""
    before: float
    after: float


def probe_of(suspect: Suspect, tree: exp.Expr, items: Items, dialect: str) -> Probe | None:
    """Write the probe of a suspect; None where its rows cannot be told apart from outside."""
    measure = suspect.measure
    draft = Draft(tree, measure.block, items)
    keys = draft.keys(suspect.repeated)
    ties = draft.ties()
    if keys is None or ties is None or measure.sort == "list":
        return None
    groups = [draft.inlined(g) for g in (*measure.groups, *(own for _, own in ties))]
    for condition, _ in ties:
        draft.of(condition).replace(exp.true())
    value = _value(measure, draft)
    inner = _repeats(draft, groups, keys, value, _missing(suspect, keys))
    select = _overall(_by_group(inner, len(groups), measure), measure)
    ctes, recursive = draft.ctes()
    if ctes:
        select.set("with_", exp.With(expressions=ctes, recursive=recursive))
    what = ", ".join(a.name for a in suspect.repeated)
    return Probe(
        sql=select.sql(dialect),
        what=what,
        sort=measure.sort,
        distinct=measure.distinct,
        conditional=any(c.conditions for c in measure.cases),
    )


def _value(measure: Measure, draft: Draft) -> exp.Expr:
    """Return what one row adds; NULL where it adds nothing."""
    one: exp.Expr = exp.Literal.number(1)
    value = draft.inlined(measure.value) if measure.value is not None else None
    if isinstance(measure.node, exp.CountIf):
        made = _case(value, one)
    elif measure.sort == "count":
        made = (
            one
            if value is None
            else _case(exp.Is(this=exp.paren(value), expression=exp.Null()).not_(), one)
        )
    else:
        made = value if value is not None else one
    if measure.filter is not None:
        made = _case(draft.inlined(measure.filter), made)
    return exp.cast(made, "double")


def _case(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=value)])


def _missing(suspect: Suspect, keys: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Return that the keys are there, where an outer join may leave them NULL."""
    nullable = suspect.measure.block.relation.nullable
    if not any(a.id in nullable for a in suspect.repeated):
        return []
    return [exp.Is(this=k.copy(), expression=exp.Null()).not_() for k in keys]


def _repeats(
    draft: Draft,
    groups: Sequence[exp.Expr],
    keys: Sequence[exp.Expr],
    value: exp.Expr,
    conditions: Sequence[exp.Expr],
) -> exp.Select:
    """Return how often each row of the repeated sources is met."""
    own = draft.select
    named = [exp.alias_(g, f"g{i}") for i, g in enumerate(groups)]
    named += [exp.alias_(k, f"k{i}") for i, k in enumerate(keys)]
    named.append(exp.alias_(value, "m"))
    select = exp.Select(expressions=[*named, exp.alias_(exp.Count(this=exp.Star()), "n")])
    for part in ("from_", "joins", "laterals", "where"):
        found = own.args.get(part)
        copied = [f.copy() for f in found] if isinstance(found, list) else found and found.copy()
        select.set(part, copied)
    for condition in conditions:
        select = select.where(condition, copy=False)
    return grouped_by_place(select, len(named))


def _by_group(inner: exp.Select, groups: int, measure: Measure) -> exp.Select:
    names = [exp.column(f"g{i}") for i in range(groups)]
    m, n = exp.column("m"), exp.column("n")
    after: exp.Expr = exp.Sum(this=exp.Mul(this=m.copy(), expression=n.copy()))
    if measure.distinct:
        after = _distinct(exp.Sum, m)
    sums = {
        "entities": exp.Count(this=exp.Star()),
        "joined": exp.Sum(this=n.copy()) if not measure.distinct else _distinct(exp.Count, m),
        "most": exp.Max(this=n.copy()),
        "before": exp.Sum(this=m.copy()),
        "after": after,
    }
    select = exp.select(*names, *(exp.alias_(e, f"qm_{name}") for name, e in sums.items()))
    select = select.from_(inner.subquery("r")).where(exp.Is(this=m, expression=exp.Null()).not_())
    return grouped_by_place(select, groups)


def _distinct(call: type[exp.Expr], value: exp.Expr) -> exp.Expr:
    return call(this=exp.Distinct(expressions=[value.copy()]))


def _overall(by_group: exp.Select, measure: Measure) -> exp.Select:
    entities, joined, most, before, after = (
        exp.column(f"qm_{n}") for n in ("entities", "joined", "most", "before", "after")
    )
    old: exp.Expr = before
    new: exp.Expr = after
    if measure.sort == "average":
        old, new = before / entities, after / joined
    differs = exp.Abs(this=new.copy() - old.copy()) > exp.Literal.number(NEAR) * exp.Abs(
        this=old.copy()
    )
    changed = exp.Case(
        ifs=[exp.If(this=differs, true=exp.Literal.number(1))], default=exp.Literal.number(0)
    )
    sums = [exp.Sum(this=c.copy()) for c in (changed, entities, joined)]
    ends = [exp.Sum(this=c.copy()) for c in (before, after)]
    select = exp.select(exp.Count(this=exp.Star()), *sums, exp.Max(this=most.copy()), *ends)
    return select.from_(by_group.subquery("p"))


def _number(cell: Cell) -> float:
    try:
        number = float(str(cell)) if cell is not None else 0.0
    except ValueError:
        return 0.0
    return number if isfinite(number) else 0.0
