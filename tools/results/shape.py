"""Checks of a result's shape against what the question asked for: one function each."""

from sqlglot import exp

from querymend.tools.findings import Finding, Severity
from querymend.tools.fixes.top_n import rank_within, split_after_choice
from querymend.tools.questions.words import name_words
from querymend.tools.results.case import Case
from querymend.tools.results.reshape import best_of_each, first_of_all, ordered_outside, ungrouped


def reading_taken(case: Case) -> list[Finding]:
    """Say how a top N with parts was read."""
    return [
        Finding(code="reading", kind="question", severity="note", message=said)
        for said in case.expectation.assumptions
    ]


def many_rows_for_one(case: Case) -> list[Finding]:
    """The question asks for one value, and several rows came."""
    if case.expectation.one_value is not True or len(case.rows) < 2:
        return []
    listed = case.reading.counts and not case.statement.has_aggregate
    more = "the first " if case.result.truncated else ""
    count = f"{more}{len(case.rows)} rows"
    return [
        Finding(
            code="counted_by_listing" if listed else "many_rows_for_one_value",
            kind="shape",
            severity="repair",
            message=f"The question asks for one value, but the result has {count}.",
            evidence=count,
            hint="Count in SQL: SELECT COUNT(…) instead of listing rows."
            if listed
            else "Aggregate to one row: no GROUP BY, unless the question asks for groups.",
            fix=ungrouped(case),
        )
    ]


def no_number_for_count(case: Case) -> list[Finding]:
    """How many is asked, and no cell is a number."""
    if not case.expectation.number or len(case.rows) != 1:
        return []
    if any(_is_number(c) or c is None for c in case.rows[0]):
        return []
    return [
        Finding(
            code="no_number_for_count",
            kind="shape",
            severity="repair",
            message="The question asks how many, but the result holds no number.",
            hint="Return a count.",
        )
    ]


def too_many_entities(case: Case) -> list[Finding]:
    """More rows than the N of a top N that is not broken down."""
    bound = case.expectation.max_rows
    if case.expectation.entities is None or bound is None or len(case.rows) <= bound:
        return []
    tied = case.statement.keeps_ties
    return [
        Finding(
            code="more_rows_than_asked",
            kind="shape",
            severity="note" if tied else "repair",
            message=f"The question asks for {bound}, but the result has {len(case.rows)} rows"
            + (", ties included." if tied else "."),
            evidence=f"{len(case.rows)} rows",
            hint="" if tied else f"Order the rows by the measure and LIMIT {bound}.",
            fix=None if tied else first_of_all(case, bound),
        )
    ]


def too_few_entities(case: Case) -> list[Finding]:
    """Fewer rows than the N: a smaller LIMIT is wrong, fewer things there are is not."""
    wanted = case.expectation.entities
    if wanted is None or case.expectation.top is None or case.expectation.top.split:
        return []
    rows, limit = len(case.rows), case.statement.limit
    if not rows or rows >= wanted or case.expectation.top.each:
        return []
    short = limit is not None and limit < wanted
    return [
        Finding(
            code="limit_too_small" if short else "fewer_rows_than_asked",
            kind="shape",
            severity="repair" if short else "note",
            message=f"The question asks for {wanted}, but the result has {rows} rows.",
            clause=f"LIMIT {limit}" if short else "",
            hint=f"LIMIT {wanted}." if short else "",
        )
    ]


def limit_over_pairs(case: Case) -> list[Finding]:
    """LIMIT N over (entity, part) pairs: N rows, not N entities broken down."""
    top = case.expectation.top
    if top is None or not (top.split or top.each) or case.statement.limit != top.n:
        return []
    if case.expectation.one_value is True or len(case.rows) > top.n:
        return []
    what = f"{top.n} {top.entity or 'entities'}"
    tree = case.statement.tree
    if top.each:
        fixed = rank_within(tree, n=top.n, entity=top.entity, each=top.each)
        message = f"The question asks for {what} in each {top.each[0]}, but LIMIT cuts all rows."
        hint = (
            f"Rank within each {top.each[0]} (ROW_NUMBER() OVER (PARTITION BY …)) and keep {top.n}."
        )
    else:
        fixed = split_after_choice(tree, n=top.n, entity=top.entity, split=top.split)
        message = f"The question asks for {what}, broken down; LIMIT {top.n} cuts the parts."
        hint = f"Choose the {top.n} by their total in a subquery, then join and group by the part."
    return [
        Finding(
            code="limit_over_pairs",
            kind="shape",
            severity="repair",
            message=message,
            clause=f"LIMIT {top.n}",
            evidence=f"{len(case.rows)} rows",
            hint=hint,
            fix=fixed.sql(case.statement.dialect) if fixed else None,
        )
    ]


