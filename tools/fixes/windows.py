"""Window functions beside GROUP BY over columns that no group holds."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.grouping import STRICT
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, View, own


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Let the windows beside a GROUP BY run over the groups' aggregates, inner SELECTs first."""
    for frame in reversed(view.frames):
        found = list(_bare_window(view, known, frame))
        if found:
            yield from found
            return


def _bare_window(view: View, known: Known, frame: Frame) -> Iterator[Step]:
    if known.dialect not in STRICT or not known.error or not frame.select.args.get("group"):
        return
    if not _over_rows(frame):
        return
    copy = view.again()
    for call, inner in _over_rows(copy.frames[frame.index]):
        if isinstance(call, exp.Lag | exp.Lead):
            call.set("this", inner.copy())
        else:
            call.replace(exp.Sum(this=inner.copy()))
    sure = prior("window_of_groups")
    why = "the window runs over the groups' aggregates"
    yield Step(code="window_of_groups", why=why, certainty=sure, tree=copy.tree)


def _over_rows(frame: Frame) -> list[tuple[exp.Expr, exp.AggFunc]]:
    """Return the window calls over a column that no group holds, each with what it stands for."""
    group = frame.select.args.get("group")
    held = {e.sql().lower() for e in (group.expressions if group else [])}
    sums = {
        a.this.sql().lower(): a
        for a in own(frame.select, exp.AggFunc)
        if isinstance(a, exp.Sum | exp.Count) and not isinstance(a.parent, exp.Window)
    }
    found: list[tuple[exp.Expr, exp.AggFunc]] = []
    for window in own(frame.select, exp.Window):
        call = window.this
        if isinstance(call.this, exp.Column) and call.this.sql().lower() not in held:
            shown = sums.get(call.this.sql().lower())
            inner = call if isinstance(call, exp.Sum | exp.Count) else shown
            if inner is not None and isinstance(call, exp.Sum | exp.Count | exp.Lag | exp.Lead):
                found.append((call, inner))
    return found
