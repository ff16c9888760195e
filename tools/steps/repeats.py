"""Steps whose rows come twice, where a later step joins them and so repeats its own."""

from sqlglot import exp

from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.steps.build import Build


def repeated_rows(build: Build, place: int, result: Result) -> list[Finding]:
    """Tell where a step has equal rows that a later step joins to others.

    A note: an average over equal rows is right, and what a join repeats is proven elsewhere.
    """
    step = build.steps[place]
    different = {repr(row) for row in result.rows}
    if len(different) == len(result.rows) or not _is_joined(build, place):
        return []
    return [
        Finding(
            code="step_repeats",
            kind="join",
            severity="note",
            message="Some of its rows are equal, and a later step joins them to others.",
            evidence=f"{len(result.rows)} rows, {len(different)} different",
            hint=f"Add DISTINCT or a GROUP BY to {step.name}.",
        )
    ]


def _is_joined(build: Build, place: int) -> bool:
    """Tell whether a later step reads this one beside something else."""
    name = build.steps[place].name.lower()
    for later in build.steps[place + 1 :]:
        for select in later.tree.find_all(exp.Select):
            joins = select.args.get("joins") or []
            starts = [select.args.get("from_"), *joins]
            names = [s.this.name.lower() for s in starts if s is not None]
            if joins and name in names:
                return True
    return False
