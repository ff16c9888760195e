"""Conditions: what is compared must have a common type, and a condition must be a boolean."""

from sqlglot import exp

from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.cures import compare_cure, condition_cure
from querymend.tools.sql.types.model import BOOLEAN, TEXTS, UNKNOWN, TrinoType, row
from querymend.tools.sql.types.operators import can_compare
from querymend.tools.sql.types.relations import query_columns
from querymend.tools.sql.types.typer import Rule, Typer

_SYMBOLS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_SYMBOLS |= {"nullsafeeq": "IS NOT DISTINCT FROM", "nullsafeneq": "IS DISTINCT FROM"}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_EQUALITIES = ("eq", "neq", "nullsafeeq", "nullsafeneq")


def comparison(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check both sides of a comparison."""
    left, right = node.this, node.args["expression"]
    if isinstance(right, (exp.Any, exp.All)):
        right = right.this
        if _takes_rows(typer, left, right):
            _in_query(typer, node, right)
            return BOOLEAN
    ordered = node.key not in _EQUALITIES
    compare(typer, node, left, right, symbol=_SYMBOLS[node.key], ordered=ordered)
    return BOOLEAN


def _takes_rows(typer: Typer, value: exp.Expr, query: exp.Expr) -> bool:
    """Tell whether ANY or ALL compares rows."""
    given = typer.of(value)
    columns = query_columns(typer, query)
    return (given is not None and given.base == "row") or (columns is not None and len(columns) > 1)


def compare(
    typer: Typer, node: exp.Expr, left: exp.Expr, right: exp.Expr, *, symbol: str, ordered: bool
) -> None:
    """Blame two operands that Trino cannot compare."""
    kinds = typer.of(left), typer.of(right)
    if kinds[0] is None or kinds[1] is None:
        return
    common = common_type(kinds[0], kinds[1])
    if common is None:
        message = f"Trino cannot compare {kinds[0]} {symbol} {kinds[1]}."
        hint = compare_cure(left, kinds[0], right, kinds[1])
        typer.blame(node, "type_mismatch", message, hint)
    elif not can_compare(common, ordered=ordered):
        what = "order" if ordered else "comparison"
        hint = f"Compare a part of it, or CAST it: {common.base} has no {what}."
        message = f"Trino has no {what} for values of type {common}."
        typer.blame(node, "type_mismatch", message, hint)


def between(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check a value against both bounds."""
    for bound in ("low", "high"):
        before = len(typer.faults)
        compare(typer, node, node.this, node.args[bound], symbol="BETWEEN", ordered=True)
        if len(typer.faults) > before:
            break
    return BOOLEAN


def membership(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check ``x IN (…)`` against its list or its query."""
    listed = node.expressions
    query = node.args.get("query") or (listed[0] if _is_values(listed) else None)
    if query is not None:
        _in_query(typer, node, query)
        return BOOLEAN
    for item in node.expressions:
        before = len(typer.faults)
        compare(typer, item, node.this, item, symbol="IN", ordered=False)
        if len(typer.faults) > before:
            break
    return BOOLEAN


def _is_values(listed: list[exp.Expr]) -> bool:
    return len(listed) == 1 and isinstance(listed[0], exp.Values)


def _in_query(typer: Typer, node: exp.Expr, query: exp.Expr) -> None:
    """Blame a value that no row of a query can equal; one that is no row is a row of one field.

    Args:
        typer: the walk.
        node: what says IN, or compares with ANY or ALL; the value is on its left.
        query: the query on its right.
    """
    columns = query_columns(typer, query)
    given = typer.of(node.this)
    if columns is None or given is None or given == UNKNOWN:
        return
    kinds = [k for _, k in columns if k is not None]
    mine = given if given.base == "row" else row((None, given))
    if len(kinds) < len(columns):
        fits = len(mine.parts) == len(columns)
    else:
        fits = common_type(mine, row(*((None, k) for k in kinds))) is not None
    if not fits:
        _blame_query(typer, node, query, given, [k for _, k in columns])


def _blame_query(
    typer: Typer,
    node: exp.Expr,
    query: exp.Expr,
    given: TrinoType,
    kinds: list[TrinoType | None],
) -> None:
    width = len(given.parts) if given.base == "row" else 1
    first = kinds[0] if len(kinds) == 1 else None
    if len(kinds) != width:
        message = f"This subquery has {len(kinds)} columns where {width} must be."
        typer.blame(query, "column_count", message, f"Select exactly {width}.")
    else:
        wanted = first or row(*((None, k or UNKNOWN) for k in kinds))
        message = f"{given} is looked for IN a query of {wanted}."
        hint = compare_cure(node.this, given, query, wanted)
        typer.blame(node, "type_mismatch", message, hint)


def like(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check that both sides of LIKE are texts."""
    for side, shown in ((node.this, "Left"), (node.args["expression"], "Right")):
        kind = typer.of(side)
        if kind is not None and kind != UNKNOWN and kind.base not in TEXTS:
            message = f"{shown} side of LIKE is {kind}, not a text."
            hint = f"Write CAST({side.sql('trino')[:80]} AS varchar) LIKE …"
            if kind.base.startswith(("date", "timestamp")):
                hint += ", or compare with a range of dates: >= DATE '…' AND < DATE '…'."
            typer.blame(node, "type_mismatch", message, hint)
    return BOOLEAN


def escaped(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check that ESCAPE names one character."""
    sign = node.args["expression"]
    if isinstance(sign, exp.Literal) and len(sign.name) != 1:
        message = "ESCAPE takes one character."
        typer.blame(node, "invalid_literal", message, "Write ESCAPE '\\' or another single one.")
    return BOOLEAN


def logic(typer: Typer, node: exp.Expr) -> TrinoType:
    """Check that what AND, OR and NOT join is boolean."""
    for side in (node.this, node.args.get("expression")):
        if side is not None:
            condition(typer, side, node.key.upper())
    return BOOLEAN


def condition(typer: Typer, node: exp.Expr, clause: str) -> None:
    """Blame a condition that is no boolean."""
    kind = typer.of(node)
    if kind is not None and kind not in (BOOLEAN, UNKNOWN):
        message = f"{clause} needs a condition, and this is {kind}."
        typer.blame(node, "not_boolean", message, condition_cure(node, kind))


def plain(typer: Typer, node: exp.Expr) -> TrinoType:
    """Look at the operands of what is boolean whatever they are."""
    return BOOLEAN


PREDICATES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys(_COMPARISONS, comparison),
    exp.Between: between,
    exp.In: membership,
    exp.Like: like,
    exp.And: logic,
    exp.Or: logic,
    exp.Not: logic,
    exp.Is: plain,
    exp.Escape: escaped,
    exp.Exists: plain,
    exp.ILike: plain,
}
