"""Aggregates taken in two steps: first one row for each repeated row, then the groups.

SELECT g, SUM(a.x), SUM(b.y) FROM a JOIN b …  GROUP BY g
SELECT g, SUM(x), SUM(y) FROM (
  SELECT g, a.key, MAX(a.x) AS x, SUM(b.y) AS y FROM a JOIN b … GROUP BY g, a.key) GROUP BY g
"""

from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.grain.drafting import Draft, grouped_by_place
from querymend.tools.grain.measures import Measure
from querymend.tools.grain.parts import Parts
from querymend.tools.grain.suspects import Suspect
from querymend.tools.grain.values import is_zero
from querymend.tools.sql.aggregates import is_aggregate

ALIAS = "each_row"


class Unfit(Exception):
    """The SELECT has a part that the template does not hold."""


def regrouped(draft: Draft, parts: Parts, suspects: Sequence[Suspect]) -> bool:
    """Change the draft; False where the aggregates are not all of one source's rows."""
    block = parts.block
    sources = {s.repeated for s in suspects}
    windows = block.select.find(exp.Window)
    if len(sources) != 1 or windows is not None or block.partial or not block.grouped:
        return False
    keys = draft.keys(next(iter(sources)))
    if keys is None:
        return False
    try:
        _Steps(draft, parts, suspects).write(keys)
    except Unfit:
        return False
    return True


