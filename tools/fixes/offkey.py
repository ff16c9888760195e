"""Joins that empty a result: off every key, or with a table that nothing else needs."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes import edits, joins
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, Source, View, own

JOINS_ASKED = frozenset({"join_off_key", "unused_table"})
"""Codes of findings that ask for another join, or none."""


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield what may be done about the first join that is suspect in a query without rows."""
    if not (known.empty or known.codes & JOINS_ASKED):
        return
    for frame in view.frames:
        for key, found in (*_conditions(view, known, frame), *_memberships(view, known, frame)):
            if key in settled:
                continue
            yield from found
            yield _left(view, key)
            return


def _left(view: View, key: str) -> Step:
    sure = prior("join_kept")
    settled = frozenset({key})
    return Step(code="", why="", certainty=sure, tree=view.tree, edits=0, settled=settled)


def _conditions(view: View, known: Known, frame: Frame) -> Iterator[tuple[str, list[Step]]]:
    for source in frame.sources.values():
        if source.join is None or source.table is None:
            continue
        steps = list(_unused(view, frame, source))
        if not _on_key(frame, source, known):
            steps += joins.from_keys(view, known, frame, source, "off_key")
        if steps:
            yield f"join:{frame.index}:{source.alias.lower()}", steps


def _on_key(frame: Frame, source: Source, known: Known) -> bool:
    """Tell whether each pair of columns that joins a source lies on a key."""
    on = source.join.args.get("on") if source.join else None
    pairs = [p.unnest() for p in edits.conjuncts(on) if joins.links(p)]
    if not pairs:
        return True
    return any(_keyed(frame, p.this, p.expression, known) for p in pairs)


def _keyed(frame: Frame, a: exp.Expr, b: exp.Expr, known: Known) -> bool:
    here, there = _home(frame, a), _home(frame, b)
    if here is None or there is None or not here.table or not there.table:
        return True
    if here.table is there.table:
        return a.name.lower() == b.name.lower()
    return any(
        (a.name.lower(), b.name.lower())
        in [(x.lower(), y.lower()) for x, y in zip(e.columns, e.target_columns, strict=True)]
        for e in known.graph.between(here.name, there.name)
        if e.sure > 0.7
    )


def _home(frame: Frame, node: exp.Expr) -> Source | None:
    if not isinstance(node, exp.Column):
        return None
    if node.table:
        return frame.source(node.table)
    owners = frame.owners(node.name)
    return owners[0] if len(owners) == 1 else None


def _unused(view: View, frame: Frame, source: Source) -> Iterator[Step]:
    """Nothing but its own join names the source: the query can do without."""
    if source.join is None or any(
        _home(frame, c) in (source, None) for c in _outside(frame, source)
    ):
        return
    if any(c.is_star for c in frame.select.expressions) or _counts_rows(frame):
        return
    copy = view.again()
    here = copy.frames[frame.index]
    edits.drop_source(here, here.sources[source.alias.lower()])
    why = f"did without {source.alias}, which nothing needs"
    sure = prior("unused_join")
    yield Step(code="unused_join", why=why, certainty=sure, tree=copy.tree)


def _counts_rows(frame: Frame) -> bool:
    """Tell whether the frame counts or sums over the rows that its joins make."""
    return any(not isinstance(a, exp.Max | exp.Min) for a in own(frame.select, exp.AggFunc))


def _outside(frame: Frame, source: Source) -> list[exp.Column]:
    """Columns of the frame that stand outside the join of a source."""
    inside = {id(c) for c in source.join.find_all(exp.Column)} if source.join else set()
    every = list(frame.select.find_all(exp.Column))
    deep = [c for c in every if c.table.lower() == source.alias.lower()]
    return [c for c in (*frame.columns, *deep) if id(c) not in inside]


def _memberships(view: View, known: Known, frame: Frame) -> Iterator[tuple[str, list[Step]]]:
    """``x IN (SELECT y …)`` where no key pairs x with y, and one does pair x's table with y's."""
    for node in [p.unnest() for p in edits.predicates(frame)]:
        if not isinstance(node, exp.In) or not isinstance(node.this, exp.Column):
            continue
        inner = joins.inner_frame(view, node)
        output = inner.select.expressions[0] if inner and inner.select.expressions else None
        if inner is None or not isinstance(output, exp.Column):
            continue
        steps = list(_repaired(view, known, frame, node.this, inner, output))
        if steps:
            yield f"in:{frame.index}:{node.this.sql()}:{output.sql()}", steps


def _repaired(
    view: View, known: Known, frame: Frame, col: exp.Column, inner: Frame, output: exp.Column
) -> Iterator[Step]:
    here, there = _home(frame, col), _home(inner, output)
    if here is None or there is None or not here.table or not there.table:
        return
    if here.table is there.table and col.name.lower() == output.name.lower():
        return
    pairs = [
        (e.columns[0], e.target_columns[0], e)
        for e in known.graph.between(here.name, there.name)
        if len(e.columns) == 1
    ]
    if any((col.name.lower(), output.name.lower()) == (a.lower(), b.lower()) for a, b, _ in pairs):
        return
    for mine, theirs, edge in pairs:
        copy = view.again()
        a, b = copy.frames[frame.index], copy.frames[inner.index]
        left = a.columns[next(i for i, c in enumerate(frame.columns) if c is col)]
        right = b.columns[next(i for i, c in enumerate(inner.columns) if c is output)]
        edits.rename(left, mine, col.table)
        edits.rename(right, theirs, output.table)
        same = (col.name.lower() == mine.lower()) + (output.name.lower() == theirs.lower())
        sure = prior("off_key_in") * edge.sure * (0.6 + 0.4 * same)
        why = f"{here.name}.{mine} = {there.name}.{theirs} is the key"
        yield Step(code="off_key_in", why=why, certainty=sure, tree=copy.tree)
