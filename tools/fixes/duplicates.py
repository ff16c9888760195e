"""Things listed through a to-many join: each once, where things and not rows were asked for."""

import re
from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes.fix import Fix, Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.syntax import statements
from querymend.tools.fixes.view import Frame, View, look, own

ASKED = re.compile(r"\b(different|distinct|unique|uniquely)\b", re.IGNORECASE)
REPEATED = frozenset({"duplicate_rows", "listed_without_distinct"})
"""Codes of findings that ask for each thing once."""


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield the query with DISTINCT where a finding says that things are listed twice."""
    if not known.codes & REPEATED or "distinct" in settled:
        return
    fix = distinct(view.tree.sql(dialect=known.dialect), known)
    if fix is None or not isinstance(view.tree, exp.Select):
        return
    tree = view.tree.copy()
    tree.set("distinct", exp.Distinct())
    done = frozenset({"distinct"})
    yield Step(code=fix.code, why=fix.why, certainty=fix.certainty, tree=tree, settled=done)


def distinct(sql: str, known: Known) -> Fix | None:
    """Return the query with DISTINCT and how likely it is meant; None where it cannot matter."""
    trees = statements(sql, known.dialect)
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        return None
    tree = trees[0]
    if tree.args.get("distinct") or tree.args.get("group"):
        return None
    if any(next(own(e, exp.AggFunc), None) for e in tree.expressions):
        return None
    frame = look(tree, known.catalog).frames[0]
    code, sure = _likely(frame, known)
    copy = tree.copy()
    copy.set("distinct", exp.Distinct())
    text = copy.sql(dialect=known.dialect)
    return Fix(code=code, sql=text, why="each of them once", edits=1, certainty=sure)


def _likely(frame: Frame, known: Known) -> tuple[str, float]:
    """Tell which rule speaks for DISTINCT, and how strongly."""
    if ASKED.search(known.question):
        return "distinct_asked", prior("distinct_asked")
    if _identified(frame):
        return "distinct_key", prior("distinct_key")
    if frame.select.args.get("joins"):
        return "distinct_joined", prior("distinct_joined")
    return "distinct_single", prior("distinct_single")


def _identified(frame: Frame) -> bool:
    """Tell whether a key of some table is listed: the same thing twice is then no two things."""
    listed = [e.unalias() for e in frame.select.expressions]
    for source in frame.sources.values():
        names = {
            e.name
            for e in listed
            if isinstance(e, exp.Column)
            and (e.table.lower() == source.alias.lower() or not e.table)
        }
        if source.table and source.table.is_unique(names):
            return True
    return False
