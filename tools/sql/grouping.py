"""Grouping: what stands beside an aggregate must be grouped."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.sql.aggregates import WRAPS, is_aggregate, shape_finding, walk_level
from querymend.tools.sql.binding import Binding, Block, Ref
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


class _Groups:
    """What one SELECT groups by, and what of it is not grouped."""

    def __init__(self, block: Block, binding: Binding) -> None:
        self._block = block
        self._binding = binding
        self._parsed = binding.parsed
        self._refs = {id(r.column): r for r in binding.of(block)}
        self._select = block.select

    def findings(self) -> list[Finding]:
        group = self._select.args.get("group")
        if not self._is_grouped(group):
            return []
        keys = self._keys(group)
        bad = [c for n in self._outputs() for c in self._ungrouped(n, keys)]
        bad += [r.column for r in self._from_below() if _below_key(r) not in keys]
        stars = [s for s in self._stars() if not self._is_covered(s, keys)]
        return [self._finding(c) for c in {self._key(c): c for c in [*bad, *stars]}.values()]

    def _from_below(self) -> Iterator[Ref]:
        """Yield what subqueries among the outputs refer to in this SELECT, outside aggregates."""
        below = {id(q) for n in self._outputs() for q in n.find_all(exp.Select)}
        for ref in self._binding.refs:
            if ref.status == "found" and ref.depth == 1 and ref.block.outer is self._block:
                inside = id(ref.block.select) in below
                if inside and not _in_aggregate(ref.column, self._parsed.dialect):
                    yield ref

    def _stars(self) -> Iterator[exp.Expr]:
        for projection in self._select.expressions:
            star = projection.this if isinstance(projection, exp.Column) else projection
            if isinstance(star, exp.Star):
                yield projection

    def _is_covered(self, star: exp.Expr, keys: set[_Key]) -> bool:
        """Tell whether every column that a star stands for is grouped, or cannot be known."""
        name = star.text("table").lower()
        inner = star.this if isinstance(star, exp.Column) else star
        chosen = [s for s in self._block.sources if not name or s.name.lower() == name]
        if inner.args.get("except_") or any(s.columns is None for s in chosen):
            return True
        return all(
            ("column", s.name.lower(), c.lower()) in keys for s in chosen for c in s.columns or ()
        )

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
            if isinstance(current, (exp.Query, exp.Star)) or self._aggregates(current):
                continue
            if not isinstance(current, exp.Ordered) and self._key(current) in keys:
                continue
            if isinstance(current, exp.Column):
                if self._is_bare(current):
                    yield current
                continue
            stack.extend(current.iter_expressions())

    def _aggregates(self, node: exp.Expr) -> bool:
        while isinstance(node, WRAPS):
            node = node.this
        return is_aggregate(node, self._parsed.dialect)

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

    def _finding(self, column: exp.Expr) -> Finding:
        shown = column.sql(self._parsed.dialect)
        return shape_finding(
            "not_grouped",
            column,
            self._parsed,
            f"{shown} is neither in GROUP BY nor in an aggregate.",
            f"Add {shown} to GROUP BY, or aggregate it.",
        )


def _below_key(ref: Ref) -> _Key:
    return ("column", ref.source.name.lower() if ref.source else "", *_path(ref.column, ref))


def _in_aggregate(node: exp.Expr, dialect: str) -> bool:
    parent = node.parent
    while parent is not None:
        if not isinstance(parent, exp.Query) and is_aggregate(parent, dialect):
            return True
        parent = parent.parent
    return False


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
