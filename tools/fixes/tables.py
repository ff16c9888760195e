"""Tables that the catalog does not hold: the nearest one, or none."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.names import likeness
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, Source, View

MOST = 4
ENOUGH = 0.25


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield what may be done about the first table that does not exist."""
    for frame in view.frames:
        for source in frame.sources.values():
            if source.unknown:
                meant = [t for t in known.catalog.tables if _misquoted(source.node.name, t)]
                yield from _nearest(view, known, frame, source, meant)
                if not meant:
                    yield from _left_out(view, frame, source)
                return


def _misquoted(wanted: str, table: Table) -> bool:
    """Only blanks or quotes inside the quotes keep this from being the table's name."""
    bare = wanted.strip(" \t\r\n'\"`;")
    return bare != wanted and bare.lower() in (table.name.lower(), table.qualified_name.lower())


def _nearest(
    view: View, known: Known, frame: Frame, source: Source, meant: list[Table]
) -> Iterator[Step]:
    wanted = source.node.name
    asked = _asked(frame, source)
    tables = meant or known.catalog.tables
    scored = [(_score(t, wanted, asked, known), t) for t in tables]
    ranked = sorted(scored, key=lambda s: s[0], reverse=True)[:MOST]
    for score, table in ranked:
        if score < ENOUGH:
            continue
        same = likeness(wanted, table.name) == 1.0
        code = "same_table" if same else "similar_table"
        copy = view.again()
        here = copy.frames[frame.index]
        edits.replace_table(here, here.sources[source.alias.lower()], table)
        why = f"there is no table {wanted}: {table.name} meant"
        sure = prior(code) * (1.0 if same else score)
        yield Step(code=code, why=why, certainty=sure, tree=copy.tree)


def _score(table: Table, wanted: str, asked: list[str], known: Known) -> float:
    """Name, columns and the question's words, together."""
    like = likeness(wanted, table.name)
    if like >= 0.93:
        return like
    best = [max(likeness(a, c.name, table.name) for c in table.columns) for a in asked]
    cover = sum(b if b >= 0.6 else 0.0 for b in best) / len(best) if best else 0.4
    return 0.35 * like + 0.45 * cover + 0.2 * known.fit(table.name)


def _asked(frame: Frame, source: Source) -> list[str]:
    """Names of the columns that are taken from the source."""
    alone = len(frame.sources) == 1
    cols = frame.columns if alone else edits.used(frame, source)
    own = {c.name for c in cols if not isinstance(c.this, exp.Star)}
    return sorted(own - {"*"})


def _left_out(view: View, frame: Frame, source: Source) -> Iterator[Step]:
    """The query does without the table; its columns look for another home."""
    copy = view.again()
    here = copy.frames[frame.index]
    gone = here.sources[source.alias.lower()]
    if not edits.drop_source(here, gone):
        return
    for col in edits.used(here, gone):
        col.set("table", None)
    why = f"did without {source.node.name}, which does not exist"
    sure = prior("left_out_table")
    yield Step(code="left_out_table", why=why, certainty=sure, tree=copy.tree, edits=2)
