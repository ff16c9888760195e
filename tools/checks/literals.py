"""Literals held against what the columns hold: their values, other spellings, their range."""

from collections.abc import Iterable, Iterator
from datetime import date

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

NEAR = 0.75
MAX_NAMED = 3


def not_a_value(seen: Seen) -> Iterable[Finding]:
    """Find texts that their column does not hold, with the nearest and where they do stand."""
    for one, value in _compared(seen, ("=", "<>", "in")):
        if seen.values is None or not one.plain or seen.values.has(*one.place, value) is not False:
            continue
        yield _missing(seen, one, value)


def _compared(seen: Seen, ops: tuple[str, ...]) -> Iterator[tuple[Comparison, str]]:
    for one in seen.comparisons:
        if one.op in ops and not one.used.column.private:
            yield from ((one, text) for text in one.texts)


def _missing(seen: Seen, one: Comparison, value: str) -> Finding:
    assert seen.values is not None
    every = seen.values.holding(value)
    cased = [v for t, c, v in every if (t, c) == one.place]
    if padded := [v for v in cased if v.strip() == value]:
        return _padded(seen, one, value, padded[0])
    near = [v for v, like in seen.values.nearest(*one.place, value, MAX_NAMED) if like >= NEAR]
    near = [*cased, *(v for v in near if v not in cased)][:MAX_NAMED]
    elsewhere = [h for h in every if (h[0], h[1]) != one.place][:MAX_NAMED]
    held = "; ".join(f"{t}.{c} holds '{v}'" for t, c, v in elsewhere)
    return seen.found(
        "other_case" if cased else "not_a_value",
        "literal",
        "repair",
        f"{_named(one)} does not hold '{value}'.",
        node=one.node,
        evidence=f"{_named(one)} holds {', '.join(near)}" if near else held,
        hint=held or (f"Use '{near[0]}'." if near else "Use a value that the column holds."),
        fix=_with_value(seen, one, value, cased[0]) if len(cased) == 1 else None,
    )


def _padded(seen: Seen, one: Comparison, value: str, held: str) -> Finding:
    """The data holds the text with blanks around it: nothing in the statement is at fault."""
    return seen.found(
        "other_blanks",
        "literal",
        "warn",
        f"{_named(one)} does not hold '{value}', only '{held}'.",
        node=one.node,
        evidence=f"{_named(one)} holds '{held}'",
        hint=f"Compare TRIM({one.used.column.name}) with '{value}' if the blanks mean nothing.",
    )


def _named(one: Comparison) -> str:
    return f"{one.used.table.name}.{one.used.column.name}"


def _with_value(seen: Seen, one: Comparison, value: str, other: str) -> exp.Expr:
    """Return the statement with another text in a literal's place."""
    copy, here = seen.copied(one.node)
    for node in here.walk():
        if _reads(node, value):
            node.replace(exp.Literal.string(other))
            break
    return copy


def _reads(node: exp.Expr, value: str) -> bool:
    text = isinstance(node, exp.Literal) and node.is_string and node.this == value
    return text or (isinstance(node, exp.Column) and not node.table and node.name == value)


def many_spellings(seen: Seen) -> Iterable[Finding]:
    """Find texts whose column holds them in several cases, of which only one is taken."""
    for one, value in _compared(seen, ("=", "in")):
        if seen.values is None or not one.plain or one.negated:
            continue
        same = {v for t, c, v in seen.values.holding(value) if (t, c) == one.place}
        if len(same - set(one.texts)) and value in same:
            yield _spelt(seen, one, value, sorted(same))


def _spelt(seen: Seen, one: Comparison, value: str, same: list[str]) -> Finding:
    return seen.found(
        "many_spellings",
        "literal",
        "repair",
        f"{one.used.column.name} holds '{value}' in several spellings; this takes one of them.",
        node=one.node,
        evidence=", ".join(same),
        hint=f"Compare LOWER({one.used.column.name}) with '{value.lower()}'.",
        fix=_folded(seen, one) if _only_case(same) else None,
    )


def _only_case(same: list[str]) -> bool:
    return len({v.lower() for v in same}) == 1


def _folded(seen: Seen, one: Comparison) -> exp.Expr:
    """Return the statement that compares without regard to case."""
    copy, here = seen.copied(one.node)
    for literal in list(here.find_all(exp.Literal)):
        literal.replace(exp.Literal.string(str(literal.this).lower()))
    column = here.this if isinstance(here.this, exp.Column) else here.expression
    column.replace(exp.Lower(this=column.copy()))
    return copy


def out_of_range(seen: Seen) -> Iterable[Finding]:
    """Find comparisons with days that no row, or every row, satisfies.

    Where the question itself names the day or its period, there is no data for it: no fault.
    """
    edges = {d for p in seen.periods for d in (p.start, p.end) if d}
    for one in seen.comparisons:
        days = [d for v in one.texts if (d := _day(v)) is not None]
        profile = one.used.column.profile
        if not days or profile is None or one.aggregated or one.op in ("like", "in"):
            continue
        low, high = _day(str(profile.minimum)), _day(str(profile.maximum))
        if low is None or high is None or not all(_misses(one, d, low, high) for d in days):
            continue
        asked = all(any(abs((d - edge).days) <= 1 for edge in edges) for d in days)
        yield _beyond(seen, one, (low, high), asked=asked)


def _beyond(seen: Seen, one: Comparison, held: tuple[date, date], *, asked: bool) -> Finding:
    low, high = held
    named = " and ".join(one.texts)
    return seen.found(
        "date_out_of_range",
        "literal",
        "note" if asked else "repair",
        f"{one.used.column.name} runs from {low} to {high}; {named} lies outside.",
        node=one.node,
        evidence=f"{low} to {high}",
        hint="There is no data for it." if asked else "Check the year.",
    )


def _misses(one: Comparison, day: date, low: date, high: date) -> bool:
    """No row, or no other than all rows, can satisfy the comparison."""
    if one.op in (">", ">="):
        return day > high
    if one.op in ("<", "<="):
        return day < low
    return not low <= day <= high


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
