"""The query that ends a build: what becomes of the steps' results, by rule.

Each rule takes the steps as they were read from the question and as they were made, and gives the
last query, or None where what was made does not allow it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.questions.steps import Finish, Steps
from querymend.tools.steps.breakdown import broken_down
from querymend.tools.steps.build import LAST, Build, NamedStep
from querymend.tools.steps.made import Made, joined_by

Rule = Callable[[Steps, Sequence[Made]], exp.Expr | None]


def finish(steps: Steps, made: Sequence[Made], catalog: Catalog) -> Build | None:
    """Put the steps together; None where no rule can, or two steps have one name or one query.

    Args:
        steps: what the question needs.
        made: one for each task, in order.
        catalog: within the caller's scope.
    """
    if len({m.build.sql() for m in made}) < len(made):  # one of two values came for both
        return None
    if steps.finish == "split":
        tree = broken_down(steps, made[0], catalog)
    else:
        tree = _RULES[steps.finish](steps, made)
    if tree is None:
        return None
    named = [s for m in made for s in (*m.build.steps[:-1], _as_task(m))]
    whole = Build(steps=(*named, NamedStep(name=LAST, tree=tree)), dialect=made[0].build.dialect)
    names = [s.name.lower() for s in named]
    return whole if len(set(names)) == len(names) else None


def _as_task(made: Made) -> NamedStep:
    return replace(made.build.steps[-1], name=made.task.name)


def _difference(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    if any(m.keys for m in made):
        return None
    one, other = (_value(m) for m in made)
    return exp.select(exp.alias_(exp.Sub(this=one, expression=other), "difference"))


def _percentage(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    if any(m.keys for m in made):
        return None
    part, whole = (_value(m) for m in made)
    above = exp.Mul(this=exp.Literal.number(100), expression=exp.cast(part, "DOUBLE"))
    below = exp.Nullif(this=whole, expression=exp.Literal.number(0))
    return exp.select(exp.alias_(exp.Div(this=above, expression=below), "percentage"))


def _beyond(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    (one,) = made
    if not one.value or not one.keys:
        return None
    value = exp.column(one.value)
    average = _keyed(exp.select(exp.Avg(this=exp.cast(value.copy(), "DOUBLE"))), one)
    sides = {"this": value, "expression": average.subquery()}
    test = exp.GT(**sides) if steps.above else exp.LT(**sides)
    shown = [exp.Count(this=exp.Star())] if steps.counted else [exp.column(k) for k in one.keys]
    return _keyed(exp.select(*shown), one).where(test)


def _average(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    (one,) = made
    if not one.value or not one.keys:
        return None
    call = exp.Avg(this=exp.cast(exp.column(one.value), "DOUBLE"))
    return _keyed(exp.select(exp.alias_(call, "average")), one)


def _beside(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    key = joined_by(*made)
    if key is None or not all(m.value for m in made):
        return None
    one, other = made
    second: exp.Expr = exp.column(other.value, other.task.name)
    if other.counts:
        second = exp.Coalesce(this=second, expressions=[exp.Literal.number(0)])
    shown = [
        exp.column(key, one.task.name),
        exp.column(one.value, one.task.name),
        exp.alias_(second, _other_name(one.value, other.value)),
    ]
    return _joined(exp.select(*shown), made, key, "LEFT")


def _compared(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    key = joined_by(*made)
    if key is None or not all(m.value for m in made):
        return None
    one: exp.Expr = exp.column(made[0].value, made[0].task.name)
    other = exp.column(made[1].value, made[1].task.name)
    if steps.above:
        return _kept(steps, made, key, exp.GT(this=one, expression=other))
    if _adds_up(made[0]):
        one = exp.Coalesce(this=one, expressions=[exp.Literal.number(0)])
    kept = _kept(steps, made, key, exp.LT(this=one, expression=other))
    nobody = exp.Is(this=exp.column(key, made[1].task.name), expression=exp.Null())
    return kept.where(exp.Not(this=nobody)) if made[1].unkeyed else kept


def _kept(steps: Steps, made: Sequence[Made], key: str, test: exp.GT | exp.LT) -> exp.Select:
    """List or count the groups for which a test holds; what lacks the first value may be less."""
    joined, kind = (made, "INNER") if steps.above else (made[::-1], "LEFT")
    shown: list[exp.Expr] = [exp.Count(this=exp.Star())]
    if not steps.counted:
        first = exp.alias_(test.this.copy(), made[0].value)
        second = exp.alias_(test.expression.copy(), _other_name(made[0].value, made[1].value))
        shown = [exp.column(key, joined[0].task.name), first, second]
    return _joined(exp.select(*shown), joined, key, kind).where(test)


def _adds_up(made: Made) -> bool:
    """Where nothing is, the value is zero: what had no sales sold less than it should have."""
    shown = (e for e in made.select.expressions if e.alias_or_name == made.value)
    return any(isinstance(e.unalias(), exp.Sum | exp.Count) for e in shown)


def _without(steps: Steps, made: Sequence[Made]) -> exp.Expr | None:
    key = joined_by(*made)
    if key is None or any(m.value for m in made):
        return None
    one, other = made
    mine, theirs = (exp.column(key, m.task.name) for m in made)
    same = exp.EQ(this=theirs, expression=mine)
    inner = exp.select("1").from_(exp.to_table(other.task.name)).where(same)
    apart = exp.Not(this=exp.Exists(this=inner))
    from_ = exp.to_table(one.task.name)
    if steps.counted:
        call = exp.Count(this=exp.Distinct(expressions=[mine.copy()]))
        return exp.select(call).from_(from_).where(apart)
    there = exp.Not(this=exp.Is(this=mine.copy(), expression=exp.Null()))
    return exp.select(mine.copy()).distinct().from_(from_).where(there, apart)


_RULES: dict[Finish, Rule] = {
    "difference": _difference,
    "percentage": _percentage,
    "beyond": _beyond,
    "average": _average,
    "beside": _beside,
    "compared": _compared,
    "without": _without,
}


def _value(made: Made) -> exp.Subquery:
    return exp.select(exp.column(made.value)).from_(exp.to_table(made.task.name)).subquery()


def _keyed(select: exp.Select, made: Made) -> exp.Select:
    """Read a step's rows, without those that are nobody's."""
    select = select.from_(exp.to_table(made.task.name))
    if not made.unkeyed:
        return select
    nobody = [exp.Is(this=exp.column(k), expression=exp.Null()) for k in made.keys[:1]]
    return select.where(*(exp.Not(this=n) for n in nobody))


def _joined(select: exp.Select, made: Sequence[Made], key: str, kind: str) -> exp.Select:
    one, other = (m.task.name for m in made)
    on = exp.EQ(this=exp.column(key, other), expression=exp.column(key, one))
    return select.from_(exp.to_table(one)).join(exp.to_table(other), on=on, join_type=kind)


def _other_name(first: str, second: str) -> str:
    return second if second.lower() != first.lower() else f"{second}_2"
