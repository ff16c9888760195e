"""Statements whose result would have the shape asked for: fixes of the findings about shape.

Each takes a case and gives SQL, or None where the tree does not allow it for certain.
"""

from sqlglot import exp

from querymend.tools.fixes.top_n import rank_within
from querymend.tools.results.case import Case


def ungrouped(case: Case) -> str | None:
    """Drop the grouping of a statement that lists aggregates alone, and nothing of its groups."""
    tree = case.statement.tree
    if not isinstance(tree, exp.Select) or not tree.args.get("group"):
        return None
    bare = all(e.find(exp.AggFunc) and not e.find(exp.Window) for e in tree.selects)
    if not bare or tree.args.get("limit") or not _keeps_every_group(tree.args.get("having")):
        return None
    whole = tree.copy()
    for part in ("group", "having", "order"):
        whole.set(part, None)
    return whole.sql(case.statement.dialect)


def _keeps_every_group(having: exp.Expr | None) -> bool:
    """Tell whether HAVING is not there, or asks of each group only that it has rows."""
    if having is None:
        return True
    test = having.this
    return (
        isinstance(test, exp.GT)
        and isinstance(test.this, exp.Count)
        and isinstance(test.expression, exp.Literal)
        and test.expression.name == "0"
    )


def ordered_outside(case: Case) -> str | None:
    """Repeat the order of the one query that the statement reads from, where it is lost."""
    tree, source = case.statement.tree, case.statement.source
    order = source.args.get("order") if source is not None and source is not tree else None
    if not isinstance(tree, exp.Select) or order is None:
        return None
    shown = {e.alias_or_name.lower(): e.alias_or_name for e in tree.selects}
    terms = order.expressions
    names = [t.this.name.lower() if isinstance(t.this, exp.Column) else "" for t in terms]
    if not all(n in shown for n in names):
        return None
    whole = tree.copy()
    lost = [
        exp.Ordered(this=exp.column(shown[n]), desc=t.args.get("desc"))
        for n, t in zip(names, terms, strict=True)
    ]
    whole.set("order", exp.Order(expressions=lost))
    return whole.sql(case.statement.dialect)


def best_of_each(case: Case) -> str | None:
    """Write the statement that keeps the first row of each group asked for, if one can."""
    groups, wanted = case.reading.group_by, case.reading.superlatives
    if len(groups) != 1 or len(wanted) != 1:
        return None
    highest = wanted[0].direction == "high"
    fixed = rank_within(case.statement.tree, n=1, entity="", each=groups, highest=highest)
    return fixed.sql(case.statement.dialect) if fixed else None


def first_of_all(case: Case, rows: int) -> str | None:
    """Keep the first so many groups by the one aggregate of the list, where nothing orders them."""
    tree, top = case.statement.tree, case.expectation.top
    if not isinstance(tree, exp.Select) or top is None or tree.args.get("limit"):
        return None
    group = tree.args.get("group")
    values = [e for e in tree.selects if e.find(exp.AggFunc) and not e.find(exp.Window)]
    if group is None or len(values) != 1 or tree.args.get("order"):
        return None
    whole = tree.copy()
    term = exp.Ordered(this=values[0].unalias().copy(), desc=not top.lowest)
    whole.set("order", exp.Order(expressions=[term]))
    return whole.limit(rows).sql(case.statement.dialect)
