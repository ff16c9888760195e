"""Aggregates where they cannot stand: in WHERE, in each other, without GROUP BY."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, View, own

STRICT = frozenset({"duckdb", "postgres", "athena", "trino", "presto", "snowflake", "bigquery"})


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield what may be done about the first aggregate that stands where none can."""
    for frame in reversed(view.frames):
        for rule in (
            _nested,
            _in_where,
            _ungrouped_order,
            _ungrouped_having,
            _not_grouped,
        ):
            found = list(rule(view, known, frame))
            if found:
                yield from found
                return


def _nested(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """``MAX(COUNT(x))``: the outer one over a subquery, or the first row by the inner one."""
    nest = _first_nest(frame)
    if nest is None:
        return
    if frame.select.args.get("group") and len(frame.select.expressions) > 1:
        yield from _as_top(view, frame)
        return
    yield from _as_subquery(view, frame)


def _first_nest(frame: Frame) -> exp.AggFunc | None:
    for agg in own(frame.select, exp.AggFunc):
        inner = agg.this
        if isinstance(inner, exp.AggFunc):
            return agg
    return None


def _as_top(view: View, frame: Frame) -> Iterator[Step]:
    """``MAX(COUNT(x)), g … GROUP BY g`` asks for the g with the highest count."""
    copy = view.again()
    here = copy.frames[frame.index]
    nest = _first_nest(here)
    if not isinstance(nest, exp.Max | exp.Min) or here.select.args.get("order"):
        return
    inner = nest.this.copy()
    nest.replace(inner.copy())
    order = exp.Ordered(this=inner, desc=isinstance(nest, exp.Max))
    here.select.set("order", exp.Order(expressions=[order]))
    here.select.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    why = "the highest count: sorted by it, first row"
    sure = prior("nested_top")
    yield Step(code="nested_top", why=why, certainty=sure, tree=copy.tree, edits=2)


def _as_subquery(view: View, frame: Frame) -> Iterator[Step]:
    """``MAX(COUNT(x))`` becomes MAX over the counts of a subquery."""
    copy = view.again()
    here = copy.frames[frame.index]
    nest = _first_nest(here)
    if nest is None or len(here.select.expressions) != 1:
        return
    inner = here.select.copy()
    groups = inner.args.get("group")
    if groups is None:
        key = _grain(here)
        if key is None:
            return
        inner.set("group", exp.Group(expressions=[key]))
    counted = exp.alias_(nest.this.copy(), "n")
    inner.set("expressions", [counted])
    nest.this.replace(edits.column("n"))
    outer = exp.Select(expressions=[e.copy() for e in here.select.expressions])
    outer = outer.from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=edits.name("counts"))))
    tree = _swap(copy.tree, here.select, outer)
    why = "the inner aggregate goes into a subquery"
    yield Step(code="nested", why=why, certainty=prior("nested"), tree=tree, edits=2)


def _swap(tree: exp.Expr, old: exp.Expr, new: exp.Expr) -> exp.Expr:
    if old is tree:
        return new
    old.replace(new)
    return tree


def _grain(frame: Frame) -> exp.Expr | None:
    """Return the key of the first source: what a bare average of counts is taken over."""
    first = next(iter(frame.sources.values()), None)
    if first is None or first.table is None or len(first.table.primary_key) != 1:
        return None
    return edits.column(first.table.primary_key[0], first.alias)


