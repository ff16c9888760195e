"""What a SELECT groups by, and the queries within expressions and set operations."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.sql.aggregates import is_aggregate, walk_level

PARTIAL = (exp.Rollup, exp.Cube, exp.GroupingSets)


def has_partial(group: exp.Expr | None) -> bool:
    """Tell whether a GROUP BY has ROLLUP, CUBE or GROUPING SETS."""
    return group is not None and any(
        group.args.get(k) for k in ("rollup", "cube", "grouping_sets", "totals")
    )


def group_expressions(select: exp.Select, dialect: str) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, places in the select list looked up."""
    group = select.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        for projection in select.expressions:
            if not any(is_aggregate(n, dialect) for n in walk_level(projection)):
                yield projection.unalias()
    for node in group.expressions:
        if isinstance(node, exp.Literal) and node.is_int:
            place = int(node.name) - 1
            if 0 <= place < len(select.expressions):
                yield select.expressions[place].unalias()
        else:
            yield node


def one_row(node: exp.Expr) -> bool:
    """Tell whether a query is limited to one row."""
    limit = node.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
    return isinstance(count, exp.Literal) and count.name == "1"


def queries(nodes: Sequence[object]) -> Iterator[exp.Expr]:
    """Yield the outermost queries within expressions."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Query) and not isinstance(node, exp.Table):
            yield node
        elif isinstance(node, exp.Expr):
            stack.extend(node.iter_expressions())


def arms_of(node: exp.Expr) -> list[exp.Expr]:
    """Return the queries of a set operation, from left to right."""
    arms: list[exp.Expr] = []
    while isinstance(node, exp.SetOperation):
        arms.append(node.expression)
        node = node.this
    return [node, *reversed(arms)]
