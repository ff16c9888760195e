"""Calls on numbers that no template can say."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    filled,
    number,
    text,
)
from querymend.tools.engines.stand_in.translate.calls import Call, CallRule, arguments_of, called
from querymend.tools.engines.stand_in.translate.comparisons import compare
from querymend.tools.engines.stand_in.translate.literals import written_number
from querymend.tools.engines.stand_in.translate.operators import calculated
from querymend.tools.engines.stand_in.translate.physical import physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.model import (
    INTEGERS,
    TrinoType,
)

_FLOATS = ("real", "double")


def extreme(tr: Translator, given: Call) -> exp.Expr:
    """Translate GREATEST and LEAST, which give NULL if any value is."""
    values = [tr.to(a, given.gives) for a in given.arguments]
    if given.gives.base not in ("varchar", "date", "timestamp", "decimal", "boolean", *INTEGERS):
        return _extreme_by_order(tr, given, values)
    nulls = filled("a IS NULL", a=values[0])
    for value in values[1:]:
        nulls = exp.Or(this=nulls, expression=filled("a IS NULL", a=value))
    branch = exp.If(this=nulls, true=exp.null())
    return exp.Case(ifs=[branch], default=call(given.name, *(v.copy() for v in values)))


def _extreme_by_order(tr: Translator, given: Call, values: list[exp.Expr]) -> exp.Expr:
    """Compare one by one where DuckDB's order is not Trino's: NaN never wins."""
    if given.gives.base not in _FLOATS:
        raise tr.refused(f"{given.name} of {given.gives}", given.node)
    kind = exp.GT if given.name == "greatest" else exp.LT
    found = values[0]
    for value in values[1:]:
        better = compare(kind, value, found.copy(), given.gives)
        found = filled(
            "CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN c OR isnan(a) THEN b ELSE a END",
            a=found,
            b=value,
            c=better,
        )
    return found


def mod(tr: Translator, given: Call) -> exp.Expr:
    """Translate MOD as the operator that it is."""
    a, b = given.arguments
    return calculated("%", tr.expr(a), tr.kind(a), tr.expr(b), tr.kind(b), given.gives)


def round_(tr: Translator, given: Call) -> exp.Expr:
    """Translate ROUND to places: decimals and whole numbers keep their kind."""
    if len(given.arguments) == 1:
        return called(tr, given)
    made, kinds = arguments_of(tr, given)
    if kinds[0].base == "decimal":
        return _round_decimal(tr, given, made, kinds[0], "round")
    if kinds[0].base in INTEGERS:
        wide = filled("CAST(round(CAST(a AS DECIMAL(38, 0)), b) AS HUGEINT)", a=made[0], b=made[1])
        kept = filled("CASE WHEN b >= 0 THEN a ELSE c END", a=made[0], b=made[1], c=wide)
        return cast(kept, physical(given.gives))
    return called(tr, given)


def truncate(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRUNCATE to places."""
    if len(given.arguments) == 1:
        return called(tr, given)
    made, kinds = arguments_of(tr, given)
    return _round_decimal(tr, given, made, kinds[0], "trunc")


def _round_decimal(
    tr: Translator, given: Call, made: list[exp.Expr], kind: TrinoType, name: str
) -> exp.Expr:
    """Round a decimal; DuckDB wants the number of places to be written."""
    places = written_number(given.arguments[1])
    if places is None:
        raise tr.refused(f"{given.name} of a decimal to places that are not written", given.node)
    if places >= kind.scale:
        return cast(made[0], physical(given.gives))
    if name == "trunc":
        unit = 10 ** abs(places)
        if places < 0:
            raise tr.refused("truncate to places before the point", given.node)
        scaled = filled(f"trunc(CAST(a AS DECIMAL(38, {kind.scale})) * {unit})", a=made[0])
        back = cast(text("0." + "1".zfill(places) if places else "1"), f"DECIMAL(38, {places})")
        small = filled(
            "CAST(a AS DECIMAL(36, 0)) * b",
            a=scaled,
            b=cast(back, f"DECIMAL({max(places, 1)}, {places})") if places else number(1),
        )
        return cast(small, physical(given.gives))
    if places < 0:
        whole = filled(
            "round(CAST(a AS DECIMAL(38, 0)), b)",
            a=_half_up(made[0], kind, places),
            b=number(places),
        )
        return cast(whole, physical(given.gives))
    return cast(call("round", made[0], number(places)), physical(given.gives))


def _half_up(node: exp.Expr, kind: TrinoType, places: int) -> exp.Expr:
    """Cut the digits behind the point, which cannot decide how a place before it is rounded."""
    return call("trunc", node)


RULES: dict[str, CallRule] = {
    "greatest": extreme,
    "least": extreme,
    "mod": mod,
    "round": round_,
    "truncate": truncate,
}
