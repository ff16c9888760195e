"""All static checks of a statement: the gate first, then names, then whatever ``CHECKS`` holds.

A new check is one function of a ``Subject``, in its own file, with one line here.
"""

from querymend.tools.catalog.model import Catalog, Scope
from querymend.tools.findings import Finding
from querymend.tools.sql.aggregates import misplaced_aggregates
from querymend.tools.sql.clauses import (
    joins_without_condition,
    orders_outside_distinct,
    recursions_without_columns,
    windows_without_over,
)
from querymend.tools.sql.gate import judge, too_deep
from querymend.tools.sql.grammar.judge import unreadable
from querymend.tools.sql.grouping import ungrouped_columns
from querymend.tools.sql.names import column_counts, unknown_names, wrong_numbers
from querymend.tools.sql.parse import Parsed, parse
from querymend.tools.sql.partitions import check_partitions
from querymend.tools.sql.reserved import unquoted_reserved_words
from querymend.tools.sql.subject import Check, Subject
from querymend.tools.sql.types.checks import explained, wrong_types

CHECKS: tuple[Check, ...] = (
    unreadable,
    unknown_names,
    unquoted_reserved_words,
    column_counts,
    wrong_numbers,
    misplaced_aggregates,
    ungrouped_columns,
    joins_without_condition,
    windows_without_over,
    orders_outside_distinct,
    recursions_without_columns,
    wrong_types,
    check_partitions,
)


def check(
    sql: str,
    *,
    dialect: str,
    catalog: Catalog | None = None,
    scope: Scope | None = None,
    question: str | None = None,
) -> tuple[Finding, ...]:
    """Return what the gate and, with a catalog, every check says of a text.

    What the gate refuses for its form is not looked at further. The checks see the catalog within
    the scope, so no hint names what the caller may not see.
    """
    try:
        return _check(parse(sql, dialect), catalog, scope, question or "")
    except RecursionError:
        return (too_deep(),)


def _check(
    parsed: Parsed, catalog: Catalog | None, scope: Scope | None, question: str
) -> tuple[Finding, ...]:
    if parsed.tree is None:
        return explained(parsed, catalog)
    findings = judge(parsed, catalog, scope)
    if catalog is None or any(f.kind in ("safety", "syntax") for f in findings):
        return tuple(findings)
    subject = Subject(parsed=parsed, catalog=catalog.within(scope), question=question)
    for rule in CHECKS:
        findings += rule(subject)
    return tuple(_distinct(findings))


def _distinct(findings: list[Finding]) -> list[Finding]:
    """Drop what two checks found at the same place."""
    seen: dict[tuple[str, str, tuple[int, int] | None], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.code, finding.clause, finding.position), finding)
    return list(seen.values())
