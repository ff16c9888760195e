"""Units: what a column's unit says, and in which unit a question wants its answer."""

import re
from dataclasses import dataclass

_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_UNITS: dict[str, tuple[str, float]] = {
    "usd": ("usd", 1.0),
    "dollar": ("usd", 1.0),
    "cent": ("usd", 0.01),
    "usc": ("usd", 0.01),
    "eur": ("eur", 1.0),
    "euro": ("eur", 1.0),
    "eurocent": ("eur", 0.01),
    "gbp": ("gbp", 1.0),
    "pence": ("gbp", 0.01),
    "percent": ("share", 0.01),
    "%": ("share", 0.01),
    "pct": ("share", 0.01),
    "percentage": ("share", 0.01),
    "bp": ("share", 0.0001),
    "millisecond": ("time", 0.001),
    "ms": ("time", 0.001),
    "second": ("time", 1.0),
    "minute": ("time", 60.0),
    "hour": ("time", 3600.0),
    "day": ("time", 86400.0),
    "metre": ("length", 1.0),
    "meter": ("length", 1.0),
    "kilometre": ("length", 1000.0),
    "kilometer": ("length", 1000.0),
    "km": ("length", 1000.0),
    "gram": ("mass", 1.0),
    "kilogram": ("mass", 1000.0),
    "kg": ("mass", 1000.0),
    "tonne": ("mass", 1e6),
    "people": ("people", 1.0),
    "person": ("people", 1.0),
    "inhabitant": ("people", 1.0),
}
"""Dimension and size of a unit, by its singular."""
_SCALE = "|".join(_SCALES)
_WORD = "|".join(sorted((re.escape(u) for u in _UNITS), key=len, reverse=True))
_UNIT = re.compile(
    rf"(?:(?P<scale>{_SCALE})s?(?: of)? ?)?(?:u\.?s\.? |us-)?(?P<unit>{_WORD})s?\b(?! per\b)"
)
_ASKED = re.compile(
    rf"\b(?:in|as|how many|number of) (?:the )?(?:(?P<scale>{_SCALE})s?(?: of)? ?)?"
    rf"(?:u\.?s\.? |us-)?(?P<unit>{_WORD})s?\b(?! per\b)"
)
_ASKED_SCALE = re.compile(rf"\bin (?P<scale>{_SCALE})s\b(?! of (?:{_WORD}|u\.?s))")


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A dimension, and how many of its base unit one is: US cents are (usd, 0.01)."""

    dimension: str
    """Empty where only a scale is said: in thousands."""
    size: float
    text: str


def unit_of(text: str) -> Unit | None:
    """Read a column's unit: ``billion USD``, ``US cents``; ``USD per month`` counts as USD."""
    plain = re.sub(r" per .*", "", " ".join(text.lower().split()))
    found = _UNIT.fullmatch(plain)
    return _unit(found) if found else None


def units_asked(question: str) -> tuple[Unit, ...]:
    """Return the units that a question wants its answer in: ``in billion dollars``."""
    text = " ".join(question.lower().split())
    found = [_unit(m) for m in _ASKED.finditer(text)]
    found += [
        Unit(dimension="", size=_SCALES[m.group("scale")], text=m.group())
        for m in _ASKED_SCALE.finditer(text)
    ]
    return tuple(found)


def _unit(found: re.Match[str]) -> Unit:
    dimension, size = _UNITS[found.group("unit")]
    scale = _SCALES.get(found.group("scale") or "", 1.0)
    return Unit(dimension=dimension, size=size * scale, text=found.group().strip())
