"""Trino's functions on the letters of a text, one by one."""

import unicodedata

from querymend.tools.engines.stand_in.runtime.scalar import Scalar, invalid, scalar

_SOUNDS = {
    **dict.fromkeys("BFPV", "1"),
    **dict.fromkeys("CGJKQSXZ", "2"),
    **dict.fromkeys("DT", "3"),
    "L": "4",
    **dict.fromkeys("MN", "5"),
    "R": "6",
}


def _normalize(text: str, form: str) -> str:
    if form == "NFC":
        return unicodedata.normalize("NFC", text)
    if form == "NFD":
        return unicodedata.normalize("NFD", text)
    if form == "NFKC":
        return unicodedata.normalize("NFKC", text)
    if form == "NFKD":
        return unicodedata.normalize("NFKD", text)
    raise invalid("Normalization form must be one of [NFD, NFC, NFKD, NFKC]")


def _soundex(text: str) -> str:
    letters = [c for c in text.upper() if c.isalpha()]
    if any(not c.isascii() for c in letters):
        raise invalid(f"The character is not mapped: {text}")
    if not letters:
        return ""
    code, last = letters[0], _SOUNDS.get(letters[0], "")
    for letter in letters[1:]:
        sound = _SOUNDS.get(letter, "")
        if sound and sound != last:
            code += sound
        if letter not in "HW":
            last = sound
    return code[:4].ljust(4, "0")


def _hamming(left: str, right: str) -> int:
    if len(left) != len(right):
        raise invalid("The input strings to hamming_distance function must have the same length")
    return sum(a != b for a, b in zip(left, right, strict=True))


def _levenshtein(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def _translate(text: str, old: str, new: str) -> str:
    table: dict[str, str] = {}
    for place, letter in enumerate(old):
        table.setdefault(letter, new[place] if place < len(new) else "")
    return "".join(table.get(c, c) for c in text)


def _luhn(text: str) -> bool:
    if not text.isdigit() or not text:
        return False if not text else _no_luhn(text)
    doubled = (int(c) * (1 + place % 2) for place, c in enumerate(reversed(text)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _no_luhn(text: str) -> bool:
    raise invalid(f"Input string contains non-digits: {text}")


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("normalize", "VARCHAR VARCHAR", "VARCHAR", _normalize),
    scalar("soundex", "VARCHAR", "VARCHAR", _soundex),
    scalar("hamming_distance", "VARCHAR VARCHAR", "BIGINT", _hamming),
    scalar("levenshtein_distance", "VARCHAR VARCHAR", "BIGINT", _levenshtein),
    scalar("translate", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _translate),
    scalar("luhn_check", "VARCHAR", "BOOLEAN", _luhn),
)
