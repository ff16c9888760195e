"""Calls: the overload that is meant, and the template or the rule that gives it in DuckDB."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import cast, filled_once
from querymend.tools.engines.stand_in.translate.cast_moments import wall_clock
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.signatures import Match, choose, matches, overloads

_PLACES = "abcdefgh"
_SAME = ("varchar", "char", "json", "boolean", "date")
"""Types that a template always gives as they are."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a scalar function."""

    node: exp.Expr
    name: str
    arguments: tuple[exp.Expr, ...]
    gives: TrinoType


CallRule = Callable[[Translator, Call], exp.Expr]


@cache
def templates() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Read the table of functions: argument types and template, by name."""
    text = files("querymend.tools.engines.stand_in.translate").joinpath("functions.txt")
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in text.read_text("utf-8").splitlines():
        head, _, template = line.partition(" = ")
        if template and not line.startswith("#"):
            name, *kinds = head.split()
            found.setdefault(name, []).append((tuple(kinds), template))
    return found


def called(tr: Translator, call: Call) -> exp.Expr:
    """Translate a call by its template."""
    match = overload(tr, call)
    made = [tr.to(a, k) for a, k in zip(call.arguments, match.arguments, strict=True)]
    kinds = list(match.arguments)
    template = _template(call.name, kinds)
    if template is None and ZONED_TIMESTAMP in [k.base for k in kinds]:
        made = [
            wall_clock(m) if k.base == ZONED_TIMESTAMP else m
            for m, k in zip(made, kinds, strict=True)
        ]
        kinds = [_clock(k) for k in kinds]
        template = _template(call.name, kinds)
    if template is None:
        shown = ", ".join(map(str, match.arguments))
        raise tr.refused(f"The function {call.name}({shown})", call.node)
    found = filled_once(template, **dict(zip(_PLACES, made, strict=False)))
    return found if call.gives.base in _SAME else cast(found, physical(call.gives))


def _clock(kind: TrinoType) -> TrinoType:
    return TrinoType("timestamp", kind.sizes) if kind.base == ZONED_TIMESTAMP else kind


def _template(name: str, kinds: list[TrinoType]) -> str | None:
    shown = [k.base.replace(" ", "_") for k in kinds]
    for wanted, template in templates().get(name, ()):
        if len(wanted) == len(shown) and all(
            w in ("*", s) for w, s in zip(wanted, shown, strict=True)
        ):
            return template
    return None


def overload(tr: Translator, call: Call) -> Match:
    """Return the overload that a call without lambdas means."""
    kinds: list[TrinoType | None] = [tr.kind(a) for a in call.arguments]
    candidates = overloads(call.name)
    found = list(matches(candidates, kinds, exact=True))
    found = found or list(matches(candidates, kinds, exact=False))
    best = choose(found) if found else None
    if best is None:
        shown = ", ".join(map(str, kinds))
        raise tr.refused(f"The function {call.name}({shown})", call.node)
    return best


def arguments_of(tr: Translator, call: Call) -> tuple[list[exp.Expr], tuple[TrinoType, ...]]:
    """Translate a call's arguments as the overload takes them; return them with their types."""
    match = overload(tr, call)
    made = [tr.to(a, k) for a, k in zip(call.arguments, match.arguments, strict=True)]
    return made, match.arguments


__all__ = ["Call", "CallRule", "arguments_of", "called", "coerced", "overload", "templates"]
