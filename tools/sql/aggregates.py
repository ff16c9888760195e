"""Aggregates and windows: what is one, and where none may stand."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Binding, Ref
from querymend.tools.sql.functions import words
from querymend.tools.sql.parse import Parsed, position, written
from querymend.tools.sql.subject import Subject


def misplaced_aggregates(subject: Subject) -> list[Finding]:
    """Return aggregates and windows where none may stand, and aggregates of aggregates."""
    parsed, binding = subject.parsed, subject.binding
    findings = [f for block in binding.blocks for f in _misplaced(block.select, parsed)]
    return [*findings, *_hidden(binding), *_escaped(binding)]


def is_aggregate(node: exp.Expr, dialect: str) -> bool:
    """Tell whether a node is an aggregate call that no OVER turns into a window."""
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        known = name in words(
            "aggregates_athena" if dialect == "trino" else f"aggregates_{dialect}"
        )
    else:
        known = isinstance(node, exp.AggFunc) and not isinstance(node, _NEVER)
    return known and not _is_windowed(node)


_NEVER = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.ParameterizedAgg)
WRAPS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def _is_windowed(node: exp.Expr) -> bool:
    child: exp.Expr = node
    parent = node.parent
    while isinstance(parent, WRAPS) and parent.this is child:
        child, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is child


def walk_level(node: object) -> Iterator[exp.Expr]:
    """Yield the nodes of an expression without going into subqueries."""
    stack = list(node) if isinstance(node, list) else [node]
    while stack:
        current = stack.pop()
        if not isinstance(current, exp.Expr) or isinstance(current, exp.Query):
            continue
        yield current
        stack.extend(current.iter_expressions())


def _misplaced(select: exp.Expr, parsed: Parsed) -> Iterator[Finding]:
    places = [(select.args.get("where"), "WHERE"), (select.args.get("group"), "GROUP BY")]
    places += [(join.args.get("on"), "ON") for join in select.args.get("joins") or []]
    for place, name in (*places, (select.args.get("having"), "HAVING")):
        for node in walk_level(place):
            if isinstance(node, exp.Window):
                yield _window_in(node, name, parsed)
            elif name != "HAVING" and is_aggregate(node, parsed.dialect):
                yield _aggregate_in(node, name, parsed)
    outputs = [*select.expressions, select.args.get("having"), select.args.get("order")]
    for node in walk_level(outputs):
        if is_aggregate(node, parsed.dialect):
            yield from _nested(node, parsed)


def _hidden(binding: Binding) -> Iterator[Finding]:
    """Yield aliases in WHERE that stand for an aggregate or a window, in HAVING for a window."""
    for ref in binding.refs:
        if ref.status != "alias" or ref.clause not in ("where", "having") or ref.depth:
            continue
        for node in walk_level(ref.block.aliases[ref.name.lower()]):
            if isinstance(node, exp.Window):
                yield _window_in(ref.column, ref.clause.upper(), binding.parsed)
            elif ref.clause == "where" and is_aggregate(node, binding.parsed.dialect):
                yield _aggregate_in(ref.column, "WHERE", binding.parsed)


def _escaped(binding: Binding) -> Iterator[Finding]:
    """Yield aggregates over columns of the query around alone: they count as standing there."""
    refs = {id(r.column): r for r in binding.refs}
    for block in binding.blocks:
        if block.outer is None or not _lies_in_where(block.select):
            continue
        for node in walk_level(block.select.expressions):
            if is_aggregate(node, binding.parsed.dialect) and _is_outer(node, refs):
                yield _aggregate_in(node, "WHERE of the query around", binding.parsed)


def _is_outer(node: exp.Expr, refs: dict[int, Ref]) -> bool:
    found = [refs.get(id(c)) for c in node.find_all(exp.Column)]
    return bool(found) and all(r is not None and r.status == "found" and r.depth > 0 for r in found)


def _lies_in_where(select: exp.Expr) -> bool:
    parent = select.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, exp.Where):
            return True
        parent = parent.parent
    return False


def _nested(node: exp.Expr, parsed: Parsed) -> Iterator[Finding]:
    """Yield the first aggregate and the first window within an aggregate, its FILTER included."""
    parts = [n for part in _parts(node) for n in walk_level(part)]
    for inner in [n for n in parts if is_aggregate(n, parsed.dialect)][:1]:
        message = "An aggregate is nested in another one."
        hint = "Aggregate in a subquery first."
        yield shape_finding("nested_aggregate", inner, parsed, message, hint)
    for inner in [n for n in parts if isinstance(n, exp.Window)][:1]:
        message = "A window function is nested in an aggregate."
        hint = "Compute it in a subquery and aggregate outside."
        yield shape_finding("nested_window", inner, parsed, message, hint)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate reads: its arguments, FILTER and WITHIN GROUP."""
    yield from node.iter_expressions()
    child, parent = node, node.parent
    while isinstance(parent, WRAPS) and parent.this is child:
        yield from (e for e in parent.iter_expressions() if e is not child)
        child, parent = parent, parent.parent


def _aggregate_in(node: exp.Expr, clause: str, parsed: Parsed) -> Finding:
    hint = "Filter groups with HAVING, or compare with a subquery."
    message = f"An aggregate stands in {clause}."
    return shape_finding(f"aggregate_in_{clause.split()[0].lower()}", node, parsed, message, hint)


def _window_in(node: exp.Expr, clause: str, parsed: Parsed) -> Finding:
    message = f"A window function stands in {clause}."
    hint = "Compute it in a subquery and filter outside."
    return shape_finding(f"window_in_{clause.split()[0].lower()}", node, parsed, message, hint)


def shape_finding(code: str, node: exp.Expr, parsed: Parsed, message: str, hint: str) -> Finding:
    """Make a finding that refuses a statement for its shape."""
    return Finding(
        code=code,
        kind="shape",
        severity="block",
        message=message,
        clause=written(node, parsed.text),
        hint=hint,
        position=position(node, parsed.text),
    )
