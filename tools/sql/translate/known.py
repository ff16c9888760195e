"""What of DuckDB's SQL is translated at all: an allow-list of nodes and of their parts."""

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from sqlglot import exp

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
"""Units that both engines count and cut at the same instants; weeks begin on Monday."""
_FIELDS = (*UNITS, "doy", "dow", "isodow", "dayofyear", "dayofweek")
_FORMAT = re.compile(r"(?:[^%]|%[YymdHSMBbAaj])*")
_SHOWN = 60


class Untranslatable(Exception):
    """The statement has no translation that is known to mean the same; says why."""


def hold_known(tree: exp.Expr) -> None:
    """Raise ``Untranslatable`` for the first node, or part of one, that is not on the list."""
    for node in tree.walk():
        parts = _nodes().get(type(node).__name__)
        if parts is None:
            raise untold(node)
        for name, part in node.args.items():
            if part and name not in parts:
                raise untold(node, name.rstrip("_"))
        held = _HELD.get(type(node))
        if held is not None and not held(node):
            raise untold(node)


def untold(node: exp.Expr, part: str = "") -> Untranslatable:
    """Return the refusal of a node, or of one part of it."""
    shown = node.sql("duckdb")
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return Untranslatable(f"{shown} has no sure translation{f' ({part})' if part else ''}")


@cache
def _nodes() -> dict[str, frozenset[str]]:
    text = files("querymend.tools.sql.translate").joinpath("nodes.txt").read_text("utf-8")
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {words[0]: frozenset(words[1:]) for words in lines}


def whole(node: object) -> int | None:
    """Return what a literal whole number is, None for all else."""
    if isinstance(node, exp.Literal) and re.fullmatch(r"\d+", node.name):
        return int(node.name)
    return None


def _from_one(node: exp.Expr) -> bool:
    return (whole(node.args["start"]) or 0) > 0 and _is_count(node.args.get("length"))


def _is_count(node: object) -> bool:
    return node is None or whole(node) is not None


def _has_unit(node: exp.Expr) -> bool:
    unit = node.args.get("unit")
    return isinstance(unit, exp.Expr) and unit.name.lower().removesuffix("s") in UNITS


def _joins_plainly(node: exp.Expr) -> bool:
    return node.text("kind").upper() in ("", "INNER", "OUTER", "CROSS")


def _plain_pattern(node: exp.Expr) -> bool:
    return isinstance(node.expression, exp.Literal) and "\\" not in node.expression.name


def _plain_bound(node: exp.Expr) -> bool:
    return not any(isinstance(node.args.get(k), exp.Interval) for k in ("start", "end"))


def _plain_star(node: exp.Expr) -> bool:
    return not any(node.args.values())


_HELD: dict[type[exp.Expr], Callable[[exp.Expr], bool]] = {
    exp.Count: lambda n: n.this is not None and not n.expressions,
    exp.DateDiff: _has_unit,
    exp.TimestampTrunc: _has_unit,
    exp.Distinct: lambda n: len(n.expressions) < 2,
    exp.Extract: lambda n: n.this.name.lower() in _FIELDS,
    exp.GroupConcat: lambda n: isinstance(n.this, exp.Order),
    exp.Interval: lambda n: _has_unit(n) and whole(n.this) is not None,
    exp.Is: lambda n: isinstance(n.expression, exp.Null),
    exp.Join: _joins_plainly,
    exp.Left: lambda n: whole(n.expression) is not None,
    exp.Like: _plain_pattern,
    exp.ILike: _plain_pattern,
    exp.Limit: lambda n: whole(n.expression) is not None,
    exp.Offset: lambda n: whole(n.expression) is not None,
    exp.Star: _plain_star,
    exp.Substring: _from_one,
    exp.TimeToStr: lambda n: (
        isinstance(n.args["format"], exp.Literal)
        and _FORMAT.fullmatch(n.args["format"].name) is not None
    ),
    exp.WindowSpec: _plain_bound,
}
"""Nodes that are translated only with some of their arguments."""
