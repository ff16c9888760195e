"""Arguments that are written out and that a function refuses whatever the data: units, paths."""

import re
from collections.abc import Callable

from sqlglot import exp

from querymend.tools.sql.types.casts import reads
from querymend.tools.sql.types.cures import moment_literal, shown
from querymend.tools.sql.types.model import DATE, TrinoType
from querymend.tools.sql.types.tries import is_tried
from querymend.tools.sql.types.typer import Typer

_DAYS = ("day", "week", "month", "quarter", "year")
_UNITS = ("millisecond", "second", "minute", "hour", *_DAYS)
_ALIASES = {"dd": "day", "d": "day", "mm": "month", "mon": "month", "yy": "year", "yyyy": "year"}
_ALIASES |= {"hh": "hour", "mi": "minute", "ss": "second", "ms": "millisecond", "qq": "quarter"}
_ALIASES |= {"epoch": "second", "isoweek": "week", "wk": "week", "ww": "week"}
_PATH = re.compile(r"\$(\.[\w:]+|\[\w+\]|\[\"([^\"\\]|\\[\"\\])*\"\])*")
_ISO_WEEK_OR_DAY = re.compile(r"\d{4}-(?:W\d{2}(?:-[1-7])?|\d{3})")
_CODES = re.compile(r"%([DUuVwX])")

_UNITED = {
    "date_trunc": "date_trunc('{0}', x)",
    "date_add": "date_add('{0}', n, x)",
    "date_diff": "date_diff('{0}', start, stop)",
}

Check = Callable[[Typer, exp.Expr, list[exp.Expr], list[TrinoType | None]], None]


def check_values(
    typer: Typer, node: exp.Expr, name: str, nodes: list[exp.Expr], kinds: list[TrinoType | None]
) -> None:
    """Blame written-out arguments that a function cannot take."""
    if name in _CHECKS and nodes and not is_tried(node):
        _CHECKS[name](typer, node, nodes, kinds)


def _text(node: exp.Expr) -> str | None:
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def _number(node: exp.Expr) -> float | None:
    if isinstance(node, exp.Neg):
        below = _number(node.this)
        return None if below is None else -below
    if isinstance(node, exp.Literal) and not node.is_string:
        return float(node.name) if re.fullmatch(r"[\d.]+(e[+-]?\d+)?", node.name, re.I) else None
    return None


def _unit(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], kinds: list[TrinoType | None]
) -> None:
    unit, moment = _text(nodes[0]), kinds[-1]
    if unit is None:
        return
    days = moment is not None and moment.base == "date"
    known = _DAYS if days else _UNITS
    low = unit.lower()
    if low in known:
        return
    near = _ALIASES.get(low, low.removesuffix("s"))
    if days and near in _UNITS and near not in _DAYS:
        hint = f"A date has no {near}s: CAST({shown(nodes[-1])} AS timestamp) first."
    else:
        best = f"Write '{near}'. " if near in known else ""
        hint = f"{best}The units are {', '.join(known)}."
    typer.blame(node, "unknown_unit", f"'{unit[:40]}' is no unit of time here.", hint)


def check_unit_name(typer: Typer, node: exp.Expr, name: str, nodes: list[exp.Expr]) -> bool:
    """Blame a unit of time that is written as a name: ``date_diff(day, a, b)``."""
    if name not in _UNITED:
        return False
    for given in nodes:
        unit = given.name.lower() if isinstance(given, exp.Column) and not given.table else ""
        unit = _ALIASES.get(unit, unit)
        ref = typer.ref(given)
        if unit in _UNITS and (ref is None or ref.status == "no_column"):
            hint = f"Write {_UNITED[name].format(unit)}: the unit is a text and comes first."
            message = f"{given.name} is a name here, not a unit of time."
            typer.blame(given, "unknown_unit", message, hint)
            return True
    return False


def _path(typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]) -> None:
    path = _text(nodes[1]) if len(nodes) > 1 else None
    if path is None or _PATH.fullmatch(path):
        return
    plain = path.removeprefix("lax ").removeprefix("strict ").lstrip("$.")
    if _PATH.fullmatch(f"$.{plain}"):
        hint = f"Write '$.{plain}'."
    else:
        hint = "Write '$.key', '$.a[0].b' or '$[\"a b\"]'; for [*] use json_query('lax $.a[*]')."
    typer.blame(node, "invalid_path", f"'{path[:60]}' is no JSON path.", hint)


