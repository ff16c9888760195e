"""Branches that repeat each other are aggregated by their join columns before they are joined."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.grain.conditions import conjuncts
from querymend.tools.grain.drafting import Draft
from querymend.tools.grain.measures import Measure
from querymend.tools.grain.parts import Parts, rejects_null
from querymend.tools.grain.regroup import Unfit
from querymend.tools.grain.space import Feed
from querymend.tools.grain.suspects import Suspect
from querymend.tools.sql.aggregates import is_aggregate, walk_level


def preaggregated(draft: Draft, parts: Parts, suspects: Sequence[Suspect]) -> bool:
    """Change the draft; False where a branch is read by more than its aggregates and keys."""
    block = parts.block
    if not block.grouped or block.select.find(exp.Window) is not None:
        return False
    aggregates = [n for n in walk_level(_clauses(block.select)) if is_aggregate(n, parts.dialect)]
    wanted = _branches(parts, suspects, aggregates)
    if not wanted:
        return False
    try:
        branches = [_Branch(draft, parts, f, aggregates) for f in wanted]
        for branch in branches:
            branch.write()
    except Unfit:
        return False
    return True


def _clauses(select: exp.Select) -> list[object]:
    return [*select.expressions, select.args.get("having"), select.args.get("order")]


def _branches(
    parts: Parts, suspects: Sequence[Suspect], aggregates: Sequence[exp.Expr]
) -> list[Feed]:
    """Return the entries of FROM that take part and are aggregated, each by itself."""
    involved = {a.id for s in suspects for a in (*s.repeated, *s.by)}
    read = [parts.reads(a) for a in aggregates]
    if any(len(r) != 1 for r in read):
        return []
    aggregated = set().union(*read)
    return [
        f for f in parts.feeds if id(f.node) in aggregated and involved & {a.id for a in f.atoms}
    ]


class _Branch:
    """One entry of FROM that becomes a subquery of one row for each join key."""

    def __init__(
        self, draft: Draft, parts: Parts, feed: Feed, aggregates: Sequence[exp.Expr]
    ) -> None:
        self._draft = draft
        self._parts = parts
        self._feed = feed
        self._calls = [a for a in aggregates if id(feed.node) in parts.reads(a)]
        self._measures = {id(m.node): m for m in parts.measures}
        self._values: list[exp.Expr] = []
        self._moved: list[exp.Expr] = []

    def write(self) -> None:
        """Replace the entry and the aggregates that read it."""
        names = self._keys()
        self._refuse_other_uses({n.lower() for n in names})
        for call in self._calls:
            self._replace(call)
        self._take_conditions()
        alias = self._feed.node.alias_or_name
        copied = self._draft.of(self._feed.node)
        columns = [exp.column(n, alias) for n in names]
        values = [exp.alias_(v, f"qm_v{i}") for i, v in enumerate(self._values)]
        inner = exp.Select(expressions=[*columns, *values]).from_(copied.copy())
        for condition in self._moved:
            inner = inner.where(condition.copy(), copy=False)
        inner = inner.group_by(*(c.copy() for c in columns), copy=False)
        copied.replace(inner.subquery(alias))

    def _keys(self) -> list[str]:
        """Return the columns by which the entry is joined."""
        found: dict[str, None] = {}
        for condition in self._links():
            for column in condition.find_all(exp.Column):
                if self._is_mine(column):
                    found.setdefault(column.name)
        if not found:
            raise Unfit
        return list(found)

    def _links(self) -> Iterator[exp.Expr]:
        """Yield the conditions that tie the entry to others."""
        for feed in self._parts.feeds:
            join = self._parts.join_of(feed)
            if join is not None and join.method:
                raise Unfit
            yield from (c for c in self._parts.conditions(feed) if self._ties(c))
        where = conjuncts(self._parts.block.select.args.get("where"))
        yield from (c for c in where if self._ties(c))

    def _ties(self, condition: exp.Expr) -> bool:
        mine = [self._is_mine(c) for c in condition.find_all(exp.Column)]
        return any(mine) and not all(mine)

    def _is_mine(self, column: exp.Column) -> bool:
        ref = self._parts.items.ref(column)
        if ref is not None and ref.source is not None:
            return ref.source.node is self._feed.node
        return column.table.lower() == self._feed.node.alias_or_name.lower()

    def _refuse_other_uses(self, keys: set[str]) -> None:
        """Refuse an entry that is read outside of aggregates and conditions, but for its keys."""
        inside = {id(c) for call in self._calls for c in call.find_all(exp.Column)}
        inside |= {
            id(c)
            for call in self._calls
            if isinstance(call.parent, exp.Filter)
            for c in call.parent.find_all(exp.Column)
        }
        for part in self._parts.shown():
            for column in part.find_all(exp.Column) if isinstance(part, exp.Expr) else ():
                outside = id(column) not in inside and column.name.lower() not in keys
                if outside and self._is_mine(column):
                    raise Unfit

    def _take_conditions(self) -> None:
        """Move the conditions on the entry alone into its subquery."""
        select = self._parts.block.select
        join = self._parts.join_of(self._feed)
        nullable = any(a.id in self._parts.block.relation.nullable for a in self._feed.atoms)
        for clause in (select.args.get("where"), join.args.get("on") if join else None):
            for condition in conjuncts(clause):
                mine = [self._is_mine(c) for c in condition.find_all(exp.Column)]
                if not mine or not all(mine):
                    continue
                if nullable and clause is select.args.get("where"):
                    self._make_inner(condition, join)
                self._moved.append(condition)
                self._draft.of(condition).replace(exp.true())

    def _make_inner(self, condition: exp.Expr, join: exp.Join | None) -> None:
        if join is None or join.side != "LEFT" or not rejects_null(condition):
            raise Unfit
        self._draft.of(join).set("side", None)

    def _replace(self, call: exp.Expr) -> None:
        wrapped = call.parent if isinstance(call.parent, exp.Filter) else call
        outer = self._outer(call)
        self._draft.of(wrapped).replace(outer)

    def _outer(self, call: exp.Expr) -> exp.Expr:
        measure = self._measures.get(id(call))
        if isinstance(call, exp.Min | exp.Max) and not isinstance(call.parent, exp.Filter):
            return type(call)(this=self._value(self._draft.inlined(call)))
        if measure is None or measure.value is None:
            raise Unfit
        if measure.distinct:
            return self._distinct(measure)
        wrapped = call.parent if isinstance(call.parent, exp.Filter) else call
        if measure.sort in ("sum", "count"):
            made = exp.Sum(this=self._value(self._draft.inlined(wrapped)))
            return _or_zero(made) if measure.sort == "count" else made
        if isinstance(call, exp.Avg):
            return self._average(measure)
        raise Unfit

    def _distinct(self, measure: Measure) -> exp.Expr:
        """Count keys in the subquery: no key is met under two join keys."""
        value = measure.value
        keys = {next(iter(k)) for a in self._feed.atoms for k in a.keys if len(k) == 1}
        column = isinstance(value, exp.Column) and value.name.lower() in keys
        if measure.sort != "count" or not column or measure.filter is not None:
            raise Unfit
        return _or_zero(exp.Sum(this=self._value(self._draft.inlined(measure.node))))

    def _average(self, measure: Measure) -> exp.Expr:
        if measure.filter is not None or measure.value is None:
            raise Unfit
        value = self._draft.inlined(measure.value)
        total = exp.Sum(this=self._value(exp.Sum(this=value)))
        count = exp.Sum(this=self._value(exp.Count(this=value.copy())))
        return exp.Div(this=exp.cast(total, "double"), expression=count)

    def _value(self, node: exp.Expr) -> exp.Column:
        self._values.append(node)
        return exp.column(f"qm_v{len(self._values) - 1}", self._feed.node.alias_or_name)


def _or_zero(node: exp.Expr) -> exp.Expr:
    return exp.func("COALESCE", node, exp.Literal.number(0))
