"""A derived table that the query reads a second time by its name."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Source, View


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Name a derived table before the query, so that both places may read it."""
    for frame in view.frames:
        for source in frame.sources.values():
            step = _shared(view, source) if source.unknown else None
            if step is not None:
                yield step
                return


def _shared(view: View, source: Source) -> Step | None:
    copy = view.again()
    wanted = source.node.name.lower()
    named = [s for s in copy.tree.find_all(exp.Subquery) if s.alias.lower() == wanted]
    if len(named) != 1 or not isinstance(copy.tree, exp.Select) or _correlated(view, wanted):
        return None
    query = named[0].this.copy()
    named[0].replace(exp.Table(this=edits.name(source.node.name)))
    tree = copy.tree.with_(exp.TableAlias(this=edits.name(source.node.name)), as_=query)
    why = f"{wanted} is read twice: named once, before the query"
    return Step(code="shared_table", why=why, certainty=prior("shared_table"), tree=tree, edits=2)


def _correlated(view: View, wanted: str) -> bool:
    """The derived table takes columns from the query around it, which a CTE cannot see."""
    inside = [f for f in view.frames if f.select.parent and f.select.parent.alias == wanted]
    return any(c.table and c.table.lower() not in f.sources for f in inside for c in f.columns)
