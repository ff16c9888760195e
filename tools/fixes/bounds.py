"""Two things asked of one row that no row can be: sets were meant, and what they share."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.fixes import edits, joins
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, View

UPPER = (exp.LT, exp.LTE)
LOWER = (exp.GT, exp.GTE)
BOTH_ASKED = frozenset({"both_by_in", "both_values", "contradiction"})
"""Codes of findings that ask for what two sets share."""


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield the intersection of two queries in place of one that contradicts itself."""
    if not (known.empty or known.codes & BOTH_ASKED):
        return
    for frame in view.frames:
        if not isinstance(frame.select.parent, exp.SetOperation):
            for rule in (_contradicting, _listed_both):
                found = [s for s in rule(view, known, frame) if not s.settled & settled]
                if found:
                    yield from found
                    return


def _contradicting(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    parts = list(edits.predicates(frame))
    for i, a in enumerate(parts):
        for j in range(i + 1, len(parts)):
            if _exclude(a, parts[j], view, frame):
                asked = frame.select is view.tree and _are_both_asked(a, parts[j], known)
                yield _split(view, frame, (i, j), "both_asked" if asked else "both_bounds")
                return


def _are_both_asked(a: exp.Expr, b: exp.Expr, known: Known) -> bool:
    """The question says both, and names the two values as the text has them."""
    sides = [p.unnest() for p in (a, b)]
    if "both" not in known.asked or not all(isinstance(s, exp.EQ) for s in sides):
        return False
    return all(known.mentions(s.expression.name) for s in sides)


def _exclude(a: exp.Expr, b: exp.Expr, view: View, frame: Frame) -> bool:
    """Tell whether no row can meet both conditions, which speak of one column."""
    a, b = a.unnest(), b.unnest()
    if isinstance(a, exp.In) and isinstance(b, exp.In):
        return _excluding_sets(a, b, view, frame)
    if not isinstance(a, exp.Binary) or not isinstance(b, exp.Binary) or a.this != b.this:
        return False
    if not (isinstance(a.expression, exp.Literal) and isinstance(b.expression, exp.Literal)):
        return False
    if isinstance(a, exp.EQ) and isinstance(b, exp.EQ):
        return bool(a.expression != b.expression)
    if isinstance(a, UPPER) and isinstance(b, LOWER):
        return _below(a.expression, b.expression)
    return isinstance(a, LOWER) and isinstance(b, UPPER) and _below(b.expression, a.expression)


def _excluding_sets(a: exp.In, b: exp.In, view: View, frame: Frame) -> bool:
    """``x IN (… c < 1) AND x IN (… c > 2)``, where x is not what is listed: one row, two sets."""
    if a.this != b.this or not a.args.get("query") or not b.args.get("query"):
        return False
    left, right = joins.inner_frame(view, a), joins.inner_frame(view, b)
    if left is None or right is None or left.select.args.get("where") is None:
        return False
    mine, theirs = list(edits.predicates(left)), list(edits.predicates(right))
    return any(_exclude(p, q, view, frame) for p in mine for q in theirs)


def _below(high: exp.Expr, low: exp.Expr) -> bool:
    try:
        return float(high.name) <= float(low.name)
    except ValueError:
        return high.name <= low.name


def _split(view: View, frame: Frame, places: tuple[int, int], code: str) -> Step:
    """Make two of the frame, each without one of the two conditions, and intersect them."""
    copy = view.again()
    here = copy.frames[frame.index]
    arms = []
    for gone in places:
        arm = here.select.copy()
        where = arm.args["where"]
        parts = [p for k, p in enumerate(edits.conjuncts(where.this)) if k != gone]
        edits.set_where(arm, parts)
        for part in ("order", "limit"):
            arm.set(part, None)
        arms.append(arm)
    return _met(copy, here, arms, code)


def _met(copy: View, here: Frame, arms: Sequence[exp.Select], code: str) -> Step:
    both = exp.Intersect(this=arms[1], expression=arms[0], distinct=True)
    counted = _count(here)
    tree: exp.Expr = both
    if counted is not None:
        for arm in arms:
            arm.set("expressions", [counted.copy()])
        tree = exp.Select(expressions=[exp.Count(this=exp.Star())])
        alias = exp.TableAlias(this=edits.name("both_sets"))
        tree = tree.from_(exp.Subquery(this=both, alias=alias))
    if here.select is copy.tree:
        new = tree
    else:
        here.select.replace(tree)
        new = copy.tree
    why = "one row cannot be both: what two sets share was meant"
    return Step(code=code, why=why, certainty=prior(code), tree=new, edits=2)


def _count(frame: Frame) -> exp.Expr | None:
    """Return what a query that gives one count counts: its column, or its key; None if it lists."""
    items = frame.select.expressions
    item = items[0].unalias() if len(items) == 1 else None
    if not isinstance(item, exp.Count):
        return None
    inner = item.this
    if isinstance(inner, exp.Distinct):
        inner = inner.expressions[0]
    return inner.copy() if isinstance(inner, exp.Column) else _key(frame)


def _key(frame: Frame) -> exp.Expr | None:
    """The column that refers elsewhere if the table only links, else its key."""
    source = next(iter(frame.sources.values()), None)
    if source is None or source.table is None:
        return None
    alias = source.alias if len(frame.sources) > 1 else ""
    if source.table.keys and (len(source.table.primary_key) != 1):
        return edits.column(source.table.keys[0].columns[0], alias)
    if len(source.table.primary_key) == 1:
        return edits.column(source.table.primary_key[0], alias)
    return None


def _listed_both(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    """``c IN ('a', 'b')`` where the question asks for both a and b."""
    if "both" not in known.asked and not known.codes & BOTH_ASKED:
        return
    for i, part in enumerate(edits.predicates(frame)):
        pair = _pair(part.unnest())
        if pair is None or not all(known.mentions(p.name) for p in pair):
            continue
        copy = view.again()
        here = copy.frames[frame.index]
        arms = []
        for value in pair:
            arm = here.select.copy()
            parts = edits.conjuncts(arm.args["where"].this)
            col = next(parts[i].find_all(exp.Column)).copy()
            parts[i] = exp.EQ(this=col, expression=value.copy())
            edits.set_where(arm, parts)
            for name in ("order", "limit", "group", "having"):
                arm.set(name, None)
            arms.append(arm)
        yield _met(copy, here, arms, "both_values")
        return


def _pair(node: exp.Expr) -> list[exp.Literal] | None:
    """Return the two texts that one column may have, by IN or by OR."""
    if isinstance(node, exp.In):
        values = [v for v in node.expressions if isinstance(v, exp.Literal)]
        return values if len(values) == 2 == len(node.expressions) else None
    if isinstance(node, exp.Or):
        a, b = node.this, node.expression
        if isinstance(a, exp.EQ) and isinstance(b, exp.EQ) and a.this == b.this:
            values = [v for v in (a.expression, b.expression) if isinstance(v, exp.Literal)]
            return values if len(values) == 2 else None
    return None


def counted(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """``SELECT COUNT(*) … INTERSECT SELECT COUNT(*) …`` counts what the two sets share."""
    for node in view.tree.find_all(exp.Intersect, exp.Except):
        frames = [_frame(view, node.this), _frame(view, node.expression)]
        if any(f is None or _count(f) is None for f in frames):
            continue
        copy = view.again()
        kind = type(node)
        twin = next(n for n in copy.tree.find_all(kind) if n == node)
        arms = []
        for frame in frames:
            arm = frame.select.copy() if frame else exp.Select()
            arm.set("expressions", [_count(frame) if frame else None])
            arms.append(arm)
        inner = kind(this=arms[0], expression=arms[1], distinct=True)
        outer = exp.Select(expressions=[exp.Count(this=exp.Star())])
        alias = exp.TableAlias(this=edits.name("both_sets"))
        outer = outer.from_(exp.Subquery(this=inner, alias=alias))
        tree: exp.Expr = outer
        if twin is not copy.tree:
            twin.replace(outer)
            tree = copy.tree
        why = "counted what the two sets share, not their counts"
        yield Step(
            code="count_of_sets", why=why, certainty=prior("count_of_sets"), tree=tree, edits=2
        )
        return


def _frame(view: View, node: exp.Expr) -> Frame | None:
    inner = node.unnest()
    return next((f for f in view.frames if f.select is inner), None)
