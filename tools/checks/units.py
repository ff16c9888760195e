"""The unit that the question asks for, held against the column's unit and the SQL's factors."""

import math
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Column
from querymend.tools.checks.comparisons import value_of
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.units import Unit, unit_of, units_asked
from querymend.tools.questions.words import STOP_WORDS, name_words, singular, tokens

_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median)
_WRAPS = (*_AGGREGATES, exp.Round, exp.Cast, exp.Paren, exp.Coalesce)


def unit_scale(seen: Seen) -> Iterable[Finding]:
    """Find what is shown in another unit than the one asked for, and shares multiplied twice."""
    asked = units_asked(seen.question)
    for used in _shown(seen):
        held, factor = unit_of(used.column.unit), _factor(used.ref.column)
        if held is None or factor is None:
            continue
        wanted = _wanted(held, asked, factor)
        if wanted is None or math.isclose(factor, wanted, rel_tol=1e-9):
            continue
        yield seen.found(
            "unit_scale",
            "question",
            "repair",
            f"{used.column.name} is in {used.column.unit}; the SQL multiplies it by {factor:g}"
            f" and not by {wanted:g}.",
            node=_item(used.ref.column),
            hint=f"Multiply {used.column.name} by {wanted:g}."
            if wanted != 1
            else f"Show {used.column.name} as it is.",
            fix=_swapped(seen, used, factor, wanted) or _scaled(seen, used, wanted),
        )


def _shown(seen: Seen) -> Iterator[Used]:
    """Yield the columns with a unit that the result is made of, each alone in its item."""
    items = seen.top.expressions if seen.top is not None else []
    for item in items:
        found = [u for u in seen.uses_in(item) if u.column.unit]
        if len(found) == 1 and len(list(seen.uses_in(item))) == 1:
            yield found[0]


def _wanted(held: Unit, asked: tuple[Unit, ...], factor: float) -> float | None:
    """Return the factor that turns the column's unit into the one asked for; None: not certain."""
    sizes = {u.size for u in asked if u.dimension == held.dimension}
    scales = {u.size for u in asked if not u.dimension}
    if len(sizes) == 1 and not scales:
        return held.size / sizes.pop()
    if not sizes and len(scales) == 1 and held.dimension != "share":
        return held.size / scales.pop() if held.size >= 1 else None
    is_twice = held.dimension == "share" and held.size == 0.01 and factor == 100
    return 1.0 if is_twice and not asked else None


def _factor(column: exp.Expr) -> float | None:
    """Return what an item multiplies its column by; None where it does more than that."""
    factor, node = 1.0, column
    while not isinstance(node.parent, exp.Select | exp.Alias):
        parent = node.parent
        if parent is None:
            return None
        step = _step(parent, node)
        if step is None:
            return None
        factor *= step
        node = parent
    return factor


def _step(parent: exp.Expr, node: exp.Expr) -> float | None:
    if isinstance(parent, _WRAPS) and parent.this is node:
        return 1.0
    if isinstance(parent, exp.Mul):
        other = parent.expression if parent.this is node else parent.this
        return _number(other)
    if isinstance(parent, exp.Div) and parent.this is node:
        number = _number(parent.expression)
        return 1 / number if number else None
    return None


def _number(node: exp.Expr) -> float | None:
    value = value_of(node, lambda _: False)
    return value if isinstance(value, float) else None


def _item(column: exp.Expr) -> exp.Expr:
    node = column
    while node.parent is not None and not isinstance(node.parent, exp.Select | exp.Alias):
        node = node.parent
    return node


def _swapped(seen: Seen, used: Used, factor: float, wanted: float) -> exp.Expr | None:
    """Put the column that the factor is right for in place of one that the question fits less."""
    held = unit_of(used.column.unit)
    assert held is not None
    known = {c: unit_of(c.unit) for c in used.table.columns if c is not used.column}
    size = held.size / wanted * factor
    meant = [
        c
        for c, unit in known.items()
        if unit and unit.dimension == held.dimension and math.isclose(unit.size, size)
        if factor != 1 and _met(seen, c) > _met(seen, used.column)
    ]
    if len(meant) != 1:
        return None
    copy, column = seen.copied(used.ref.column)
    column.set("this", exp.to_identifier(meant[0].name))
    return copy


def _met(seen: Seen, column: Column) -> int:
    words = {*name_words(column.name), *(singular(w) for w in tokens(column.description))}
    return len({w for w in words - STOP_WORDS if w in seen.asked})


def _scaled(seen: Seen, used: Used, wanted: float) -> exp.Expr:
    """Return the statement with one factor, in floating point, in place of its own."""
    copy, column = seen.copied(used.ref.column)
    core: exp.Expr = column
    node: exp.Expr = column
    while not isinstance(node.parent, exp.Select | exp.Alias):
        parent = node.parent
        assert parent is not None
        if isinstance(parent, exp.Mul | exp.Div):
            parent.replace(node)
            continue
        node = parent
        core = node if isinstance(node, _AGGREGATES) else core
    if wanted != 1:
        core.replace(_times(core.copy(), wanted))
    return copy


def _times(core: exp.Expr, wanted: float) -> exp.Expr:
    core = exp.cast(core, "DOUBLE")
    if wanted < 1:
        return exp.Div(this=core, expression=exp.Literal.number(_plain(1 / wanted)))
    return exp.Mul(this=core, expression=exp.Literal.number(_plain(wanted)))


def _plain(number: float) -> str:
    near = round(number)
    return str(near) if math.isclose(near, number, rel_tol=1e-9) else repr(number)