class _Steps:
    def __init__(self, draft: Draft, parts: Parts, suspects: Sequence[Suspect]) -> None:
        self._draft = draft
        self._parts = parts
        self._select = parts.block.select
        self._spoilt = {id(s.measure.node): s for s in suspects}
        self._measures = {id(m.node): m for m in parts.measures}
        self._groups = [draft.inlined(g) for g in parts.block.groups]
        self._inner: list[exp.Expr] = []

    def write(self, keys: Sequence[exp.Expr]) -> None:
        """Put both steps in place of the SELECT."""
        clauses = {k: self._select.args.get(k) for k in ("having", "order")}
        shown = [self._projection(p) for p in self._select.expressions]
        made = {k: self._outer(c) for k, c in clauses.items() if isinstance(c, exp.Expr)}
        inner = self._each_row(keys)
        select = self._draft.select
        for part in ("from_", "joins", "laterals", "where", "group"):
            select.set(part, None)
        select.set("expressions", shown)
        select.set("from_", exp.From(this=inner.subquery(ALIAS)))
        for part, clause in made.items():
            select.set(part, clause)
        if self._groups:
            names = [exp.column(f"g{i}") for i in range(len(self._groups))]
            select.set("group", exp.Group(expressions=names))

    def _each_row(self, keys: Sequence[exp.Expr]) -> exp.Select:
        named = [exp.alias_(g.copy(), f"g{i}") for i, g in enumerate(self._groups)]
        named += [exp.alias_(k, f"k{i}") for i, k in enumerate(keys)]
        values = [exp.alias_(v, f"v{i}") for i, v in enumerate(self._inner)]
        inner = exp.Select(expressions=[*named, *values])
        for part in ("from_", "joins", "laterals", "where"):
            inner.set(part, _copied(self._draft.select.args.get(part)))
        return grouped_by_place(inner, len(named))

    def _projection(self, node: exp.Expr) -> exp.Expr:
        made = self._outer(node)
        plain = isinstance(node, exp.Column) and node.name
        return exp.alias_(made, node.name) if plain else made

    def _outer(self, node: exp.Expr) -> exp.Expr:
        """Return an expression of the groups as the second step has it."""
        if isinstance(node, exp.Filter) or is_aggregate(node, self._parts.dialect):
            return self._aggregate(node)
        inlined = (
            self._draft.inlined(node) if not isinstance(node, exp.Ordered | exp.Order) else node
        )
        if inlined in self._groups:
            return exp.column(f"g{self._groups.index(inlined)}")
        if isinstance(node, exp.Column):
            ref = self._parts.items.ref(node)
            if ref is None or ref.status != "alias":
                raise Unfit
            return node.copy()
        copy = node.copy()
        children = list(zip(node.iter_expressions(), copy.iter_expressions(), strict=True))
        for own, copied in children:
            if own.find(exp.Column) or own.find(exp.Star) or own.find(exp.AggFunc):
                copied.replace(self._outer(own))
        return copy

    def _aggregate(self, node: exp.Expr) -> exp.Expr:
        call = node.this if isinstance(node, exp.Filter) else node
        if id(call) in self._spoilt:
            return self._spoilt_one(self._spoilt[id(call)].measure)
        if isinstance(call, exp.Min | exp.Max):
            value = self._chosen(node, call.this)
            return type(call)(this=self._value(type(call)(this=value)))
        measure = self._measures.get(id(call))
        if measure is None:
            raise Unfit
        repeated = next(iter(self._spoilt.values())).repeated
        once = any(c.sources for c in measure.cases) and self._parts.is_of(measure, repeated)
        if once and not measure.distinct:
            return self._spoilt_one(measure)
        return self._other(measure)

    def _spoilt_one(self, measure: Measure) -> exp.Expr:
        """Take the value once for each row, then aggregate as before."""
        call = measure.node
        if measure.term is not None:
            return exp.Sum(this=self._value(self._terms(call, call.this)))
        if measure.value is None and measure.filter is None:
            return exp.Count(this=exp.Star())
        value = self._once(measure)
        once = self._value(exp.Max(this=value))
        if isinstance(call, exp.CountIf):
            return exp.func("COALESCE", exp.Sum(this=once), exp.Literal.number(0))
        made = call.copy()
        made.set("this", once)
        if isinstance(call, exp.Sum) and _zero_default(measure.value):
            return exp.func("COALESCE", made, exp.Literal.number(0))
        return made

    def _terms(self, call: exp.Expr, node: exp.Expr) -> exp.Expr:
        """Return a sum's terms within one row: the repeated ones once, the others added up."""
        if isinstance(node, exp.Paren | exp.Neg):
            return type(node)(this=self._terms(call, node.this))
        if isinstance(node, exp.Add | exp.Sub):
            sides = (self._terms(call, n) for n in (node.this, node.expression))
            return type(node)(this=next(sides), expression=next(sides))
        measure = next((m for m in self._parts.measures if m.term is node), None)
        if measure is None or measure.filter is not None or not isinstance(call, exp.Sum):
            raise Unfit
        value = self._draft.inlined(node)
        repeated = next(iter(self._spoilt.values())).repeated
        if not self._parts.is_of(measure, repeated):
            return exp.Sum(this=value)
        if value.find(exp.Case, exp.If):
            raise Unfit
        return exp.Max(this=value)

    def _once(self, measure: Measure) -> exp.Expr:
        """Return the value of one row; NULL where the condition does not hold."""
        value = measure.value
        one: exp.Expr = exp.Literal.number(1)
        if isinstance(measure.node, exp.CountIf) and value is not None:
            return self._chosen_if(
                measure, exp.Case(ifs=[exp.If(this=self._draft.inlined(value), true=one)])
            )
        if value is None:
            return self._chosen_if(measure, one)
        made = self._draft.inlined(value)
        if isinstance(made, exp.Case):
            if len(made.args["ifs"]) > 1 or not _is_nothing(made.args.get("default")):
                raise Unfit
            made.set("default", None)
        elif made.find(exp.Case, exp.If):
            raise Unfit
        return self._chosen_if(measure, made)

    def _chosen_if(self, measure: Measure, value: exp.Expr) -> exp.Expr:
        if measure.filter is None:
            return value
        return exp.Case(ifs=[exp.If(this=self._draft.inlined(measure.filter), true=value)])

    def _chosen(self, node: exp.Expr, value: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Filter):
            return self._draft.inlined(value)
        condition = self._draft.inlined(node.expression.this)
        return exp.Case(ifs=[exp.If(this=condition, true=self._draft.inlined(value))])

    def _other(self, measure: Measure) -> exp.Expr:
        """Add up in the first step what is not repeated, and the parts in the second."""
        if measure.distinct:
            return self._other_distinct(measure)
        if measure.sort not in ("sum", "count") or isinstance(measure.node, exp.CountIf):
            raise Unfit
        if measure.value is None:
            call: exp.Expr = exp.Count(this=self._chosen_if(measure, exp.Star()))
            if measure.filter is not None:
                call = exp.Count(this=self._chosen_if(measure, exp.Literal.number(1)))
        else:
            own = measure.node.this
            call = type(measure.node)(this=self._chosen_if(measure, self._draft.inlined(own)))
        return exp.Sum(this=self._value(call))

    def _other_distinct(self, measure: Measure) -> exp.Expr:
        """Count distinct values of the repeated rows themselves: one value a row."""
        repeated = next(iter(self._spoilt.values())).repeated
        if measure.value is None or not self._parts.is_of(measure, repeated):
            raise Unfit
        once = self._value(exp.Max(this=self._once(measure)))
        return exp.Count(this=exp.Distinct(expressions=[once]))

    def _value(self, node: exp.Expr) -> exp.Column:
        self._inner.append(node)
        return exp.column(f"v{len(self._inner) - 1}")


def _copied(part: object) -> object:
    if isinstance(part, list):
        return [p.copy() for p in part]
    return part.copy() if isinstance(part, exp.Expr) else None


def _is_nothing(node: exp.Expr | None) -> bool:
    return node is None or isinstance(node, exp.Null) or is_zero(node)


def _zero_default(value: exp.Expr | None) -> bool:
    default = value.args.get("default") if isinstance(value, exp.Case) else None
    return default is not None and is_zero(default)
