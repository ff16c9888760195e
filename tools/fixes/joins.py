"""Join conditions: taken from the keys where they name what is not there, or lie off every key."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.graph import Edge, Graph, Path, certainty
from querymend.tools.fixes.names import likeness
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.troubles import Trouble, membership
from querymend.tools.fixes.view import Frame, Source, View


def rejoined(view: View, known: Known, trouble: Trouble) -> Iterator[Step]:
    """A join condition that names a column in trouble is taken from the keys."""
    frame = view.frames[trouble.frame]
    col = frame.columns[trouble.column]
    join = col.find_ancestor(exp.Join, exp.Select)
    if not isinstance(join, exp.Join):
        return
    place = next((s for s in frame.sources.values() if s.join is join), None)
    if place is not None and place.table:
        yield from from_keys(view, known, frame, place, "rejoined")


def from_keys(view: View, known: Known, frame: Frame, source: Source, code: str) -> Iterator[Step]:
    """Yield the ways to join a source to those before it along the keys."""
    before = _before(frame, source)
    sides = _sides(frame, source, before)
    wide = [s for s in before if s.table]
    for starts in (sides, wide) if sides else (wide,):
        paths = known.graph.paths({s.name for s in starts} - {source.name}, source.name)
        for path in paths:
            start = next(s for s in starts if s.name == path[0].table)
            copy = view.again().frames[frame.index]
            if not _rewire(copy, source.alias, start.alias, path):
                continue
            sure = prior(code) * certainty(path) * (0.7 + 0.3 * _fit(known, path, source))
            why = f"joined through {', '.join(map(edits.told, path))}"
            tree = copy.select.root()
            yield Step(code=code, why=why, certainty=sure, tree=tree, edits=len(path))
        if paths:
            return


def _before(frame: Frame, source: Source) -> list[Source]:
    sources = list(frame.sources.values())
    return sources[: sources.index(source)]


def _sides(frame: Frame, source: Source, before: Sequence[Source]) -> list[Source]:
    """Earlier sources that the present condition names."""
    on = source.join.args.get("on") if source.join else None
    names = {c.table.lower() for c in on.find_all(exp.Column)} if on else set()
    return [s for s in before if s.table and s.alias.lower() in names]


def _fit(known: Known, path: Path, source: Source) -> float:
    """How well the first step's columns fit the question, or the alias: which of parallel keys."""
    names = [*path[0].columns, *path[-1].columns]
    return max(max(known.fit(n), likeness(source.alias, n)) for n in names)


def _rewire(frame: Frame, alias: str, start: str, path: Path) -> bool:
    """Give a source the condition of the path's last edge; tables between are joined before it."""
    source = frame.sources[alias.lower()]
    join = source.join
    if join is None:
        return False
    on = join.args.get("on")
    kept = [p for p in edits.conjuncts(on) if not links(p)]
    here = start
    for edge in path[:-1]:
        here = _between(frame, join, edge, here)
    join.set("on", exp.and_(edits.equal(path[-1], here, alias), *kept))
    join.set("using", None)
    if not join.args.get("kind") and not join.args.get("side"):
        join.set("kind", "INNER")
    return True


def _between(frame: Frame, join: exp.Join, edge: Edge, here: str) -> str:
    """Insert one table before a join and return its alias."""
    joined = list(frame.select.args["joins"])
    there = edits.join_in(frame, (edge,), start=here)
    added = frame.select.args["joins"][-1]
    at = next(i for i, j in enumerate(joined) if j is join)
    frame.select.set("joins", [*joined[:at], added, *joined[at:]])
    return there


def links(part: exp.Expr) -> bool:
    """Tell whether a condition compares two columns."""
    part = part.unnest()
    return (
        isinstance(part, exp.EQ)
        and isinstance(part.this, exp.Column)
        and isinstance(part.expression, exp.Column)
    )


def paired(view: View, known: Known, trouble: Trouble) -> Iterator[Step]:
    """One side of ``x IN (SELECT y …)`` is in trouble: the key between the tables names it."""
    frame = view.frames[trouble.frame]
    col = frame.columns[trouble.column]
    if isinstance(col.parent, exp.In) and col.arg_key == "this":
        inner = inner_frame(view, col.parent)
        if inner is not None:
            yield from _pair(view, known, frame, col, inner, left=True)
    within = membership(frame)
    if within is None or frame.outer is None or col.parent is not frame.select:
        return
    if isinstance(within.this, exp.Column):
        yield from _pair(view, known, frame.outer, within.this, frame, left=False)


