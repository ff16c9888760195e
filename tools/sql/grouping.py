"""Grouping: what stands beside an aggregate must be grouped, and aggregates stay out of WHERE."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Binding, Block, Ref
from querymend.tools.sql.functions import words
from querymend.tools.sql.parse import Parsed, position, written
from querymend.tools.sql.subject import Subject

_Key = tuple[object, ...]


def ungrouped_columns(subject: Subject) -> list[Finding]:
    """Return columns that are neither grouped nor aggregated.

    SQLite picks a row for them, and Postgres allows those that a grouped key determines: neither
    is judged.
    """
    if subject.dialect in ("sqlite", "postgres"):
        return []
    binding = subject.binding
    return [f for block in binding.blocks for f in _Groups(block, binding).findings()]


def misplaced_aggregates(subject: Subject) -> list[Finding]:
    """Return aggregates and windows where none may stand, and aggregates of aggregates."""
    blocks = subject.binding.blocks
    return [f for block in blocks for f in _misplaced(block.select, subject.parsed)]


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
_WRAPS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def _is_windowed(node: exp.Expr) -> bool:
    child: exp.Expr = node
    parent = node.parent
    while isinstance(parent, _WRAPS) and parent.this is child:
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
    for place, name in places:
        for node in walk_level(place):
            if is_aggregate(node, parsed.dialect):
                yield _aggregate_in(node, name, parsed)
            elif isinstance(node, exp.Window):
                yield _window_in(node, name, parsed)
    outputs = [*select.expressions, select.args.get("having"), select.args.get("order")]
    for node in walk_level(outputs):
        if is_aggregate(node, parsed.dialect):
            yield from _nested(node, parsed)


def _nested(node: exp.Expr, parsed: Parsed) -> Iterator[Finding]:
    inner = [
        n for n in walk_level(list(node.iter_expressions())) if is_aggregate(n, parsed.dialect)
    ]
    if inner:
        yield _finding(
            "nested_aggregate",
            inner[0],
            parsed,
            "An aggregate is nested in another one.",
            "Aggregate in a subquery first.",
        )


def _aggregate_in(node: exp.Expr, clause: str, parsed: Parsed) -> Finding:
    hint = "Filter groups with HAVING, or compare with a subquery."
    message = f"An aggregate stands in {clause}."
    return _finding(f"aggregate_in_{clause.split()[0].lower()}", node, parsed, message, hint)


def _window_in(node: exp.Expr, clause: str, parsed: Parsed) -> Finding:
    message = f"A window function stands in {clause}."
    hint = "Compute it in a subquery and filter outside."
    return _finding(f"window_in_{clause.split()[0].lower()}", node, parsed, message, hint)


def _finding(code: str, node: exp.Expr, parsed: Parsed, message: str, hint: str) -> Finding:
    return Finding(
        code=code,
        kind="shape",
        severity="block",
        message=message,
        clause=written(node, parsed.text),
        hint=hint,
        position=position(node, parsed.text),
    )


class _Groups:
    """What one SELECT groups by, and what of it is not grouped."""

    def __init__(self, block: Block, binding: Binding) -> None:
        self._block = block
        self._parsed = binding.parsed
        self._refs = {id(r.column): r for r in binding.of(block)}
        self._select = block.select

    def findings(self) -> list[Finding]:
        group = self._select.args.get("group")
        if not self._is_grouped(group):
            return []
        keys = self._keys(group)
        bad = [c for n in self._outputs() for c in self._ungrouped(n, keys)]
        return [self._finding(c) for c in {self._key(c): c for c in bad}.values()]

    def _is_grouped(self, group: exp.Expr | None) -> bool:
        if isinstance(group, exp.Group):
            return not group.args.get("all") and "totals" not in group.args
        if not isinstance(self._select, exp.Select):
            return False
        if self._select.args.get("having") is not None:
            return True
        outputs = self._outputs()
        return any(is_aggregate(n, self._parsed.dialect) for n in walk_level(outputs))

    def _outputs(self) -> list[exp.Expr]:
        args = self._select.args
        plain = [args.get("having"), args.get("qualify"), args.get("order")]
        return [*self._select.expressions, *(p for p in plain if p is not None)]

    def _keys(self, group: exp.Expr | None) -> set[_Key]:
        keys: set[_Key] = set()
        for item in _items(group):
            node = self._meant(item)
            keys.add(self._key(node))
        return keys

    def _meant(self, item: exp.Expr) -> exp.Expr:
        """Return what a GROUP BY item stands for: a number or an alias names a projection."""
        projections = self._select.expressions
        if isinstance(item, exp.Literal) and item.is_int and 0 < int(item.this) <= len(projections):
            chosen: exp.Expr = projections[int(item.this) - 1]
            return chosen.this if isinstance(chosen, exp.Alias) else chosen
        ref = self._refs.get(id(item))
        if ref is not None and ref.status == "alias":
            return self._block.aliases[item.name.lower()]
        return item

    def _ungrouped(self, node: exp.Expr, keys: set[_Key]) -> Iterator[exp.Column]:
        """Yield the columns that no group determines, outermost match first."""
        stack = [node]
        while stack:
            current = stack.pop()
            if isinstance(current, exp.Query) or is_aggregate(current, self._parsed.dialect):
                continue
            if not isinstance(current, exp.Ordered) and self._key(current) in keys:
                continue
            if isinstance(current, exp.Column):
                if self._is_bare(current):
                    yield current
                continue
            stack.extend(current.iter_expressions())

    def _is_bare(self, column: exp.Column) -> bool:
        ref = self._refs.get(id(column))
        return ref is not None and ref.status == "found" and ref.depth == 0

    def _key(self, node: exp.Expr) -> _Key:
        """Return what two expressions share when the engine takes them for the same."""
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self._key(node.this)
        ref = self._refs.get(id(node))
        if ref is not None and ref.status != "alias":
            return ("column", ref.source.name.lower() if ref.source else "", *_path(node, ref))
        if isinstance(node, exp.Identifier):
            return ("name", node.name.lower())
        if isinstance(node, (exp.Literal, exp.Var)):
            return (type(node).__name__, node.name if node.is_string else node.name.lower())
        parts = tuple(
            (k, self._part(v)) for k, v in sorted(node.args.items()) if v not in (None, [])
        )
        return (type(node).__name__, *parts)

    def _part(self, value: object) -> object:
        if isinstance(value, exp.Expr):
            return self._key(value)
        if isinstance(value, list):
            return tuple(self._part(v) for v in value)
        return str(value).lower()

    def _finding(self, column: exp.Column) -> Finding:
        return _finding(
            "not_grouped",
            column,
            self._parsed,
            f"Column {column.name} is neither in GROUP BY nor in an aggregate.",
            f"Add {column.sql(self._parsed.dialect)} to GROUP BY, or aggregate it.",
        )


def _path(node: exp.Expr, ref: Ref) -> tuple[str, ...]:
    """Return column and fields below it, whether or not the source is named in front."""
    parts = [p.name.lower() for p in node.parts] if isinstance(node, exp.Column) else [ref.name]
    start = parts.index(ref.name.lower()) if ref.name.lower() in parts else 0
    return tuple(parts[start:])


def _items(group: exp.Expr | None) -> Iterator[exp.Expr]:
    for item in group.args.get("expressions") or [] if group is not None else []:
        yield from _flat(item)
    for key in ("rollup", "cube", "grouping_sets"):
        for item in (group.args.get(key) or []) if group is not None else []:
            yield from _flat(item)


def _flat(item: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(item, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
        for inner in item.expressions:
            yield from _flat(inner)
    elif isinstance(item, exp.Paren):
        yield from _flat(item.this)
    else:
        yield item
