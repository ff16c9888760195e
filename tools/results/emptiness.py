"""Checks of results that hold nothing: no rows, a lone NULL, a count of zero, NULL columns."""

from collections.abc import Iterable
from datetime import date

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.questions.words import NUMBER_WORDS, tokens
from querymend.tools.results.case import Case
from querymend.tools.results.keyed import follows_keys
from querymend.tools.results.statement import Predicate

MAX_NAMED = 3


def empty(case: Case) -> list[Finding]:
    """No rows: to be repaired, unless every literal is known to exist; then it is the answer."""
    if case.rows:
        return []
    return [_nothing(case, "empty_result", "No rows came back")]


def _nothing(case: Case, code: str, what: str) -> Finding:
    """Say why nothing matched, and whether that may be the answer."""
    if opposed := contradiction(case):
        return opposed
    missing = [p for p, held in case.knowledge.items() if held is False]
    if missing and not all(_is_asked(case, p.value) for p in missing):
        return _missing(case, missing, code, what)
    known = every_literal_is_known(case)
    return Finding(
        code=code,
        kind="shape",
        severity="note" if known else "repair",
        message=f"{what}: nothing in the data meets the conditions." if known else f"{what}.",
        evidence=_existing(case.knowledge) if known else "",
        hint="" if known else "Check the join conditions and the values in WHERE.",
    )


def every_literal_is_known(case: Case) -> bool:
    """Tell whether each literal is a value of its column, or a number or day of the question.

    Where tables meet off their keys, numbers of the question alone are no proof.
    """
    texts = [held or _is_asked(case, p.value) for p, held in case.knowledge.items()]
    others = [any(_is_asked(case, v) for v in values) for values in _bounds(case)]
    if not all(texts) or not all(others):
        return False
    return bool(texts) or (bool(others) and follows_keys(case.statement))


def _bounds(case: Case) -> Iterable[tuple[str, ...]]:
    """Yield the numbers and days that WHERE and HAVING compare with, as each may be said."""
    for clause in case.statement.tree.find_all(exp.Where, exp.Having):
        for node in clause.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.EQ):
            for literal in node.find_all(exp.Literal):
                if not literal.is_string or _day(str(literal.this)):
                    yield (str(literal.this), *_otherwise(node, literal))


def _otherwise(node: exp.Expr, literal: exp.Literal) -> tuple[str, ...]:
    """More than 1 is at least 2: return the other number by which a count's bound may be said."""
    if not literal.is_int or not isinstance(node.this, exp.Count):
        return ()
    up, down = isinstance(node, exp.GT | exp.LTE), isinstance(node, exp.GTE | exp.LT)
    return (str(int(literal.this) + up - down),) if up or down else ()


def _is_asked(case: Case, value: str) -> bool:
    """The question itself names this number, or this day as the edge of a period."""
    if day := _day(value):
        edges = {d for p in case.expectation.periods for d in (p.start, p.end) if d}
        return any(abs((day - edge).days) <= 1 for edge in edges)
    try:
        number = float(value)
    except ValueError:
        return False
    words = tokens(case.reading.question)
    spoken = {float(NUMBER_WORDS[w]) for w in words if w in NUMBER_WORDS}
    return number in spoken or number in case.reading.numbers


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if len(text) >= 10 else None
    except ValueError:
        return None


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
    return [_nothing(case, "null_aggregate", "The value is NULL: no row matched")]


def zero_count(case: Case) -> list[Finding]:
    """A count of zero under a filter whose value the data does not hold."""
    if len(case.rows) != 1 or len(case.rows[0]) != 1 or not case.statement.one_row:
        return []
    value = case.rows[0][0]
    if not isinstance(value, int | float) or value != 0:
        return []
    missing = [p for p, held in case.knowledge.items() if held is False]
    if missing and not all(_is_asked(case, p.value) for p in missing):
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


def null_listed(case: Case) -> list[Finding]:
    """Things without a name stand several times in a list of one column."""
    empty = sum(row == (None,) for row in case.rows)
    if empty < 2 or empty == len(case.rows) or case.statement.tree.find(exp.AggFunc):
        return []
    return [
        Finding(
            code="null_listed",
            kind="shape",
            severity="warn",
            message=f"{empty} of {len(case.rows)} rows say nothing: {case.names[0]} is NULL there.",
            evidence=f"{empty} NULL",
            hint=f"Leave them out by {case.names[0]} IS NOT NULL, unless they are asked for.",
        )
    ]


def _all_null(case: Case) -> Finding:
    never = all(case.statement.is_always_null(e) for e in case.statement.shown())
    return Finding(
        code="all_null",
        kind="shape",
        severity="note" if never else "repair",
        message="Every cell of the result is NULL"
        + (": these columns hold no value anywhere." if never else "."),
        evidence=f"{len(case.rows)} rows",
        hint="" if never else "Choose columns that hold values for these rows, or check the join.",
    )


def _missing(case: Case, missing: list[Predicate], code: str, what: str) -> Finding:
    named = missing[:MAX_NAMED]
    padded = [case.padded(p) for p in named]
    if all(v is not None for v in padded):
        return _only_padded(named, [v for v in padded if v is not None], code, what)
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


def _only_padded(missing: list[Predicate], held: list[str], code: str, what: str) -> Finding:
    """The statement says what was asked and the data nearly holds it: a doubt, no fault of it."""
    pairs = list(zip(missing, held, strict=True))
    values = ", ".join(f"{p.column} = '{v}'" for p, v in pairs)
    return Finding(
        code=code,
        kind="literal",
        severity="warn",
        message=f"{what}; with blanks around it the data has {values}.",
        clause=missing[0].clause,
        evidence=values,
        hint="; ".join(f"Compare TRIM({p.column}) with '{p.value.strip()}'" for p, _ in pairs)
        + " if the blanks mean nothing.",
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
    shown = [p for p, held in knowledge.items() if held][:MAX_NAMED]
    if not shown:
        return ""
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
