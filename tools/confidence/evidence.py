"""What is known of one answer before anyone says whether it is right."""

from collections.abc import Sequence
from dataclasses import dataclass

from querymend.tools.catalog.model import Catalog
from querymend.tools.checks.seen import Seen
from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.period import Period
from querymend.tools.questions.reading import Reading
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

Traits = dict[str, float]
"""Each between about -1 and 1, by name; 0 where a trait is absent."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One statement with its result, the question behind it, and what was found."""

    seen: Seen
    result: Result
    findings: Sequence[Finding]


def evidence_of(
    sql: str,
    result: Result,
    findings: Sequence[Finding],
    *,
    dialect: str,
    catalog: Catalog,
    reading: Reading,
    periods: Sequence[Period] = (),
    values: ValueLookup | None = None,
    facts: Sequence[str] = (),
) -> Evidence | None:
    """Put the evidence together; None where the statement does not parse.

    Args:
        sql: the statement that ran.
        result: what came back.
        findings: everything that was found, of any severity.
        dialect: the sqlglot dialect of ``sql``.
        catalog: within the caller's scope.
        reading: of the question.
        periods: that the question names, resolved.
        values: what text columns hold, where an index of them is there.
        facts: texts of the facts that belong to the question.
    """
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        return None
    seen = Seen(
        subject=Subject(parsed=parsed, catalog=catalog, question=reading.question),
        reading=reading,
        periods=tuple(periods),
        values=values,
        facts=tuple(facts),
    )
    return Evidence(seen=seen, result=result, findings=tuple(findings))


def capped(count: float, most: float) -> float:
    """Return a count as a share of the most that is told apart."""
    return min(count, most) / most
