"""What mends a fault of types, said with the names and values of the statement at hand."""

import re

from sqlglot import exp

from querymend.tools.sql.types.model import NUMBERS, TEXTS, TrinoType

_DAY = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{8}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?")


def shown(node: exp.Expr) -> str:
    """Spell a piece of SQL for a hint."""
    text = node.sql("trino")
    return text if len(text) <= 80 else f"{text[:77]}…"


def cast_cure(kind: str) -> str:
    """Name the cast that is missing."""
    return f"CAST it to {kind} first."


def compare_cure(left: exp.Expr, lkind: TrinoType, right: exp.Expr, rkind: TrinoType) -> str:
    """Say how two sides of a comparison get one type: a literal is rewritten before a column."""
    for literal, kind, other, node in (
        (right, rkind, lkind, left),
        (left, lkind, rkind, right),
    ):
        if isinstance(literal, (exp.Literal, exp.Boolean)) and (
            cure := _literal_cure(literal, kind, other, node)
        ):
            return cure
    return _column_cure(left, lkind, right, rkind)


def _literal_cure(
    literal: exp.Expr, kind: TrinoType, wanted: TrinoType, other: exp.Expr
) -> str | None:
    value = str(literal.this)
    if is_moment(wanted) and kind.base in TEXTS:
        return f"Write {moment_literal(value, wanted)}: Trino casts no text to {wanted.base}."
    if wanted.base in NUMBERS and kind.base in TEXTS:
        if value.replace(".", "", 1).lstrip("-").isdigit():
            return f"Write {value} without quotes: {shown(other)} is {wanted}."
        return f"{shown(other)} is {wanted}: compare it with a number, or CAST it AS varchar."
    if wanted.base in TEXTS and kind.base in NUMBERS:
        return (
            f"Write '{value}' in quotes: {shown(other)} is {wanted};"
            f" to compare as numbers, TRY_CAST({shown(other)} AS {_number_for(value)})."
        )
    if isinstance(literal, exp.Boolean) and wanted.base in NUMBERS:
        return f"Write {int(bool(literal.this))}: {shown(other)} is {wanted}, not boolean."
    if wanted.base == "boolean":
        return f"{shown(other)} is boolean: write {shown(other)} or NOT {shown(other)}."
    return None


def _number_for(value: str) -> str:
    return "double" if "." in value or "e" in value.lower() else "bigint"


def is_moment(kind: TrinoType) -> bool:
    """Tell whether a type is a date or a timestamp."""
    return kind.base.startswith(("date", "timestamp"))


def moment_literal(value: str, wanted: TrinoType) -> str:
    """Spell a text as the literal of a date or timestamp."""
    match = _MOMENT.fullmatch(value.strip())
    if wanted.base == "date":
        return f"DATE '{match[1] if match else _iso(value)}'"
    if match is None:
        return "TIMESTAMP '2024-01-31 00:00:00'"
    return f"TIMESTAMP '{match[1]} {match[2] or '00:00:00'}'"


def _iso(value: str) -> str:
    """Return a day as ``2024-01-31``, as far as the text is one."""
    text = value.strip()
    if not _DAY.fullmatch(text):
        return "2024-01-31"
    if text.isdigit():
        return f"{text[:4]}-{text[4:6]}-{text[6:]}"
    year, month, day = re.split("[-/]", text)
    return f"{year}-{int(month):02}-{int(day):02}"


def _column_cure(left: exp.Expr, lkind: TrinoType, right: exp.Expr, rkind: TrinoType) -> str:
    if isinstance(right, exp.Query):
        return f"CAST one side: {shown(left)} is {lkind}, the query gives {rkind}."
    for text, kind, other in ((left, lkind, rkind), (right, rkind, lkind)):
        if kind.base in TEXTS and (other.base in NUMBERS or is_moment(other)):
            target = "double" if other.base == "decimal" else other.base
            how = f"TRY_CAST({shown(text)} AS {target})"
            more = f", or date_parse({shown(text)}, '%Y-%m-%d')" if is_moment(other) else ""
            return f"Write {how}{more}, if these columns are meant to match."
    return f"CAST both sides to one type: {shown(left)} is {lkind}, {shown(right)} is {rkind}."


def operator_cure(symbol: str, node: exp.Expr, left: TrinoType, right: TrinoType) -> str:
    """Say how to write arithmetic that Trino cannot do as it stands."""
    first, second = node.this, node.args["expression"]
    if left.base in TEXTS and right.base in TEXTS and symbol == "+":
        return f"Join texts with ||: {shown(first)} || {shown(second)}."
    for moment, step, number in ((left, right, second), (right, left, first)):
        if is_moment(moment) and step.base in NUMBERS:
            return _step_cure(symbol, first if moment is left else second, number)
    for node_, kind, other in ((first, left, right), (second, right, left)):
        if kind.base in TEXTS and is_moment(other):
            return f"Write CAST({shown(node_)} AS {other.base}) or {_stamp(node_, other)}."
        if kind.base in TEXTS:
            return f"Write CAST({shown(node_)} AS double), or || to join texts."
    return "CAST the operands to numbers, or use date_add and date_diff for dates."


def _stamp(node: exp.Expr, kind: TrinoType) -> str:
    value = node.name if isinstance(node, exp.Literal) else ""
    return moment_literal(value, kind)


def _step_cure(symbol: str, moment: exp.Expr, number: exp.Expr) -> str:
    minus = "-" if symbol == "-" else ""
    if isinstance(number, exp.Literal) and number.is_int:
        n = number.name
        day = f"{shown(moment)} {symbol} INTERVAL '{n}' DAY"
        return f"Write {day}, or date_add('day', {minus}{n}, {shown(moment)})."
    return f"Write date_add('day', {minus}{shown(number)}, {shown(moment)})."


def choice_cure(branch: exp.Expr, found: TrinoType, kind: TrinoType) -> str:
    """Say how the values of a CASE or COALESCE get one type."""
    if found.base in TEXTS:
        return f"Write CAST({shown(branch)} AS varchar), so that all values are texts."
    if kind.base in TEXTS and isinstance(branch, exp.Literal):
        return f"Give a {found.base} or NULL here, or CAST the other values AS varchar."
    return f"CAST all values to one type: {found} came before, this is {kind}."


def condition_cure(node: exp.Expr, kind: TrinoType) -> str:
    """Say how a value becomes a condition."""
    if kind.base in NUMBERS:
        return f"Write {shown(node)} <> 0."
    if kind.base in TEXTS:
        return f"Compare it: {shown(node)} = '…' or {shown(node)} <> ''."
    return f"Compare it, or write {shown(node)} IS NOT NULL."


def field_cure(owner: str, kind: TrinoType, name: str) -> str:
    """Say how to reach into a row, map, array or JSON text."""
    if kind.base == "row":
        known = [n for n in kind.names if n]
        return f"Its fields are {', '.join(known[:12])}."
    if kind.base == "map":
        return f"Write element_at({owner}, '{name}') or {owner}['{name}']."
    if kind.base == "array":
        return f"Unnest it: CROSS JOIN UNNEST({owner}) AS t({_fields(kind)})."
    if kind.base in ("varchar", "json"):
        return f"If it holds JSON, write json_extract_scalar({owner}, '$.{name}')."
    return f"{owner} is one value: write {owner} alone."


def _fields(kind: TrinoType) -> str:
    inner = kind.parts[0]
    return ", ".join(n or "x" for n in inner.names) if inner.base == "row" else "item"
