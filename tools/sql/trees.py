"""Ways through a tree: within one SELECT, along a chain without recursion, into a copy."""

from collections.abc import Iterator, Sequence

from sqlglot import exp


def columns_and_queries(value: object) -> Iterator[exp.Expr]:
    """Yield the columns and queries below, without going into the queries."""
    stack = list(value) if isinstance(value, list) else [value]
    stack.reverse()
    while stack:
        node = stack.pop()
        if not isinstance(node, exp.Expr):
            continue
        if isinstance(node, (exp.Column, exp.Query)) and not isinstance(node, exp.Table):
            yield node
            continue
        if isinstance(node, exp.Comprehension):
            stack.append(node.args.get("iterator"))
            continue
        stack.extend(reversed(list(node.iter_expressions())))


def copied(tree: exp.Expr, nodes: Sequence[exp.Expr]) -> tuple[exp.Expr, list[exp.Expr]]:
    """Copy a tree; return with it the twins of some of its nodes, in the order given."""
    copy = tree.copy()
    wanted = {id(n) for n in nodes}
    pairs = zip(tree.walk(), copy.walk(), strict=True)
    twins = {id(node): twin for node, twin in pairs if id(node) in wanted}
    return copy, [twins[id(n)] for n in nodes]


def with_plain_negations(tree: exp.Expr) -> exp.Expr:
    """Say ``NOT (a LIKE b)`` where the parser only set a flag on ``LIKE``: else it is overlooked.

    Changes the tree in place, and returns it.
    """
    for node in [n for n in tree.walk() if n.args.get("negate")]:
        around = exp.Not()
        node.replace(around)
        node.set("negate", None)
        around.set("this", node)
    return tree


def drop_condition(node: exp.Expr) -> None:
    """Take a condition out of the AND or the WHERE that holds it; elsewhere it becomes TRUE."""
    above = node.parent
    if isinstance(above, exp.And):
        above.replace(above.expression if above.this is node else above.this)
    elif isinstance(above, exp.Where):
        above.pop()
    else:
        node.replace(exp.true())


def unwrap(node: exp.Expr) -> exp.Expr:
    """Drop brackets that hold a query and nothing else."""
    while isinstance(node, exp.Subquery) and not any(
        v for k, v in node.args.items() if k not in ("this", "alias")
    ):
        node = node.this
    return node


def operations(node: exp.SetOperation) -> Iterator[exp.SetOperation]:
    """Yield a chain of set operations, the outermost first."""
    current: exp.Expr = node
    while isinstance(current, exp.SetOperation):
        yield current
        current = current.this


def arms(node: exp.SetOperation) -> Iterator[exp.Expr]:
    """Yield the arms from left to right; a long chain of UNIONs is one flat list."""
    chain = list(operations(node))
    yield chain[-1].this
    for operation in reversed(chain):
        yield operation.expression


def is_comma(join: exp.Join) -> bool:
    """Tell whether a source was added by a comma, or by a join that says nothing."""
    return not any(join.args.get(k) for k in ("on", "using", "kind", "side", "method"))


def sees_all(join: exp.Join, joins: Sequence[exp.Join]) -> bool:
    """Tell whether SQLite lets a join's ON name tables joined after it: no outer join is near."""
    return join.side != "LEFT" and all(j.side not in ("RIGHT", "FULL") for j in joins)
