"""Texts in double quotes: an identifier to the parser, a value to whoever wrote it."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, View

LENIENT = frozenset({"sqlite", "mysql", "bigquery", "spark", "databricks", "hive"})
"""Dialects in which double quotes may hold a text, so that this is no mistake."""
VALUED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Like, exp.ILike)


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield the tree with quoted names that are no columns made texts."""
    if not any(_texts(f) for f in view.frames):
        return
    copy = view.again()
    found = [c for f in copy.frames for c in _texts(f)]
    for col in found:
        col.replace(exp.Literal.string(col.name))
    lenient = known.dialect in LENIENT
    code = "" if lenient else "quotes"
    why = f"{found[0].name!r} is a text, not a column"
    sure = 1.0 if lenient else prior("quotes")
    yield Step(code=code, why=why, certainty=sure, tree=copy.tree, edits=len(found))


def _texts(frame: Frame) -> list[exp.Column]:
    return [c for c in frame.columns if _is_text(frame, c)]


def _is_text(frame: Frame, col: exp.Column) -> bool:
    """Tell whether a bare quoted name stands where a value stands, and no column has it."""
    quoted = isinstance(col.this, exp.Identifier) and col.this.quoted and not col.table
    up = col.parent
    if not quoted or not isinstance(up, VALUED) or col is up.this:
        return False
    outer: Frame | None = frame
    while outer is not None:
        if outer.owners(col.name) or col.name.lower() in outer.aliases:
            return False
        outer = outer.outer
    return True
