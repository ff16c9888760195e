"""All checks that read the question, held against one statement."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from querymend.tools.catalog.model import Catalog
from querymend.tools.checks import (
    aggregates,
    averages,
    bounds,
    clock,
    counted,
    cut_short,
    dates,
    detours,
    groups,
    happenings,
    inverted,
    joined,
    joins,
    leaks,
    literals,
    named,
    negation,
    numbers_joined,
    opaque,
    other_calendar,
    ratios,
    rows_compared,
    same_sides,
    sets,
    share_of_joined,
    shares,
    shown,
    siblings,
    signs,
    subqueries,
    taken,
    told,
    units,
    unsaid,
    unused,
    whose_date,
)
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding, in_repair_order
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.period import Period
from querymend.tools.questions.reading import Reading
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

Check = Callable[[Seen], Iterable[Finding]]

CHECKS: tuple[Check, ...] = (
    sets.either_for_both,
    sets.set_of_labels,
    sets.count_beside_rows,
    sets.counts_for_things,
    negation.differs_for_none,
    negation.negation_missing,
    groups.always_one,
    groups.arbitrary_in_group,
    groups.group_by_label,
    aggregates.distinct_missing,
    joins.off_key,
    joins.crossed,
    siblings.sibling_key,
    detours.detour,
    unused.unused_table,
    joined.joined_rows,
    literals.not_a_value,
    literals.many_spellings,
    literals.out_of_range,
    unsaid.number_missing,
    unsaid.phrase_missing,
    unsaid.invented_filter,
    opaque.code_not_asked,
    named.column_left_out,
    named.table_left_out,
    named.word_left_out,
    named.value_left_out,
    bounds.bound_missed,
    bounds.extreme_flipped,
    aggregates.aggregate_missing,
    aggregates.count_missing,
    aggregates.sum_for_count,
    counted.counted_other,
    aggregates.measure_of_key,
    aggregates.pointless_order,
    aggregates.bare_condition,
    aggregates.no_table,
    averages.average_of_rows,
    rows_compared.rows_for_groups,
    numbers_joined.numbers_joined,
    share_of_joined.share_of_joined,
    units.unit_scale,
    shares.share_of_filtered,
    ratios.scale_missing,
    ratios.whole_division,
    inverted.inverted_ratio,
    same_sides.same_sides,
    signs.sign,
    subqueries.outer_by_mistake,
    subqueries.null_in_not_in,
    subqueries.one_of_many,
    shown.fixed_column_shown,
    shown.key_shown,
    shown.key_beside,
    shown.item_not_shown,
    shown.id_not_shown,
    shown.limit_not_asked,
    cut_short.ranking_cut,
    cut_short.second_count_missing,
    clock.engine_clock,
    dates.other_period,
    other_calendar.other_calendar,
    dates.period_missing,
    dates.other_date,
    happenings.wrong_date,
    whose_date.other_tables_date,
    taken.date_taken,
    taken.measure_elsewhere,
    opaque.measure_mistaken,
    leaks.leaking_column,
    told.value_of_fact_missing,
    told.column_of_fact_missing,
)


def check_question(
    sql: str,
    *,
    dialect: str,
    catalog: Catalog,
    question: str,
    reading: Reading,
    periods: Sequence[Period] = (),
    values: ValueLookup | None = None,
    facts: Sequence[str] = (),
    today: date | None = None,
) -> list[Finding]:
    """Hold a statement against the question behind it; nothing runs and no model is asked.

    Args:
        sql: any text; one that does not parse gives nothing, since the gate has spoken about it.
        dialect: one of ``querymend.tools.sql.parse.DIALECTS``.
        catalog: within the caller's scope, with keys; profiles sharpen what is found.
        question: as it was asked.
        reading: of the question.
        periods: that the question names, resolved.
        values: what text columns hold; without it, checks of values stay silent.
        facts: texts of the facts that belong to the question.
        today: the day that was set to be today, where it is not the engine's own.

    Returns:
        Findings, gravest first.
    """
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        return []
    seen = Seen(
        subject=Subject(parsed=parsed, catalog=catalog, question=question),
        reading=reading,
        periods=tuple(periods),
        values=values,
        facts=tuple(facts),
        today=today,
    )
    return judged(seen)


def judged(seen: Seen) -> list[Finding]:
    """Return what all checks say, gravest first."""
    return in_repair_order(_distinct(f for check in CHECKS for f in check(seen)))


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Drop what is said twice."""
    return list({(f.code, f.message, f.position): f for f in findings}.values())
