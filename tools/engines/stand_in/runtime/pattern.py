r"""Regular expressions as Trino reads them (Joni, Java's syntax), turned into Python's.

``\w``, ``\d`` and ``\s`` are ASCII, ``\b`` and ``(?i)`` are not. What Python cannot say
(intersections of classes, flags in mid-pattern) is refused.
"""

import re
import sys
import unicodedata
from functools import lru_cache

from querymend.tools.engines.stand_in.runtime.scalar import invalid, unsupported

_ASCII = {
    "w": "A-Za-z0-9_",
    "W": "\\x00-/:-@\\[-\\^`{-\\U0010ffff",
    "d": "0-9",
    "D": "\\x00-/:-\\U0010ffff",
    "s": " \\t\\n\\r\\f\\v",
    "S": "\\x00-\\x08\\x0e-\\x1f!-\\U0010ffff",
    "h": " \\t\\u00a0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000",
}
_POSIX = {
    "alpha": "L Nl",
    "digit": "Nd",
    "alnum": "L Nl Nd",
    "upper": "Lu",
    "lower": "Ll",
    "punct": "P S",
    "space": "Z",
    "cntrl": "Cc",
}
_LONG = {
    "letter": "L",
    "mark": "M",
    "number": "N",
    "punctuation": "P",
    "symbol": "S",
    "separator": "Z",
    "other": "C",
    "isalphabetic": "L Nl",
    "isletter": "L",
    "isdigit": "Nd",
    "isuppercase": "Lu",
    "islowercase": "Ll",
    "ispunctuation": "P",
}
_PASSED = set("tnrfv0123456789bBAxu.*+?()[]{}|^$/\\-'\"!#%&,:;<=>@_`~ ")
_LOOKS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>")


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of Trino's.

    Raises:
        TrinoFault: no pattern, or one that Python cannot say.
    """
    text = _Reader(pattern).read()
    try:
        return re.compile(text)
    except re.error as error:
        if "flags not at the start" in error.msg or "bad inline flags" in error.msg:
            raise unsupported(f"the pattern '{pattern}' (flags inside it)") from error
        raise invalid(f"{error.msg}: '{pattern}'") from error
    except OverflowError as error:
        raise invalid(str(error)) from error


class _Reader:
    """Goes once over a pattern and writes Python's."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._out: list[str] = []

    def read(self) -> str:
        while self._at < len(self._text):
            self._step()
        return "".join(self._out)

    def _step(self) -> None:
        letter = self._text[self._at]
        if letter == "\\":
            self._escape(in_class=False)
        elif letter == "[":
            self._class()
        elif letter == "(":
            self._group()
        else:
            self._out.append(letter)
            self._at += 1

    def _group(self) -> None:
        rest = self._text[self._at :]
        if rest.startswith("(?<") and not rest.startswith(_LOOKS):
            self._out.append("(?P<")
            self._at += 3
        else:
            self._out.append("(")
            self._at += 1

    def _class(self) -> None:
        self._out.append("[")
        self._at += 1
        if self._text[self._at : self._at + 1] == "^":
            self._out.append("^")
            self._at += 1
        while self._at < len(self._text) and self._text[self._at] != "]":
            self._in_class()
        self._out.append("]")
        self._at += 1

    def _in_class(self) -> None:
        rest = self._text[self._at :]
        named = re.match(r"\[:(\^?)(\w+):\]", rest)
        if named and not named[1] and named[2] in _POSIX:
            self._out.append(_ranges(_POSIX[named[2]]))
            self._at += named.end()
        elif rest[0] == "[" or rest.startswith("&&"):
            raise unsupported(f"the pattern '{self._text}' (a class within a class)")
        elif rest[0] == "\\":
            self._escape(in_class=True)
        else:
            self._out.append(rest[0])
            self._at += 1

    def _escape(self, *, in_class: bool) -> None:
        after = self._text[self._at + 1 : self._at + 2]
        if not after:
            raise invalid("end pattern at escape")
        if after in _ASCII:
            self._put(_ASCII[after], in_class=in_class, skip=2)
        elif after in "pP":
            self._property(in_class=in_class)
        elif after == "Q":
            self._quoted()
        else:
            self._out.append(self._other(after))
            self._at += 2

    def _put(self, ranges: str, *, in_class: bool, skip: int, negated: bool = False) -> None:
        if in_class and negated:
            raise unsupported(f"the pattern '{self._text}' (a negated property in a class)")
        self._out.append(ranges if in_class else f"[{'^' if negated else ''}{ranges}]")
        self._at += skip

    def _property(self, *, in_class: bool) -> None:
        found = re.match(r"\\([pP])(?:\{(\^?)([\w ]+)\}|(\w))", self._text[self._at :])
        if not found:
            raise invalid("invalid character property name {p}")
        name = (found[3] or found[4]).strip().lower()
        kinds = _POSIX.get(name) or _LONG.get(name) or _category(found[3] or found[4])
        negated = (found[1] == "P") != bool(found[2])
        self._put(_ranges(kinds), in_class=in_class, skip=found.end(), negated=negated)

    def _quoted(self) -> None:
        end = self._text.find("\\E", self._at)
        end = end if end >= 0 else len(self._text)
        self._out.append(re.escape(self._text[self._at + 2 : end]))
        self._at = end + 2

    def _other(self, after: str) -> str:
        if after == "z":
            return "\\Z"
        if after == "Z":
            return "(?=\\n?\\Z)"
        if after == "e":
            return "\\x1b"
        if after == "k":
            self._at += 2
            name = re.match(r"<(\w+)>", self._text[self._at :])
            if name:
                self._at += name.end() - 2
                return f"(?P={name[1]})"
        if after in _PASSED:
            return "\\" + after
        if after.isalpha():
            raise unsupported(f"\\{after} in the pattern '{self._text}'")
        return re.escape(after)


def _category(name: str) -> str:
    found = name.removeprefix("Is")
    if re.fullmatch(r"[CLMNPSZ][a-z]?", found):
        return found
    raise unsupported(f"the character property {name}")


@lru_cache(maxsize=64)
def _ranges(kinds: str) -> str:
    """Return the inside of a character class for Unicode categories."""
    wanted = tuple(kinds.split())
    parts: list[str] = []
    start = -1
    for point in range(sys.maxunicode + 2):
        held = point <= sys.maxunicode and unicodedata.category(chr(point)).startswith(wanted)
        if held and start < 0:
            start = point
        elif not held and start >= 0:
            parts.append(f"\\U{start:08x}-\\U{point - 1:08x}")
            start = -1
    return "".join(parts)