def _codes(typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]) -> None:
    pattern = _text(nodes[1]) if len(nodes) > 1 else None
    found = _CODES.search(pattern.replace("%%", "")) if pattern else None
    if found:
        message = f"Trino's date formats have no %{found[1]}."
        hint = "Use %Y %m %d %H %i %s %W (weekday) %j (day of year) %v (week), or day_of_week(x)."
        typer.blame(node, "unknown_format", message, hint)


def _share(typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]) -> None:
    share = _number(nodes[1]) if len(nodes) == 2 else None
    if share is not None and not 0 <= share <= 1:
        cure = f"Write {share / 100:g}." if 1 < share <= 100 else "Write 0.5 for the median."
        message = f"The percentile {shown(nodes[1])} is not between 0 and 1."
        typer.blame(node, "value_out_of_range", message, cure)


def _at_least(place: int, least: int) -> Check:
    def check(
        typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]
    ) -> None:
        value = _number(nodes[place]) if place < len(nodes) else None
        if value is not None and value < least:
            message = f"{shown(nodes[place])} is below {least}, where this function begins."
            typer.blame(node, "value_out_of_range", message, f"Write {least} or more.")

    return check


def _not_zero(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]
) -> None:
    if len(nodes) == 2 and _number(nodes[1]) == 0:
        message = "Positions are counted from 1; there is no element 0."
        typer.blame(node, "value_out_of_range", message, "Write 1 for the first, -1 for the last.")


def _reads_as_date(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], _: list[TrinoType | None]
) -> None:
    day = _text(nodes[0])
    if day is not None and not reads(day, DATE):
        hint = f"Write {moment_literal(day, DATE)}, or current_date for today."
        typer.blame(node, "invalid_literal", f"'{day[:60]}' is no date.", hint)


def _reads_as_iso_date(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], more: list[TrinoType | None]
) -> None:
    """Days of a week (2024-W09-4) and of a year (2024-060) are ISO's too."""
    day = _text(nodes[0])
    if day is None or not _ISO_WEEK_OR_DAY.fullmatch(day):
        _reads_as_date(typer, node, nodes, more)


_CHECKS: dict[str, Check] = {
    **dict.fromkeys(("date_trunc", "date_add", "date_diff"), _unit),
    **dict.fromkeys(("json_extract", "json_extract_scalar", "json_size"), _path),
    **dict.fromkeys(("date_format", "date_parse"), _codes),
    "approx_percentile": _share,
    "split_part": _at_least(2, 1),
    "ntile": _at_least(0, 1),
    **dict.fromkeys(("lpad", "rpad", "repeat", "lag", "lead"), _at_least(1, 0)),
    "width_bucket": _at_least(3, 1),
    "date": _reads_as_date,
    "from_iso8601_date": _reads_as_iso_date,
    "element_at": _not_zero,
}


def check_index(typer: Typer, node: exp.Expr, key: exp.Expr | None) -> None:
    """Blame an array's subscript below 1; the parser has taken 1 from a written one."""
    value = _number(key) if key is not None else None
    if value is None or is_tried(node):
        return
    written = value if node.args.get("offset") is not None else value + 1
    if written < 1:
        hint = "Write [1] for the first, element_at(array, -1) for the last."
        message = f"Arrays are counted from 1: there is no element {written:g}."
        typer.blame(node, "value_out_of_range", message, hint)


def check_divisor(typer: Typer, node: exp.Expr, result: TrinoType | None) -> None:
    """Blame a division of whole or decimal numbers by a written zero."""
    divisor = node.args.get("expression")
    if node.key not in ("div", "mod") or result is None or result.base in ("double", "real"):
        return
    if isinstance(divisor, exp.Literal) and _number(divisor) == 0 and not is_tried(node):
        message = "This divides by zero, which fails for integers and decimals."
        typer.blame(node, "division_by_zero", message, "Write nullif(divisor, 0).")
