"""What each SELECT of a tree can see: its sources, their columns, the SELECT around it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table

E = TypeVar("E", bound=exp.Expr)
QUERY = (exp.Select, exp.SetOperation, exp.Subquery)


@dataclass(kw_only=True)
class Source:
    """One table, derived table or CTE in a FROM or JOIN."""

    alias: str
    node: exp.Expr
    table: Table | None = None
    columns: dict[str, str] | None = None
    """Lower-case name → name as it is; None where they are not known."""
    join: exp.Join | None = None
    derived: bool = False
    """It is a subquery or a CTE."""

    @property
    def name(self) -> str:
        """The qualified lower-case name of its table, or nothing."""
        return self.table.qualified_name.lower() if self.table else ""

    @property
    def unknown(self) -> bool:
        """It names a table that the catalog does not hold."""
        return isinstance(self.node, exp.Table) and self.table is None and not self.derived

    def has(self, column: str) -> bool:
        """Tell whether it may hold that column."""
        return self.columns is None or column.lower() in self.columns


@dataclass(kw_only=True)
class Frame:
    """One SELECT with what it sees."""

    index: int
    select: exp.Select
    catalog: Catalog
    sources: dict[str, Source]
    outer: "Frame | None" = None
    columns: list[exp.Column] = field(default_factory=list)
    """Its own columns, not those of SELECTs inside it."""

    @property
    def aliases(self) -> set[str]:
        """Names that its select list gives."""
        return {e.alias.lower() for e in self.select.expressions if e.alias}

    def owners(self, column: str) -> list[Source]:
        """Sources that surely hold a column of that name."""
        low = column.lower()
        return [s for s in self.sources.values() if s.columns is not None and low in s.columns]

    def source(self, alias: str) -> Source | None:
        """Return the source of that alias here or outside."""
        frame: Frame | None = self
        while frame is not None:
            if alias.lower() in frame.sources:
                return frame.sources[alias.lower()]
            frame = frame.outer
        return None

    def of_table(self, name: str) -> Source | None:
        """Return the first source that reads the table of that qualified lower-case name."""
        return next((s for s in self.sources.values() if s.name == name), None)

    @property
    def tables(self) -> list[str]:
        """Qualified lower-case names of the tables it reads."""
        return [s.name for s in self.sources.values() if s.table]


@dataclass(kw_only=True)
class View:
    """A tree with its frames, outermost first."""

    tree: exp.Expr
    catalog: Catalog
    frames: list[Frame]

    def again(self) -> "View":
        """Look at a copy of the tree; frames and columns keep their places."""
        return look(self.tree.copy(), self.catalog)


def look(tree: exp.Expr, catalog: Catalog) -> View:
    """Find the frames of a tree."""
    ctes = {c.alias.lower(): c.this for c in tree.find_all(exp.CTE)}
    frames: dict[int, Frame] = {}
    for i, select in enumerate(_selects(tree)):
        sources = _sources(select, catalog, ctes)
        outer = frames.get(id(_enclosing(select)))
        frames[id(select)] = Frame(
            index=i, select=select, catalog=catalog, sources=sources, outer=outer
        )
    for frame in frames.values():
        frame.columns = list(own(frame.select, exp.Column))
    return View(tree=tree, catalog=catalog, frames=list(frames.values()))


def own(select: exp.Expr, kind: type[E]) -> Iterator[E]:
    """Yield the nodes of a kind that belong to this SELECT and to none inside it, in text order."""
    stack = [select]
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            yield node
        children = [c for c in node.iter_expressions() if not isinstance(c, QUERY)]
        stack.extend(reversed(children))


def outputs(query: exp.Expr, catalog: Catalog, ctes: dict[str, exp.Expr]) -> list[str] | None:
    """Return the column names a query gives, or None where a star hides them."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select):
        return None
    names: list[str] = []
    for item in query.expressions:
        if not item.is_star:
            names.append(item.alias_or_name)
            continue
        for source in _sources(query, catalog, ctes).values():
            if source.columns is None:
                return None
            names.extend(source.columns.values())
    return names


def _selects(tree: exp.Expr) -> Iterator[exp.Select]:
    """Yield every SELECT, the outer before the inner."""
    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Select):
            yield node


def _enclosing(select: exp.Select) -> exp.Expr | None:
    """Return the SELECT whose columns this one may name, if any."""
    node: exp.Expr = select
    while node.parent is not None:
        up = node.parent
        if isinstance(up, exp.From | exp.CTE) or (isinstance(up, exp.Join) and node is up.this):
            return None
        if isinstance(up, exp.Select):
            return up
        node = up
    return None


def _sources(select: exp.Select, catalog: Catalog, ctes: dict[str, exp.Expr]) -> dict[str, Source]:
    found: dict[str, Source] = {}
    start = select.args.get("from_")
    nodes: list[tuple[exp.Expr, exp.Join | None]] = [(start.this, None)] if start else []
    nodes += [(j.this, j) for j in select.args.get("joins") or []]
    for node, join in nodes:
        source = _source(node, catalog, ctes)
        source.join = join
        found.setdefault(source.alias.lower(), source)
    return found


def _source(node: exp.Expr, catalog: Catalog, ctes: dict[str, exp.Expr]) -> Source:
    alias = node.alias_or_name
    if not isinstance(node, exp.Table):
        columns = _named(outputs(node, catalog, ctes))
        return Source(alias=alias, node=node, columns=columns, derived=True)
    query = ctes.get(node.name.lower())
    if query is not None and not node.db:
        inner = {k: v for k, v in ctes.items() if k != node.name.lower()}
        columns = _named(_cte(query, catalog, inner))
        return Source(alias=alias, node=node, columns=columns, derived=True)
    table = catalog.table(f"{node.db}.{node.name}" if node.db else node.name)
    columns = _named([c.name for c in table.columns]) if table else None
    return Source(alias=alias, node=node, table=table, columns=columns)


def _cte(query: exp.Expr, catalog: Catalog, ctes: dict[str, exp.Expr]) -> list[str] | None:
    listed = query.parent.args["alias"].columns if query.parent else []
    return [c.name for c in listed] or outputs(query, catalog, ctes)


def _named(names: list[str] | None) -> dict[str, str] | None:
    return None if names is None else {n.lower(): n for n in names}