def not_grouped(case: Case) -> list[Finding]:
    """Per something is asked, and the aggregate is over everything."""
    if not case.expectation.grain or not case.reading.aggregates or not case.statement.one_row:
        return []
    group = case.expectation.grain[0]
    return [
        Finding(
            code="not_grouped",
            kind="shape",
            severity="repair",
            message=f"The question asks for a value for each {group}, but the result is one row.",
            hint=f"GROUP BY the {group}, and select it.",
        )
    ]


def group_not_shown(case: Case) -> list[Finding]:
    """Groups are asked for, and no column says which row is which group's."""
    if not case.expectation.grain or len(case.rows) < 2 or not case.statement.grouped:
        return []
    shown = case.statement.shown()
    if not shown or not all(e.find(exp.AggFunc) and not e.find(exp.Window) for e in shown):
        return []
    group = case.expectation.grain[0]
    return [
        Finding(
            code="group_not_shown",
            kind="shape",
            severity="repair",
            message=f"The question asks by {group}, but no column of the result shows it.",
            hint=f"Add the {group} to the SELECT list.",
        )
    ]


def too_few_columns(case: Case) -> list[Finding]:
    """The question enumerates more things than the result has columns."""
    wanted = case.expectation.columns
    if len(wanted) < 2 or len(case.result.columns) >= len(wanted) or _joined_text(case):
        return []
    severity: Severity = "repair"
    return [
        Finding(
            code="too_few_columns",
            kind="shape",
            severity=severity,
            message=f"The question asks for {', '.join(wanted)}, "
            f"but the result has {len(case.result.columns)} columns.",
            evidence=", ".join(case.names),
            hint="Select everything that the question names.",
        )
    ]


def no_extreme(case: Case) -> list[Finding]:
    """A highest or lowest is asked for, and nothing in the SQL picks one."""
    wanted = [s for s in case.reading.superlatives if not _named(case, s.word)]
    if not wanted or len(case.rows) < 2 or case.expectation.order or case.statement.finds_extreme:
        return []
    singular = any(s.singular for s in wanted)
    if case.statement.ordered and not singular:
        return []
    return [
        Finding(
            code="no_extreme",
            kind="question",
            severity="repair",
            message=f"The question asks for the {wanted[0].word}, but nothing in the SQL picks it.",
            evidence=f"{len(case.rows)} rows",
            hint="Order by the measure and LIMIT, or compare with its MAX or MIN.",
            fix=best_of_each(case),
        )
    ]


def extreme_of_all(case: Case) -> list[Finding]:
    """The highest in each group is asked for, and LIMIT 1 keeps the highest of all."""
    groups = case.reading.group_by
    wanted = [s for s in case.reading.superlatives if s.singular]
    if case.expectation.top is not None or not groups or not wanted or case.statement.limit != 1:
        return []
    fixed = best_of_each(case)
    if fixed is None:
        return []
    return [
        Finding(
            code="extreme_of_all",
            kind="shape",
            severity="repair",
            message=f"The question asks for the {wanted[0].word} in each {groups[0]}, but LIMIT 1 "
            "keeps one row of all.",
            clause="LIMIT 1",
            hint=f"Rank within each {groups[0]} (ROW_NUMBER() OVER (PARTITION BY …)) and keep 1.",
            fix=fixed,
        )
    ]


def unordered(case: Case) -> list[Finding]:
    """An order is asked for, and the statement has none."""
    order = case.expectation.order
    if order is None or case.statement.ordered or len(case.rows) < 2 or case.statement.windowed:
        return []
    return [
        Finding(
            code="order_missing",
            kind="shape",
            severity="repair",
            message="The question asks for an order, but the SQL has no ORDER BY.",
            hint="ORDER BY what the question names" + (f", {order}." if order != "some" else "."),
            fix=ordered_outside(case),
        )
    ]


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return cell.strip().lstrip("+-").replace(".", "", 1).isdigit()
    return cell is not None and not isinstance(cell, bool | bytes) and hasattr(cell, "__add__")


def _joined_text(case: Case) -> bool:
    """Columns are put together (first and last name), or a star hides how many there are."""
    return any(e.find(exp.Concat, exp.ConcatWs, exp.DPipe) for e in case.statement.shown())


def _named(case: Case, word: str) -> bool:
    """The word is part of a column's name: ``best_finish`` is asked for, not the best."""
    names = (name_words(c.name) for t in case.statement.tables for c in t.columns)
    return any(word in words for words in names)
