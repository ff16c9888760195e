"""Questions without their particulars, so that the same question about another city is near."""

import re
from collections.abc import Iterable

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

VALUE = "value"
NUMBER = "number"
_QUOTED = re.compile(r"\"[^\"]+\"|(?<!\w)'[^']+'(?!\w)|“[^”]+”|‘[^’]+’|`[^`]+`")  # noqa: RUF001
_NUMBER = re.compile(r"\b\d[\d.,:/-]*\d\b|\b\d+\b")
_NAMED = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def mask(question: str, phrases: Iterable[str] = ()) -> str:
    """Put ``value`` for quoted strings, names and given phrases, ``number`` for numbers and dates.

    Source: DAIL-SQL (arXiv 2308.15363), which chooses examples by masked questions.
    """
    text = _QUOTED.sub(VALUE, question)
    for phrase in sorted({p for p in phrases if p.strip()}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", VALUE, text, flags=re.IGNORECASE)
    return _NUMBER.sub(NUMBER, _NAMED.sub(VALUE, text))


def literals(sql: str, dialect: str) -> list[str]:
    """Return the string literals of a statement; none where it cannot be parsed."""
    try:
        trees = parse(sql, read=dialect)
    except SqlglotError:
        return []
    found = (n for tree in trees if tree for n in tree.find_all(exp.Literal))
    return [n.this.strip("% ") for n in found if n.is_string]


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return where the quoted phrases stand, quotes included."""
    return [m.span() for m in _QUOTED.finditer(text)]
