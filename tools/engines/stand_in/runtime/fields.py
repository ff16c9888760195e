"""Patterns for dates: MySQL's ``%Y-%m-%d`` and Joda's ``yyyy-MM-dd``, read into one form."""

from dataclasses import dataclass
from functools import lru_cache

from querymend.tools.engines.stand_in.runtime.scalar import invalid, unsupported

MYSQL = {
    "a": "EEE",
    "b": "MMM",
    "c": "M",
    "d": "dd",
    "e": "d",
    "f": "SSSSSS",
    "H": "HH",
    "h": "hh",
    "I": "hh",
    "i": "mm",
    "j": "DDD",
    "k": "H",
    "l": "h",
    "M": "MMMM",
    "m": "MM",
    "p": "a",
    "r": "hh:mm:ss a",
    "S": "ss",
    "s": "ss",
    "T": "HH:mm:ss",
    "v": "ww",
    "W": "EEEE",
    "x": "xxxx",
    "Y": "yyyy",
    "y": "yy",
}
_MYSQL_MISSING = set("DUuVwX")
_LETTERS = set("GCYxweEyDMdaKhHkmsSzZ")


@dataclass(frozen=True)
class Part:
    """One field of a pattern, or a text that stands for itself."""

    letter: str
    """Joda's letter; empty for a text."""
    count: int = 0
    text: str = ""

    @property
    def numeric(self) -> bool:
        """Tell whether it is written in digits."""
        return self.letter in set("CYxweyDdKhHkmsS") or (self.letter == "M" and self.count <= 2)


@lru_cache(maxsize=256)
def mysql(pattern: str) -> tuple[Part, ...]:
    """Read a pattern of ``date_format`` and ``date_parse``."""
    parts: list[Part] = []
    letters = iter(pattern)
    for letter in letters:
        if letter != "%":
            parts.append(Part("", text=letter))
            continue
        code = next(letters, "")
        if not code or code in _MYSQL_MISSING:
            raise invalid(f"%{code} not supported in date format string")
        parts += joda(MYSQL[code]) if code in MYSQL else [Part("", text=code)]
    return tuple(parts)


@lru_cache(maxsize=256)
def joda(pattern: str) -> tuple[Part, ...]:
    """Read a pattern of ``format_datetime`` and ``parse_datetime``."""
    parts: list[Part] = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "'":
            text, at = _quoted(pattern, at)
            parts.append(Part("", text=text))
        elif letter.isascii() and letter.isalpha():
            if letter not in _LETTERS:
                raise invalid(f"Illegal pattern component: {letter}")
            end = at
            while end < len(pattern) and pattern[end] == letter:
                end += 1
            parts.append(Part(letter, end - at))
            at = end
        else:
            parts.append(Part("", text=letter))
            at += 1
    return tuple(parts)


def _quoted(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at : at + 2] == "''":
        return "'", at + 2
    text = ""
    at += 1
    while at < len(pattern):
        if pattern[at : at + 2] == "''":
            text += "'"
            at += 2
        elif pattern[at] == "'":
            return text, at + 1
        else:
            text += pattern[at]
            at += 1
    raise unsupported("a date pattern with an open quote")
