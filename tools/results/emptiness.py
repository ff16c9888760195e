"""Checks of results that hold nothing: no rows, a lone NULL, a count of zero, NULL columns."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.findings import Finding, Severity
from querymend.tools.results.case import Case
from querymend.tools.results.statement import Predicate

MAX_NAMED = 3


def empty(case: Case) -> list[Finding]:
    """No rows: to be repaired, unless every literal is known to exist; then it is the answer."""
    if case.rows:
        return []
    missing = [p for p, held in case.knowledge.items() if held is False]
    if opposed := contradiction(case):
        return [opposed]
    if missing:
        return [_missing(case, missing, "empty_result", "No rows came back")]
    known = case.knowledge and all(held for held in case.knowledge.values())
    severity: Severity = "note" if known else "repair"
    return [
        Finding(
            code="empty_result",
            kind="shape",
            severity=severity,
            message="No rows came back." if not known else "No rows: empty is the answer.",
            evidence=_existing(case.knowledge) if known else "",
            hint="" if known else "Check the join conditions and the values in WHERE.",
        )
    ]


def contradiction(case: Case) -> Finding | None:
    """One row cannot equal two values: the sets of both are to be intersected."""
    for node in case.statement.tree.find_all(exp.Where):
        seen: dict[str, exp.EQ] = {}
        for part in _conjuncts(node.this):
            if not isinstance(part, exp.EQ) or not isinstance(part.expression, exp.Literal):
                continue
            column = part.this.sql().lower()
            if column in seen and seen[column].expression != part.expression:
                return _contradiction(case, seen[column], part)
            seen[column] = part
    return None


def null_aggregate(case: Case) -> list[Finding]:
    """One row of NULLs from aggregates: nothing matched, which is no value."""
    if len(case.rows) != 1 or any(c is not None for c in case.rows[0]):
        return []
    if not case.statement.one_row:
        return [_all_null(case)]
    missing = [p for p, held in case.knowledge.items() if held is False]
    if missing:
        return [_missing(case, missing, "null_aggregate", "The value is NULL: no row matched")]
    known = case.knowledge and all(case.knowledge.values())
    return [
        Finding(
            code="null_aggregate",
            kind="shape",
            severity="note" if known else "repair",
            message="The value is NULL: no row with a value matched, so there is none to show.",
            evidence=_existing(case.knowledge) if known else "",
            hint="" if known else "Check the join conditions and the values in WHERE.",
        )
    ]


def zero_count(case: Case) -> list[Finding]:
    """A count of zero under a filter whose value the data does not hold."""
    if len(case.rows) != 1 or len(case.rows[0]) != 1 or not case.statement.one_row:
        return []
    value = case.rows[0][0]
    if not isinstance(value, int | float) or value != 0:
        return []
    missing = [p for p, held in case.knowledge.items() if held is False]
    if missing:
        return [_missing(case, missing, "zero_of_missing_value", "The result is 0")]
    if opposed := contradiction(case):
        return [opposed]
    return []


def all_null(case: Case) -> list[Finding]:
    """Every cell of several rows is NULL."""
    if len(case.rows) < 2 or any(c is not None for row in case.rows for c in row):
        return []
    return [_all_null(case)]


def null_column(case: Case) -> list[Finding]:
    """One of several columns is NULL in every row."""
    if len(case.rows) < 2 or not any(c is not None for row in case.rows for c in row):
        return []
    return [
        Finding(
            code="null_column",
            kind="shape",
            severity="note",
            message=f"The column {name} is NULL in every row.",
            evidence=f"{len(case.rows)} rows",
        )
        for place, name in enumerate(case.names)
        if not case.cells(place)
    ]


def _all_null(case: Case) -> Finding:
    return Finding(
        code="all_null",
        kind="shape",
        severity="repair",
        message="Every cell of the result is NULL.",
        evidence=f"{len(case.rows)} rows",
        hint="Choose columns that hold values for these rows, or check the join.",
    )


def _missing(case: Case, missing: list[Predicate], code: str, what: str) -> Finding:
    named = missing[:MAX_NAMED]
    values = ", ".join(f"{p.column} = '{p.value}'" for p in named)
    return Finding(
        code=code,
        kind="literal",
        severity="repair",
        message=f"{what}, and the data has no {values}.",
        clause=named[0].clause,
        evidence="; ".join(filter(None, (_known_values(case, p) for p in named))),
        hint="; ".join(filter(None, (_elsewhere(case, p) for p in named)))
        or "Use a value that the column holds.",
    )


def _known_values(case: Case, predicate: Predicate) -> str:
    """Name the values that the column does hold, nearest first."""
    if not predicate.table:
        return ""
    near: list[str] = []
    if case.values is not None:
        found = case.values.nearest(predicate.table, predicate.column, predicate.value, MAX_NAMED)
        near = [v for v, _ in found]
    if not near:
        table = case.catalog.table(predicate.table)
        column = table.column(predicate.column) if table else None
        frequent = column.profile.frequent if column and column.profile else ()
        private = column is not None and column.private
        near = [] if private else [str(v) for v, _ in frequent[:MAX_NAMED] if v is not None]
    return f"{predicate.table}.{predicate.column} holds {', '.join(near)}" if near else ""


def _elsewhere(case: Case, predicate: Predicate) -> str:
    """Name the columns that hold the value, where the one compared does not."""
    if case.values is None:
        return ""
    held = case.values.holding(predicate.value)[:MAX_NAMED]
    return "; ".join(f"{t}.{c} holds '{v}'" for t, c, v in held)


def _existing(knowledge: dict[Predicate, bool | None]) -> str:
    shown = list(knowledge)[:MAX_NAMED]
    return ", ".join(f"{p.column} = '{p.value}'" for p in shown) + " exist in the data"


def _conjuncts(node: exp.Expr) -> Iterable[exp.Expr]:
    if isinstance(node, exp.Paren):
        yield from _conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    else:
        yield node


def _contradiction(case: Case, one: exp.EQ, other: exp.EQ) -> Finding:
    clause = f"{case.statement.sql_of(one)} AND {case.statement.sql_of(other)}"
    return Finding(
        code="contradiction",
        kind="literal",
        severity="repair",
        message="No row can satisfy both conditions at once, so nothing matched.",
        clause=clause,
        hint="Find the rows of each condition apart and keep what is in both (INTERSECT), "
        "or use OR if either is meant.",
    )