def inner_frame(view: View, node: exp.In) -> Frame | None:
    """Return the frame of the SELECT on the right of IN."""
    query: exp.Expr | None = node.args.get("query")
    while isinstance(query, exp.Subquery):
        query = query.this
    return next((f for f in view.frames if f.select is query), None)


def _pair(
    view: View, known: Known, outer: Frame, col: exp.Column, inner: Frame, *, left: bool
) -> Iterator[Step]:
    """Yield the keys that fit the side that is right; the other side is renamed."""
    output = inner.select.expressions[0] if len(inner.select.expressions) == 1 else None
    if not isinstance(output, exp.Column):
        return
    fixed = output if left else col
    every = list(_keyed(known.graph, outer, inner))
    fitting = [k for k in every if _side(k[2], left=not left).lower() == fixed.name.lower()]
    for here, there, edge in fitting or every:
        copy = view.again()
        a, b = copy.frames[outer.index], copy.frames[inner.index]
        if left or not fitting:
            _become(a, outer, col, here, _side(edge, left=True))
        if not left or not fitting:
            _become(b, inner, output, there, _side(edge, left=False))
        old = col if left else output
        like = likeness(old.name, _side(edge, left=left))
        code = "paired_key" if fitting else "paired_both"
        sure = prior(code) * edge.sure * (0.7 + 0.3 * like)
        why = f"{col.sql()} IN {output.sql()}: {edits.told(edge)} is the key"
        yield Step(code=code, why=why, certainty=sure, tree=copy.tree)


def _side(edge: Edge, *, left: bool) -> str:
    return edge.columns[0] if left else edge.target_columns[0]


def _become(copy: Frame, frame: Frame, col: exp.Column, source: Source, text: str) -> None:
    """Let the same column of a copied frame name another."""
    place = next(i for i, c in enumerate(frame.columns) if c is col)
    edits.rename(copy.columns[place], text, source.alias if len(frame.sources) > 1 else "")


def _keyed(graph: Graph, outer: Frame, inner: Frame) -> Iterator[tuple[Source, Source, Edge]]:
    for here in outer.sources.values():
        for there in inner.sources.values():
            for edge in graph.between(here.name, there.name) if here.table and there.table else ():
                if len(edge.columns) == 1:
                    yield here, there, edge
            if here.table and here.table is there.table:
                yield from ((here, there, e) for e in _self_edges(here))


def _self_edges(source: Source) -> Iterator[Edge]:
    key = source.table.primary_key if source.table else ()
    if len(key) == 1:
        yield Edge(
            table=source.name,
            columns=key,
            target=source.name,
            target_columns=key,
            sure=0.9,
            to_one=True,
        )


def equated(frame: Frame, text: str, owners: Sequence[Source]) -> bool:
    """Tell whether inner joins make the column of that name equal in all its owners."""
    low = text.lower()
    linked: set[str] = set()
    for join in frame.select.args.get("joins") or []:
        if join.args.get("side"):
            continue
        for part in edits.conjuncts(join.args.get("on")):
            sides = [c for c in part.find_all(exp.Column) if c.name.lower() == low]
            if links(part) and len(sides) == 2:
                linked |= {c.table.lower() for c in sides}
    return {o.alias.lower() for o in owners} <= linked


def is_reference(source: Source, text: str, graph: Graph) -> bool:
    """Tell whether a column refers to another table, so that it says little by itself."""
    return any(
        e.to_one and text.lower() in {c.lower() for c in e.columns}
        for e in graph.edges.get(source.name, ())
    )


def other_sides(col: exp.Column) -> set[str]:
    """Return the aliases that a column of a join condition is compared with."""
    if not isinstance(col.find_ancestor(exp.Join, exp.Select), exp.Join):
        return set()
    up = col.parent
    if not isinstance(up, exp.EQ):
        return set()
    sides = [c for c in (up.this, up.expression) if isinstance(c, exp.Column) and c is not col]
    return {c.table.lower() for c in sides if c.table}


def links_away(frame: Frame, source: Source, text: str) -> bool:
    """Tell whether the query itself joins a source's column to one of another name."""
    for join in frame.select.args.get("joins") or []:
        for part in edits.conjuncts(join.args.get("on")):
            if not links(part):
                continue
            a, b = part.unnest().this, part.unnest().expression
            for here, there in ((a, b), (b, a)):
                mine = here.table.lower() == source.alias.lower()
                if mine and here.name.lower() == text.lower() != there.name.lower():
                    return True
    return False