def _in_where(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """An aggregate in WHERE: HAVING if the query groups, else a subquery over the same rows."""
    guilty = [p for p in edits.predicates(frame) if next(own(p, exp.AggFunc), None)]
    if not guilty:
        return
    if frame.select.args.get("group"):
        yield from _to_having(view, frame)
    yield from _to_scalar(view, frame)


def _to_having(view: View, frame: Frame) -> Iterator[Step]:
    copy = view.again()
    here = copy.frames[frame.index]
    parts = list(edits.predicates(here))
    guilty = [p for p in parts if next(own(p, exp.AggFunc), None)]
    having = here.select.args.get("having")
    all_ = [*edits.conjuncts(having.this if having else None), *guilty]
    edits.set_where(here.select, [p for p in parts if p not in guilty])
    here.select.set("having", exp.Having(this=exp.and_(*all_)))
    why = "a condition on an aggregate belongs into HAVING"
    yield Step(code="to_having", why=why, certainty=prior("to_having"), tree=copy.tree)


def _to_scalar(view: View, frame: Frame) -> Iterator[Step]:
    copy = view.again()
    here = copy.frames[frame.index]
    for part in list(edits.predicates(here)):
        for agg in list(own(part, exp.AggFunc)):
            query = exp.Select(expressions=[agg.copy()])
            query.set("from_", here.select.args["from_"].copy())
            query.set("joins", [j.copy() for j in here.select.args.get("joins") or []])
            agg.replace(exp.Subquery(this=query))
    why = "an aggregate in WHERE is taken from a subquery"
    yield Step(code="to_scalar", why=why, certainty=prior("to_scalar"), tree=copy.tree, edits=2)


def _ungrouped_order(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """``SELECT g … ORDER BY COUNT(*)`` groups by what it lists."""
    order = frame.select.args.get("order")
    if frame.select.args.get("group") or order is None or not next(own(order, exp.AggFunc), None):
        return
    if any(next(own(e, exp.AggFunc), None) for e in frame.select.expressions):
        return
    yield from _grouped(view, frame, "group_order")


def _ungrouped_having(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """``SELECT g … HAVING COUNT(*) > 1`` groups by what it lists."""
    if frame.select.args.get("group") or frame.select.args.get("having") is None:
        return
    if any(not next(own(e, exp.AggFunc), None) for e in frame.select.expressions):
        yield from _grouped(view, frame, "group_having")


def _grouped(view: View, frame: Frame, code: str) -> Iterator[Step]:
    copy = view.again()
    here = copy.frames[frame.index]
    listed = [e.unalias() for e in here.select.expressions if not next(own(e, exp.AggFunc), None)]
    if any(e.is_star for e in listed):
        return
    here.select.set("group", exp.Group(expressions=[e.copy() for e in listed]))
    why = "grouped by what is listed"
    yield Step(code=code, why=why, certainty=prior(code), tree=copy.tree)


def _not_grouped(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """A strict engine wants every listed column grouped, or one value chosen."""
    if known.dialect not in STRICT or not known.error:
        return
    loose = _loose(frame)
    if not loose:
        return
    copy = view.again()
    here = copy.frames[frame.index]
    group = here.select.args.get("group")
    given = list(group.expressions) if group else []
    here.select.set("group", exp.Group(expressions=[*given, *(c.copy() for c in _loose(here))]))
    dependent = _determined(frame)
    sure = prior("group_all") if dependent else prior("group_more")
    names = ", ".join(c.sql() for c in loose)
    code = "group_all" if dependent else "group_more"
    yield Step(code=code, why=f"grouped by {names} too", certainty=sure, tree=copy.tree)
    yield from _any_value(view, frame)


def _any_value(view: View, frame: Frame) -> Iterator[Step]:
    copy = view.again()
    here = copy.frames[frame.index]
    if here.select.args.get("group") is None:
        return
    for col in _loose(here):
        col.replace(exp.AnyValue(this=col.copy()))
    why = "one value of each group, where it does not say which"
    yield Step(code="any_value", why=why, certainty=prior("any_value"), tree=copy.tree)


def _loose(frame: Frame) -> list[exp.Column]:
    """Columns listed, sorted by or filtered on beside aggregates, that no group holds."""
    select = frame.select
    group = select.args.get("group")
    aggregates = any(next(own(e, exp.AggFunc), None) for e in select.expressions)
    if group is None and not (aggregates or select.args.get("having")):
        return []
    held = {e.sql().lower() for e in (group.expressions if group else [])}
    held |= {e.name.lower() for e in (group.expressions if group else [])}
    held |= frame.aliases
    places = [*select.expressions, *(select.args.get(k) for k in ("having", "order"))]
    cols = [c for p in places if p is not None for c in own(p, exp.Column)]
    loose = [c for c in cols if not c.find_ancestor(exp.AggFunc, exp.Select, exp.Window)]
    inside = [c for c in cols if isinstance(c.find_ancestor(exp.AggFunc, exp.Select), exp.Select)]
    kept = [c for c in inside if c.sql().lower() not in held and c.name.lower() not in held]
    return [c for c in kept if c not in loose or not isinstance(c.this, exp.Star)]


def _determined(frame: Frame) -> bool:
    """Tell whether the grouping holds a unique key of every source that loose columns come from."""
    group = frame.select.args.get("group")
    given: dict[str, set[str]] = {}
    for col in group.expressions if group else []:
        owners = frame.owners(col.name)
        alias = col.table.lower() if isinstance(col, exp.Column) and col.table else ""
        for owner in owners:
            if not alias or owner.alias.lower() == alias:
                given.setdefault(owner.alias.lower(), set()).add(col.name)
    for col in _loose(frame):
        for owner in [
            s
            for s in frame.owners(col.name)
            if not col.table or s.alias.lower() == col.table.lower()
        ]:
            keys = given.get(owner.alias.lower(), set())
            if owner.table is None or not owner.table.is_unique(keys):
                return False
    return True
