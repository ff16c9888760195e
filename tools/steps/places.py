"""Where in a text each of its steps stands, so that a finding can say which one is at fault."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.findings import Finding, in_step
from querymend.tools.sql.parse import place
from querymend.tools.sql.subject import Subject

Span = tuple[tuple[int, int], tuple[int, int]]
"""First and last line and column, 1-based."""


def by_step(findings: Iterable[Finding], subject: Subject) -> list[Finding]:
    """Say of each finding in which step it is, where the statement has more than one.

    Notes stay as they are: they blame nothing.
    """
    spans = list(_spans(subject.tree, subject.parsed.text))
    return [f if f.severity == "note" else in_step(f, _step_of(f, spans)) for f in findings]


def _step_of(finding: Finding, spans: list[tuple[str, Span]]) -> str:
    """Return the innermost step that a finding's place is in; empty for none."""
    at = finding.position
    if at is None:
        return ""
    around = [(name, span) for name, span in spans if span[0] <= at <= span[1]]
    return max(around, key=lambda found: found[1][0], default=("", None))[0]


def _spans(tree: exp.Expr, text: str) -> Iterator[tuple[str, Span]]:
    """Yield the steps that have a name: CTEs, and derived tables with an alias."""
    for node in tree.find_all(exp.CTE, exp.Subquery):
        if not node.alias or not isinstance(node.this, exp.Query):
            continue
        metas = [n.meta for n in node.this.walk() if "start" in n.meta and "end" in n.meta]
        if metas:
            first, last = min(m["start"] for m in metas), max(m["end"] for m in metas)
            yield node.alias, (place(text, first), place(text, last))
