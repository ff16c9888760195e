"""Counts over groups that hold one row each: what is counted stands in another table."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.graph import Edge
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, Source, View, own

SINGLE = frozenset({"grouped_by_key"})
"""Codes of findings that ask for another table's rows to be counted."""


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield the tables whose rows may be what is counted, for groups that are single rows."""
    if not (known.empty or known.codes & SINGLE):
        return
    for frame in view.frames:
        source = _single(frame)
        if source is None or f"count:{frame.index}" in settled:
            continue
        yield from _children(view, known, frame, source)
        yield from _by_reference(view, known, frame, source)


def _single(frame: Frame) -> Source | None:
    """Return the only source of a frame whose HAVING counts rows of groups that are rows."""
    having, group = frame.select.args.get("having"), frame.select.args.get("group")
    if len(frame.sources) != 1 or having is None or group is None:
        return None
    source = next(iter(frame.sources.values()))
    names = {e.name for e in group.expressions if isinstance(e, exp.Column)}
    if source.table is None or not next(own(having, exp.Count), None):
        return None
    return source if source.table.is_unique(names) else None


def _children(view: View, known: Known, frame: Frame, source: Source) -> Iterator[Step]:
    """Join in a table that has several rows for each of these."""
    edges = [e for e in known.graph.edges.get(source.name, ()) if not e.to_one]
    for edge in edges[:8]:
        copy = view.again()
        here = copy.frames[frame.index]
        edits.join_in(here, (edge,))
        sure = prior("counted_child") * edge.sure * _weight(edge, known, len(edges))
        why = f"counted rows of {edge.target} through {edits.told(edge)}"
        yield Step(code="counted_child", why=why, certainty=sure, tree=copy.tree, edits=2)


def _weight(edge: Edge, known: Known, many: int) -> float:
    return 1.0 if many == 1 else 0.4 + 0.6 * known.fit(edge.target)


def _by_reference(view: View, known: Known, frame: Frame, source: Source) -> Iterator[Step]:
    """Group by what the question names, not by the key."""
    for column in source.table.columns if source.table else ():
        if source.table and source.table.is_unique((column.name,)):
            continue
        if known.fit(column.name) < 1.0:
            continue
        copy = view.again()
        here = copy.frames[frame.index]
        new = edits.column(column.name)
        here.select.set("group", exp.Group(expressions=[new]))
        sure = prior("grouped_by_asked")
        why = f"grouped by {column.name}, not by the key"
        yield Step(code="grouped_by_asked", why=why, certainty=sure, tree=copy.tree)
