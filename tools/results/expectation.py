"""What a right result must look like, by rule, before the query runs."""

from dataclasses import dataclass

from querymend.tools.questions.grouping import Top
from querymend.tools.questions.period import Period
from querymend.tools.questions.reading import Reading
from querymend.tools.questions.steps import Steps, steps_of
from querymend.tools.questions.superlatives import Order


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """Bounds that the question sets. None and empty mean: the question leaves it open."""

    one_value: bool | None = None
    """One row; False where many may come."""
    min_rows: int | None = None
    max_rows: int | None = None
    """None too where N entities are broken down, so that more than N rows are right."""
    entities: int | None = None
    """How many distinct things are asked for: the N of a top N."""
    top: Top | None = None
    grain: tuple[str, ...] = ()
    """One row for each of these, in the question's words."""
    columns: tuple[str, ...] = ()
    """What the rows must show, in the question's words; at least so many columns."""
    order: Order | None = None
    distinct: bool = False
    share: bool = False
    number: bool = False
    """The value is a count, so it must be a number."""
    periods: tuple[Period, ...] = ()
    period: Period | None = None
    """The one period asked for; None where the question names none, or several."""
    steps: Steps | None = None
    """What must be known first, where the question has more than one step."""
    assumptions: tuple[str, ...] = ()
    """The readings of top N that were taken, to be said with the answer; periods say their own."""


def expect(question: str, reading: Reading, periods: tuple[Period, ...] = ()) -> Expectation:
    """Make the expectation of a question.

    "Top N X by M, broken down by Y" means: N distinct X are chosen first by their
    total M, then split by Y. "Top N X in each Y" is the other question.
    """
    top = reading.top
    whole = top is not None and not top.split and not top.each and reading.one_value is not True
    return Expectation(
        one_value=reading.one_value,
        min_rows=1 if reading.one_value else None,
        max_rows=1 if reading.one_value else top.n if top and whole else None,
        entities=top.n if top and reading.one_value is not True else None,
        top=top,
        grain=reading.group_by,
        columns=reading.shown,
        order=reading.order,
        distinct=reading.distinct and not reading.counts,
        share=reading.share,
        number=reading.counts and reading.one_value is True,
        periods=periods,
        period=periods[0] if len(periods) == 1 else None,
        steps=steps_of(question, top),
        assumptions=_assumptions(top),
    )


def _assumptions(top: Top | None) -> tuple[str, ...]:
    if top is None or not (top.split or top.each):
        return ()
    entity = top.entity or "entries"
    if top.split:
        split = " and ".join(top.split)
        return (
            f"Top {top.n} {entity}: the {top.n} {entity} are chosen first by their total, "
            f"then broken down by {split}.",
        )
    return (f"Top {top.n} {entity}: {top.n} in each {' and '.join(top.each)}.",)
