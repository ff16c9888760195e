"""Two values asked of one thing, both A and B, that one row is asked to hold or either may."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.links import is_unique, targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, tokens
from querymend.tools.sql.trees import copied

_OUTER = ("order", "limit", "group", "having", "distinct", "offset")


def either_for_both(seen: Seen) -> Iterable[Finding]:
    """Find ``IN (A, B)`` or ``= A OR = B`` where the question asks for both A and B."""
    if seen.reading.both is None or _counts_kinds(seen.tree):
        return
    for node, values in _alternatives(seen):
        if _are(values, seen.reading.both):
            yield seen.found(
                "either_for_both",
                "question",
                "repair",
                f"The question asks for both {values[0]} and {values[1]}; this takes either.",
                node=node,
                hint="Find the rows of each apart and keep what is in both (INTERSECT).",
                fix=_intersected(seen.tree, node),
            )


def _alternatives(seen: Seen) -> Iterator[tuple[exp.Expr, tuple[str, ...]]]:
    """Yield the predicates that take one of two texts, with the texts."""
    single = {id(c.node): c for c in seen.comparisons if c.op in ("=", "like") and not c.negated}
    for one in seen.comparisons:
        if one.op == "in" and not one.negated and len(one.texts) == 2:
            yield one.node, one.texts
    for node in seen.all(exp.Or):
        left, right = single.get(id(node.this)), single.get(id(node.expression))
        if left is not None and right is not None and left.place == right.place:
            yield node, (*left.texts, *right.texts)


def _are(values: tuple[str, ...], both: tuple[str, str]) -> bool:
    """Tell whether two texts are the two things, in either order."""
    if len(values) != 2:
        return False
    one, other = both
    straight = _is(values[0], one) and _is(values[1], other)
    return straight or (_is(values[0], other) and _is(values[1], one))


def _is(value: str, said: str) -> bool:
    wanted, words = tokens(value.strip(" %")), tokens(said)
    return bool(wanted) and all(any(alike(w, s) for s in words) for w in wanted)


def _counts_kinds(tree: exp.Expr) -> bool:
    """A count of different values, or a set operation, already asks for both."""
    if tree.find(exp.Intersect):
        return True
    return any(h.find(exp.Count) is not None for h in tree.find_all(exp.Having))


def _intersected(tree: exp.Expr, node: exp.Expr) -> exp.Expr | None:
    """Return the statement for one value INTERSECT the same for the other."""
    plain = isinstance(tree, exp.Select) and not any(tree.args.get(k) for k in _OUTER)
    if not plain or any(e.find(exp.AggFunc) for e in tree.expressions):
        return None
    arms = [_only(tree, node, place) for place in (0, 1)]
    return exp.Intersect(this=arms[0], expression=arms[1], distinct=True)


def _only(tree: exp.Expr, node: exp.Expr, place: int) -> exp.Expr:
    """Copy the tree with one of the two alternatives in the node's place."""
    copy, (here,) = copied(tree, [node])
    if isinstance(here, exp.In):
        chosen: exp.Expr = exp.EQ(this=here.this.copy(), expression=here.expressions[place].copy())
    else:
        chosen = (here.this if place == 0 else here.expression).copy()
    here.replace(chosen)
    return copy


def set_of_labels(seen: Seen) -> Iterable[Finding]:
    """Find EXCEPT and INTERSECT over columns that do not tell things apart."""
    for node in seen.all(exp.Except, exp.Intersect):
        arms = (node.this, node.expression)
        selects = [a for a in arms if isinstance(a, exp.Select)]
        uses = [[seen.by_node.get(id(e.unalias())) for e in s.expressions] for s in selects]
        if len(uses) != 2 or any(u is None for arm in uses for u in arm):
            continue
        tables = {u.table.qualified_name for arm in uses for u in arm if u}
        if len(tables) == 1 and not any(_tells(seen, u) for u in uses[0] if u):
            yield seen.found(
                "set_of_labels",
                "question",
                "repair",
                "Several things share these values: one takes away, or stands for, another.",
                node=node.expression,
                hint="Compare the keys, and show the values of what remains.",
            )


def _tells(seen: Seen, used: Used) -> bool:
    """The column is unique, refers to what is, or its table has no key to tell things apart."""
    key = used.table.primary_key
    if not key or used.column.name.lower() in {k.lower() for k in key}:
        return True
    return is_unique(used.table, used.column.name) or bool(targets(used, seen.catalog))


def count_beside_rows(seen: Seen) -> Iterable[Finding]:
    """Find set operations between a count and the rows that were to be counted."""
    for node in seen.all(exp.Except, exp.Intersect, exp.Union):
        one, other = node.this, node.expression
        if _counted(one) is not None and isinstance(other, exp.Select) and not _sums(other):
            yield seen.found(
                "count_beside_rows",
                "question",
                "repair",
                "One side of the set operation is a count, the other side rows.",
                node=node.expression,
                hint="Count what the set operation leaves: SELECT COUNT(*) FROM (… EXCEPT …).",
                fix=_count_of(node) if node is seen.tree else None,
            )


def counts_for_things(seen: Seen) -> Iterable[Finding]:
    """Find EXCEPT and INTERSECT of two counts: numbers are compared, and not what was counted."""
    for node in seen.all(exp.Except, exp.Intersect):
        one, other = _counted(node.this), _counted(node.expression)
        if one is not None and other is not None:
            yield seen.found(
                "counts_for_things",
                "question",
                "repair",
                "The set operation compares two counts, not the things that were counted.",
                node=node.expression,
                hint="Count what the set operation leaves: SELECT COUNT(*) FROM (… EXCEPT …).",
                fix=_count_of(node) if node is seen.tree else None,
            )


def _counted(query: exp.Expr) -> exp.Expr | None:
    """Return the column that a query counts, where it gives that count alone."""
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or query.args.get("group"):
        return None
    count = query.expressions[0].unalias()
    inner = count.this if isinstance(count, exp.Count) else None
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    return inner if isinstance(inner, exp.Column) else None


def _sums(query: exp.Select) -> bool:
    return any(e.find(exp.AggFunc) for e in query.expressions)


def _count_of(node: exp.SetOperation) -> exp.Expr | None:
    """Return the count of what the set operation leaves; a union's duplicates count once."""
    copy = node.copy()
    counted = _counted(copy.this)
    assert counted is not None
    assert isinstance(copy.this, exp.Select)
    copy.this.set("expressions", [counted.copy()])
    copy.set("distinct", True)
    other = _counted(copy.expression)
    if other is not None:
        copy.expression.set("expressions", [other.copy()])
        kept = exp.Count(this=exp.column(counted.name))
        return exp.select(kept).from_(copy.subquery("kept"))
    return exp.select(exp.Count(this=exp.Star())).from_(copy.subquery("kept"))
