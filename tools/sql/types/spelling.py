"""Type names as Glue, Trino and DuckDB spell them, read into Trino's types."""

import re
from functools import lru_cache

from querymend.tools.sql.types.model import ZONED, TrinoType

_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|\w+|[(),<>:\[\]])')
_PLAIN = {
    **{n: n for n in ("boolean", "tinyint", "smallint", "integer", "bigint", "real", "double")},
    **{n: n for n in ("varchar", "char", "varbinary", "date", "json", "uuid", "ipaddress")},
    **{n: n for n in ("unknown", "decimal", "time", "timestamp", "array", "map", "row")},
    **{n: n for n in ("hyperloglog", "setdigest", "tdigest", "qdigest", "color", "function")},
    **{n: n for n in ("joniregexp", "jsonpath", "codepoints", "jsonpath2016")},
    **{"string": "varchar", "text": "varchar", "bool": "boolean", "int": "integer"},
    **{"float": "real", "binary": "varbinary", "blob": "varbinary", "struct": "row"},
    **{"numeric": "decimal", "datetime": "timestamp", "utinyint": "smallint"},
    **{"usmallint": "integer", "uinteger": "bigint"},
    **{"timestamptz": f"timestamp{ZONED}", "timetz": f"time{ZONED}"},
}
_WIDE = {"hugeint": (38, 0), "ubigint": (20, 0)}
_DEFAULTS: dict[str, tuple[int, ...]] = {"decimal": (38, 0), "char": (1,), "time": (3,)}
_DEFAULTS |= {"timestamp": (3,), f"timestamp{ZONED}": (3,), f"time{ZONED}": (3,)}
_CLOSING = {"(": ")", "<": ">"}


class _Unreadable(Exception):
    """The text names no type that Trino has."""


@lru_cache(maxsize=4096)
def read_type(text: str) -> TrinoType | None:
    """Read a type's name; None where Trino has no such type.

    Args:
        text: ``decimal(12,2)``, ``array<struct<sku:string,qty:int>>``, ``map(varchar,bigint)``,
            ``INTEGER[]``, ``timestamp(3) with time zone``.
    """
    reader = _Reader(_tokens(text))
    try:
        found = reader.type()
        return found if reader.is_done() else None
    except _Unreadable:
        return None


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            return ["?"]
        tokens.append(match[1])
        at = match.end()
    return tokens


class _Reader:
    """Reads one type from its tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def type(self) -> TrinoType:
        found = self._bare()
        while self._takes("["):
            self._next()
            if self._tokens[self._at - 1] != "]":
                self._expect("]")
            found = TrinoType("array", (), (found,))
        return found

    def _bare(self) -> TrinoType:
        word = self._next().lower()
        if word == "interval":
            return self._interval()
        if word in _WIDE:
            return TrinoType("decimal", _WIDE[word])
        self._takes("precision")
        base = _PLAIN.get(word)
        if base is None:
            if not self._is_variable(word):
                raise _Unreadable(word)
            return TrinoType(self._tokens[self._at - 1])
        if base in ("array", "map", "row", "qdigest", "function"):
            return self._nested(base)
        sizes = self._sizes()
        base = self._zoned(base)
        return TrinoType(base, sizes or _DEFAULTS.get(base, ()))

    @staticmethod
    def _is_variable(word: str) -> bool:
        return len(word) <= 2 and (word[0] in "tekvsrju" and not word[1:].isalpha())

    def _interval(self) -> TrinoType:
        words = [w.lower() for w in self._tokens[self._at : self._at + 3]]
        if words in (["day", "to", "second"], ["year", "to", "month"]):
            self._at += 3
            return TrinoType(f"interval {' '.join(words)}")
        raise _Unreadable("interval")

    def _nested(self, base: str) -> TrinoType:
        opening = self._next()
        if opening not in _CLOSING:
            raise _Unreadable(base)
        parts, names = [], []
        while True:
            name, part = self._field() if base == "row" else (None, self.type())
            parts.append(part)
            names.append(name)
            if not self._takes(","):
                break
        self._expect(_CLOSING[opening])
        return TrinoType(base, (), tuple(parts), tuple(names) if base == "row" else ())

    def _field(self) -> tuple[str | None, TrinoType]:
        """Read ``name type``, ``name:type`` or a type alone."""
        start = self._at
        name = self._next().strip('"')
        if self._takes(":"):
            return name, self.type()
        after = self._peek()
        if after in (",", ")", ">", "(", "<", "[", "") or after.lower() in ("precision", "with"):
            self._at = start
            try:
                return None, self.type()
            except _Unreadable:
                self._at = start + 1
        return name, self.type()

    def _sizes(self) -> tuple[int | str, ...]:
        if not self._takes("("):
            return ()
        sizes: list[int | str] = []
        while True:
            word = self._next()
            sizes.append(int(word) if word.isdigit() else word)
            if not self._takes(","):
                break
        self._expect(")")
        return tuple(sizes)

    def _zoned(self, base: str) -> str:
        for words in (["with", "time", "zone"], ["without", "time", "zone"]):
            if [w.lower() for w in self._tokens[self._at : self._at + 3]] == words:
                self._at += 3
                return base + ZONED if words[0] == "with" else base
        return base

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        if self.is_done():
            raise _Unreadable("end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _takes(self, word: str) -> bool:
        if self._peek().lower() == word:
            self._at += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._takes(word):
            raise _Unreadable(word)
