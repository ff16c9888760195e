"""What to write instead of what Trino does not read."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

import yaml

from querymend.tools.sql.grammar.lexemes import Lexeme
from querymend.tools.sql.grammar.reader import Mismatch, reserved
from querymend.tools.sql.grammar.typenames import NO_TYPE
from querymend.tools.sql.types.casts import foreign_type

_CLAUSES = ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "JOIN", "ON", ")")
_AMOUNT = re.compile(r"([+-]?\d+)\s+(\w+?)s?", re.IGNORECASE)
_UNITS = {"WEEK": (7, "DAY"), "QUARTER": (3, "MONTH"), "DECADE": (10, "YEAR")}
_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")

Around = tuple[Lexeme, ...]


def cure(mismatch: Mismatch, around: Around) -> str:
    """Return what mends the place where Trino's parser stops."""
    at = around.index(mismatch.lexeme)
    for rule in _RULES:
        if found := rule(mismatch, around, at):
            return found
    for entry in _entries():
        if _fits(entry, mismatch, around, at):
            return entry["hint"].format(**_texts(around, at))
    return _reserved(mismatch, around, at) or _general(mismatch)


def _comma(_: Mismatch, around: Around, at: int) -> str | None:
    """Mend a list that ends with a comma."""
    if at and around[at - 1].upper == "," and around[at].upper in (*_CLAUSES, ""):
        before = around[at].text or "the end"
        return f"Remove the comma before {before}." if _ends(around[at]) else None
    return None


def _ends(lexeme: Lexeme) -> bool:
    return lexeme.sort in ("word", "sign", "end")


def _interval(_: Mismatch, around: Around, at: int) -> str | None:
    """Mend ``INTERVAL 30 DAY``, ``INTERVAL '5 minutes'`` and units that Trino lacks."""
    start = next((i for i in range(at, max(at - 4, -1), -1) if around[i].upper == "INTERVAL"), None)
    if start is None or start + 1 >= len(around):
        return None
    given = around[start + 1]
    amount, unit = given.text.strip("'"), _word(around, start + 2)
    if match := _AMOUNT.fullmatch(amount):
        amount, unit = match[1], match[2].upper()
    if given.sort not in ("string", "number") or not amount.lstrip("+-").isdigit():
        return None
    unit = unit.removesuffix("S")
    times, field = _UNITS.get(unit, (1, unit if unit in _FIELDS else "DAY"))
    return f"Write INTERVAL '{int(amount) * times}' {field}."


def _word(around: Around, at: int) -> str:
    return around[at].upper if at < len(around) else ""


def _limit(_: Mismatch, around: Around, at: int) -> str | None:
    """Mend ``LIMIT 10 OFFSET 5`` and ``LIMIT 5, 10``."""
    if at < 2 or around[at - 2].upper != "LIMIT" or at + 1 >= len(around):
        return None
    first, second = around[at - 1].text, around[at + 1].text
    if around[at].upper == "OFFSET":
        return f"Write OFFSET {second} LIMIT {first}: OFFSET comes before LIMIT."
    return f"Write OFFSET {first} LIMIT {second}." if around[at].upper == "," else None


def _reserved(mismatch: Mismatch, around: Around, at: int) -> str | None:
    """Quote a reserved word where a name is meant."""
    lexeme = mismatch.lexeme
    wants = mismatch.expected in ("a name", "an expression")
    after = around[at + 1].upper if at + 1 < len(around) else ""
    if wants and lexeme.sort == "word" and lexeme.upper in reserved() and after != "(":
        known = lexeme.upper in ("SELECT", "WITH", "FROM", "WHERE", "UNNEST", "TRUE", "FALSE")
        return None if known else f'Quote the reserved word if it is a name: "{lexeme.text}".'
    return None


def _type(mismatch: Mismatch, _around: Around, _at: int) -> str | None:
    """Give Trino's name for a type of another system."""
    if mismatch.expected != NO_TYPE:
        return None
    own = foreign_type(mismatch.lexeme.text)
    return f"Write {own}." if own else "Trino's types are varchar, bigint, double, decimal, date …"


Rule = Callable[[Mismatch, Around, int], str | None]
_RULES: tuple[Rule, ...] = (_comma, _interval, _limit, _type)


@cache
def _entries() -> tuple[Mapping[str, str], ...]:
    text = files("querymend.tools.sql.grammar").joinpath("cures.yaml").read_text("utf-8")
    return tuple(yaml.safe_load(text))


def _fits(entry: Mapping[str, str], mismatch: Mismatch, around: Around, at: int) -> bool:
    lexeme = mismatch.lexeme
    before = entry.get("before", "").split()
    found = [x.upper for x in around[max(at - len(before), 0) : at]]
    return (
        entry.get("at", lexeme.upper) == lexeme.upper
        and entry.get("sort", lexeme.sort) == lexeme.sort
        and entry.get("expected", mismatch.expected) == mismatch.expected
        and (not before or found == before)
        and _is_near(entry.get("near"), around, at)
        and _fits_right(entry.get("right"), around, at)
    )


def _is_near(wanted: str | None, around: Around, at: int) -> bool:
    return wanted is None or any(x.upper == wanted for x in around[max(at - 4, 0) : at])


def _fits_right(wanted: str | None, around: Around, at: int) -> bool:
    if wanted is None:
        return True
    after = around[min(at + 1, len(around) - 1)]
    return wanted in (after.upper, after.sort)


def _texts(around: Around, at: int) -> dict[str, str]:
    def text(i: int) -> str:
        return around[i].text if 0 <= i < len(around) else "…"

    is_at = next((i for i in range(at, max(at - 3, 0), -1) if around[i].upper == "IS"), at)
    return {
        "left": _operand(around, at) or "x",
        "at": around[at].text,
        "right": text(at + 1) or "…",
        "bare": around[at].text.strip("'`\""),
        "subject": _operand(around, is_at) or "x",
    }


def _operand(around: Around, at: int) -> str:
    """Return the name or literal, with what it hangs on, that ends before a place."""
    start = at - 1
    if start < 0 or not _is_operand(around[start]):
        return ""
    while start >= 2 and around[start - 1].upper == "." and _is_operand(around[start - 2]):
        start -= 2
    return "".join(x.text for x in around[start:at])


def _is_operand(lexeme: Lexeme) -> bool:
    if lexeme.sort == "word":
        return lexeme.upper not in reserved()
    return lexeme.sort in ("quoted", "backquoted", "string", "number")


def _general(mismatch: Mismatch) -> str:
    if mismatch.lexeme.sort == "end":
        return f"The text ends too early: {mismatch.expected} is missing."
    return f"Trino expects {mismatch.expected} here, not {mismatch.lexeme.text[:40]}."
