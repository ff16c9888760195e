"""A text as Trino's parser sees it: words, quoted names, literals, signs, and their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Sort = Literal["word", "quoted", "string", "number", "sign", "backquoted", "digits", "end"]

_LEXEME = re.compile(
    r"""
    (?P<blank>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<string>(?:[uU]&|[xX])?'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*")
  | (?P<backquoted>`(?:[^`]|``)*`)
  | (?P<number>(?:\d+\.\d*|\.\d+|\d+)[eE][+-]?\d+(?!\w)|(?:\d+\.\d*|\.\d+)(?!\w)|\d+(?!\w))
  | (?P<digits>\d\w*)
  | (?P<word>\w+)
  | (?P<sign><>|!=|<=|>=|\|\||->>|->|::|:=|=>|<=>|==|!~\*|!~|~\*|//|\*\*|<<|>>|\{-|-\}|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SORTS: dict[str, Sort] = {
    "string": "string",
    "quoted": "quoted",
    "backquoted": "backquoted",
    "number": "number",
    "digits": "digits",
    "word": "word",
    "sign": "sign",
}


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One word, literal or sign."""

    sort: Sort
    text: str
    start: int
    upper: str
    """In capitals; empty for what is no bare word or sign."""

    @property
    def end(self) -> int:
        """Where it ends, as an offset."""
        return self.start + len(self.text)


def lexemes(text: str) -> Iterator[Lexeme]:
    """Yield the lexemes of a text, and the end as the last one."""
    for match in _LEXEME.finditer(text):
        kind = match.lastgroup or "sign"
        if kind != "blank":
            sort = _SORTS[kind]
            upper = match[0].upper() if sort in ("word", "sign") else ""
            yield Lexeme(sort, match[0], match.start(), upper)
    yield Lexeme("end", "", len(text), "")
