"""Types of literals, columns, arithmetic, casts and choices between values."""

import re

from sqlglot import exp

from querymend.tools.sql.outputs import UNNAMED
from querymend.tools.sql.types.casts import check_cast
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.cures import cast_cure, choice_cure, operator_cure
from querymend.tools.sql.types.fields import column_type, field_of
from querymend.tools.sql.types.model import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER,
    UNKNOWN,
    VARCHAR,
    YEAR_MONTH,
    ZONED,
    TrinoType,
    array,
    decimal,
    row,
    varchar,
)
from querymend.tools.sql.types.operators import arithmetic, joined, negated
from querymend.tools.sql.types.predicates import compare, condition
from querymend.tools.sql.types.relations import query_columns
from querymend.tools.sql.types.spelling import read_type
from querymend.tools.sql.types.typer import Rule, Typer
from querymend.tools.sql.types.values import check_divisor

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}
_AMOUNT = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*")
_BINARY = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def literal(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a text or number as it is written: ``1`` integer, ``1.50`` decimal, ``1e0`` double."""
    text = str(node.this)
    if node.args.get("is_string"):
        return varchar(len(text))
    if "e" in text.lower():
        return DOUBLE
    if "." in text:
        whole, part = text.split(".", 1)
        whole = whole.lstrip("0")
        return decimal(max(len(whole) + len(part), 1), len(part))
    if not text.isdigit():
        return None
    if int(text) >= 2**63:
        hint = f"Write DECIMAL '{text[:38]}'."
        typer.blame(node, "invalid_literal", f"{text[:60]} is larger than any bigint.", hint)
        return None
    return INTEGER if int(text) < 2**31 else BIGINT


def inner(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type what wraps one expression and changes nothing."""
    return typer.of(node.this)


def name(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a bare name: the parameter of a lambda."""
    return typer.parameter(node)


def dot(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``row.field``."""
    whole = typer.of(node.this)
    if whole is None or not isinstance(node.expression, exp.Identifier):
        return None
    return field_of(typer, node, node.this, whole, node.expression.name)


def binary(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type arithmetic; blame operands that Trino has no such operator for."""
    left, right = typer.of(node.this), typer.of(node.args.get("expression"))
    if left is None or right is None:
        return None
    symbol = _SYMBOLS[node.key]
    found = arithmetic(symbol, left, right)
    if found is None and UNKNOWN not in (left, right):
        message = f"Trino cannot compute {left} {symbol} {right}."
        hint = operator_cure(symbol, node, left, right)
        typer.blame(node, "type_mismatch", message, hint)
    check_divisor(typer, node, found)
    return found


def negative(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``-x``."""
    kind = typer.of(node.this)
    if kind is None:
        return None
    found = negated(kind)
    if found is None and kind != UNKNOWN:
        typer.blame(node, "type_mismatch", f"Trino cannot negate {kind}.", cast_cure("bigint"))
    return found


def pipe(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``a || b``: texts, binaries and arrays."""
    left, right = typer.of(node.this), typer.of(node.args.get("expression"))
    if left is None or right is None:
        return None
    found = joined(left, right)
    if found is None:
        wrong = node.args["expression"] if left.base in ("varchar", "char") else node.this
        message = f"Trino cannot join {left} || {right}."
        hint = f"Write CAST({wrong.sql('trino')[:80]} AS varchar)."
        typer.blame(node, "type_mismatch", message, hint)
    return found


def cast(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a cast by its target."""
    given, wanted = typer.of(node.this), read_type(node.args["to"].sql("trino"))
    if wanted is not None:
        check_cast(typer, node, given, wanted)
    return wanted


def case(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type CASE: every branch turns into one common type."""
    for when in node.args["ifs"]:
        _when(typer, node.this, when.this)
    branches = [branch.args["true"] for branch in node.args["ifs"]]
    branches += [node.args["default"]] if node.args.get("default") is not None else []
    return choice(typer, node, branches, "CASE")


def _when(typer: Typer, operand: exp.Expr | None, when: exp.Expr) -> None:
    """Check what a branch of CASE waits for: a value like the operand, else a condition."""
    if operand is None:
        condition(typer, when, "CASE WHEN")
    else:
        compare(typer, when, operand, when, symbol="=", ordered=False)


def choice(typer: Typer, node: exp.Expr, branches: list[exp.Expr], shown: str) -> TrinoType | None:
    """Type what picks one of several values; blame the first that fits none before it."""
    kinds = [(branch, typer.of(branch)) for branch in branches]
    found: TrinoType | None = UNKNOWN
    for branch, kind in kinds:
        if kind is None or found is None:
            return None
        common = common_type(found, kind)
        if common is None:
            message = f"The values of this {shown} are {found} and {kind}: no common type."
            typer.blame(branch, "type_mismatch", message, choice_cure(branch, found, kind))
        found = common
    return found


def interval(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type an interval by its unit."""
    unit = node.args.get("unit")
    first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
    shown = first.name.upper().rstrip("S") if isinstance(first, exp.Expr) else ""
    given = node.this
    if first is unit and isinstance(given, exp.Literal) and not _is_amount(given.name, shown):
        message = f"'{given.name[:40]}' is no number of {shown.lower()}s."
        hint = f"Write INTERVAL '1' {shown}: a whole number in quotes."
        typer.blame(node, "invalid_literal", message, hint)
    if shown in ("YEAR", "MONTH"):
        return YEAR_MONTH
    return DAY_SECOND if shown in ("DAY", "HOUR", "MINUTE", "SECOND") else None


def _is_amount(text: str, unit: str) -> bool:
    match = _AMOUNT.fullmatch(text)
    return match is not None and (match[1] is None or unit == "SECOND")


def array_literal(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``ARRAY[…]``."""
    element = choice(typer, node, node.expressions, "ARRAY")
    return array(element) if element is not None else None


def tuple_row(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``(a, b)`` and ``ROW(a, b)``."""
    kinds = [typer.of(item) for item in node.expressions]
    if any(k is None for k in kinds):
        return None
    return row(*((None, k) for k in kinds if k is not None))


def subquery(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a query that stands for one value."""
    columns = query_columns(typer, node)
    if columns is None or any(k is None for _, k in columns):
        return None
    if len(columns) == 1:
        return columns[0][1]
    return row(*((None if n == UNNAMED else n, k) for n, k in columns if k is not None))


def zoned(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``x AT TIME ZONE z``."""
    kind = typer.of(node.this)
    if kind is None or kind == UNKNOWN:
        return None
    if not kind.base.startswith("time"):
        message = f"AT TIME ZONE takes a time or timestamp, not {kind}."
        hint = f"Write CAST({node.this.sql('trino')[:80]} AS timestamp) AT TIME ZONE …"
        typer.blame(node, "type_mismatch", message, hint)
        return None
    stem = kind.base.removesuffix(ZONED)
    return TrinoType(stem + ZONED, kind.sizes)


def fixed(kind: TrinoType) -> Rule:
    """Return a rule that gives one type, and looks at nothing."""
    return lambda _typer, _node: kind


SCALARS: dict[type[exp.Expr], Rule] = {
    exp.Literal: literal,
    exp.Boolean: fixed(BOOLEAN),
    exp.Null: fixed(UNKNOWN),
    exp.HexString: fixed(TrinoType("varbinary")),
    exp.UnicodeString: fixed(VARCHAR),
    exp.National: fixed(VARCHAR),
    exp.Paren: inner,
    exp.Alias: inner,
    exp.Column: column_type,
    exp.Identifier: name,
    exp.Dot: dot,
    **dict.fromkeys(_BINARY, binary),
    exp.Neg: negative,
    exp.DPipe: pipe,
    exp.Cast: cast,
    exp.TryCast: cast,
    exp.Case: case,
    exp.Interval: interval,
    exp.Array: array_literal,
    exp.Tuple: tuple_row,
    exp.Struct: tuple_row,
    exp.Subquery: subquery,
    exp.Select: subquery,
    exp.AtTimeZone: zoned,
    exp.CurrentDate: fixed(DATE),
    exp.CurrentTimestamp: fixed(TrinoType(f"timestamp{ZONED}", (3,))),
    exp.CurrentTime: fixed(TrinoType(f"time{ZONED}", (3,))),
    exp.Localtimestamp: fixed(TrinoType("timestamp", (3,))),
    exp.Localtime: fixed(TrinoType("time", (3,))),
}
