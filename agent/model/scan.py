"""Find where literals, comments and fences lie in a text that holds SQL."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_QUIET = re.compile(
    r"(?P<fence>`{3,})"
    r"|(?P<text>'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|`[^`\n]+`)"
    r"|(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))",
    re.DOTALL,
)
_OPENING = re.compile(r"(?P<marks>`{3,}|~{3,})[ \t]*(?P<tag>[\w+-]*)[^\S\n]*\n?")
_TAGS = re.compile(
    r"(?:<pre\b[^>]*>\s*)?<(?P<tag>sql|query|pre|code)\b[^>]*>(?P<body>.*?)(?P<end></(?P=tag)>|\Z)",
    re.DOTALL | re.I,
)
_VERB = re.compile(r"select|with|values|from|insert|update|delete|drop|create|alter", re.I)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fenced text of a reply."""

    body: str
    closed: bool | None
    """False where the reply ended before the closing fence; None for text without a fence."""


def masked(sql: str) -> str:
    """Return the text at the same length, literals as ``·`` and comments as blanks.

    Names in double quotes and backticks count as literals. A mark found in what is returned is
    SQL, never data.
    """
    return _QUIET.sub(_blank, sql)


def _blank(match: re.Match[str]) -> str:
    if match["fence"]:
        return match["fence"]
    return ("·" if match["text"] else " ") * len(match[0])


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced texts in order: Markdown fences of any tag, or ``<sql>`` and its kin."""
    if not _OPENING.search(text):
        yield from (Block(body=m["body"], closed=bool(m["end"])) for m in _TAGS.finditer(text))
        return
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start("tag") if _VERB.fullmatch(opening["tag"]) else opening.end()
        end = _closing(text[start:], opening["marks"])
        yield Block(body=text[start:][:end], closed=end is not None)
        if end is None:
            return
        position = start + end + len(opening["marks"])


def _closing(body: str, marks: str) -> int | None:
    """Return where the block ends: a fence on a line of its own, or one outside any literal."""
    own_line = re.search(rf"^[ \t]*{marks}", body, re.MULTILINE)
    if own_line:
        inside = masked(body[: own_line.start()]).find(marks)
        return inside if inside >= 0 else own_line.start()
    found = masked(body).find(marks)
    return found if found >= 0 else None


def before_first_fence(text: str) -> str | None:
    """Return what stands before a lone closing fence, as a prefilled opening fence leaves it."""
    quiet = masked(text)
    marks = quiet.find("```")
    if marks < 0 or not re.match(r"`{3,}[ \t]*(?:\n|\Z)", quiet[marks:]):
        return None
    return text[:marks]
