"""Traits of a result's shape, of what was found, and of a second candidate's result."""

import math
from collections.abc import Sequence
from typing import Literal

from querymend.tools.checks.seen import Seen
from querymend.tools.confidence.evidence import Traits, capped
from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding, Severity, acting
from querymend.tools.questions.words import is_plural, tokens

Candidate = Literal["agrees", "differs", "failed"]
"""What a second statement for the same question gave: the same rows, others, or an error."""
_SAID: dict[Severity, str] = {
    "block": "found",
    "repair": "found",
    "warn": "doubted",
    "note": "noted",
}
LOOKED_AT = 200
"""Rows that are looked at; more say nothing new about the shape."""


def result_traits(seen: Seen, result: Result) -> Traits:
    """Return what the rows look like."""
    rows = result.rows[:LOOKED_AT]
    cells = [c for row in rows for c in row]
    return {
        "rows": capped(math.log1p(len(result.rows)), 7),
        "rows_one": float(len(rows) == 1),
        "rows_many_for_one": float(seen.reading.one_value is True and len(rows) > 1),
        "rows_one_for_many": float(len(rows) == 1 and _asks_many(seen)),
        "rows_repeated": 1 - len({repr(r) for r in rows}) / len(rows) if rows else 0.0,
        "cells_null": sum(c is None for c in cells) / len(cells) if cells else 0.0,
        "columns": capped(len(result.columns) - 1, 4),
        **_lone(cells),
    }


def _lone(cells: Sequence[object]) -> Traits:
    """Look at the one cell of a result that is one value."""
    number = cells[0] if len(cells) == 1 and isinstance(cells[0], int | float) else None
    return {
        "lone_zero": float(number == 0),
        "lone_one": float(number == 1),
        "lone_null": float(len(cells) == 1 and cells[0] is None),
    }


def _asks_many(seen: Seen) -> bool:
    """The first noun of the question is a plural, and no number is asked for."""
    words = tokens(seen.question)[:6]
    return not seen.reading.counts and any(is_plural(w) and len(w) > 3 for w in words)


def finding_traits(findings: Sequence[Finding]) -> Traits:
    """Return how grave the findings are, and which there are; an empty result is told by them."""
    grave = {f.code for f in acting(findings)}
    warned = {f.code for f in findings if f.severity == "warn"}
    return {
        "grave_any": float(bool(grave)),
        "grave_many": capped(len(grave), 3),
        "warned_any": float(bool(warned)),
        **{f"{_SAID[f.severity]}_{f.code}": 1.0 for f in findings},
    }


def candidate_traits(candidate: Candidate | None, traits: Traits) -> Traits:
    """Return what the second candidate says; nothing where there is none.

    A grave finding weighs otherwise where two statements agree: so it has traits of its own.
    """
    grave = traits.get("grave_any", 0.0)
    return {
        "candidate_differs": float(candidate == "differs"),
        "candidate_failed": float(candidate == "failed"),
        "candidate_differs_grave": grave * (candidate == "differs"),
        "agreed_grave": grave * (candidate == "agrees"),
    }
