"""Writing cells and column names for people."""

import math
import re
from datetime import date, datetime
from decimal import Decimal

LONGEST = 200
"""Characters of one text cell that are shown; the cut is marked."""

_PLAIN_NUMBER = re.compile(r"(?:^|_|\b)(?:id|year|yr|code|number|no|nr|zip|key|phone|sku)\b", re.I)
_CALLS = {
    "count": "Count",
    "sum": "Total",
    "avg": "Average",
    "max": "Maximum",
    "min": "Minimum",
    "round": "",
    "cast": "",
    "median": "Median",
}


def spell(cell: object, *, name: str = "", longest: int = LONGEST) -> str:
    """Write one cell: separators in large numbers, ISO dates, long texts cut with a mark.

    Args:
        cell: a value of a row.
        name: its column's name; ids, years and codes get no thousands separators.
        longest: characters of a text that are kept.
    """
    if cell is None:
        return "no value"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return str(cell) if abs(cell) < 10_000 or _is_plain(name) else f"{cell:,}"
    if isinstance(cell, float | Decimal):
        return _fraction(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return f"<{len(cell)} bytes>"
    return cut(" ".join(str(cell).split()), longest)


def cut(text: str, longest: int) -> str:
    """Shorten a text, saying how long it was."""
    if len(text) <= longest:
        return text
    return f"{text[:longest].rstrip()}… ({len(text):,} characters)"


def title(name: str) -> str:
    """Turn a name into a label: ``total_revenue`` → Total revenue, ``sum(x)`` → Total x."""
    call = re.match(r"(\w+)\s*\((.*)\)$", name.strip())
    if call and call.group(1).lower() in {*_CALLS, "count_star"}:
        return _called(call.group(1).lower(), call.group(2))
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace('"', "").split()
    plain = " ".join(words)
    if not re.fullmatch(r"[\w %#/&.'-]+", plain) or re.fullmatch(r"col\d+", plain):
        return "Result"
    return plain[:1].upper() + plain[1:]


def _called(call: str, inside: str) -> str:
    word = "Count" if call == "count_star" else _CALLS[call]
    if word == "Count":
        return word
    argument = re.sub(r"^distinct ", "", inside.strip(), flags=re.I).split(".")[-1]
    if not re.fullmatch(r"[\w\"]+", argument):
        return word or "Result"
    plain = title(argument.strip('"'))
    return f"{word} {plain[:1].lower()}{plain[1:]}".strip() if word else plain


def _is_plain(name: str) -> bool:
    return bool(_PLAIN_NUMBER.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace(" ", "_")))


def _fraction(number: float | Decimal) -> str:
    """Two decimals, more where the number is small; whole numbers without."""
    size = abs(float(number))
    if not math.isfinite(size):
        return str(number)
    if size == int(size) and not (isinstance(number, Decimal) and _scale(number)):
        return f"{int(number):,}"
    if size >= 1 or not size:
        return f"{number:,.2f}"
    return f"{number:.4f}".rstrip("0").rstrip(".") if size >= 0.0001 else f"{number:.3g}"


def _scale(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0
