"""Looking hard at a result: every check that needs no further query."""

from collections.abc import Callable

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding, in_repair_order
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.reading import Reading
from querymend.tools.results import cells, cut, emptiness, shape
from querymend.tools.results.case import Case
from querymend.tools.results.expectation import Expectation
from querymend.tools.results.statement import Statement

Check = Callable[[Case], list[Finding]]

CHECKS: tuple[Check, ...] = (
    emptiness.empty,
    emptiness.null_aggregate,
    emptiness.zero_count,
    emptiness.all_null,
    emptiness.null_column,
    emptiness.null_listed,
    shape.reading_taken,
    shape.many_rows_for_one,
    shape.no_number_for_count,
    shape.too_many_entities,
    shape.too_few_entities,
    shape.limit_over_pairs,
    shape.not_grouped,
    shape.group_not_shown,
    shape.too_few_columns,
    shape.no_extreme,
    shape.extreme_of_all,
    shape.unordered,
    cells.truncated,
    cut.cut_by_limit,
    cut.part_counted,
    cells.duplicates,
    cells.share_out_of_range,
    cells.negative_count,
    cells.constant_column,
    cells.tied_at_limit,
    cells.outside_period,
)


def inspect(
    result: Result,
    *,
    sql: str,
    dialect: str,
    reading: Reading,
    expectation: Expectation,
    catalog: Catalog,
    values: ValueLookup | None = None,
    question: str = "",
) -> list[Finding]:
    """Hold a result against the question, the statement and the catalog.

    Args:
        result: what came back, cut or whole.
        sql: the statement that ran.
        dialect: the sqlglot dialect of ``sql``.
        reading: of the question.
        expectation: made before the query ran.
        catalog: within the caller's scope; names and profiles.
        values: tells whether the values compared with exist; without it, only profiles do.
        question: kept for callers; ``reading`` holds it.

    Returns:
        Findings, gravest first; empty where nothing is to be said. SQL that does not
        parse gives none: the gate has spoken about it.
    """
    statement = Statement.of(sql, dialect, catalog)
    if statement is None:
        return []
    case = Case(result, statement, reading, expectation, catalog, values)
    return in_repair_order(f for check in CHECKS for f in check(case))
