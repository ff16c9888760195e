"""The judgement: whether Trino's parser reads a text, and if not, where it stops."""

from dataclasses import replace

from querymend.tools.findings import Finding
from querymend.tools.sql.grammar.cures import cure
from querymend.tools.sql.grammar.lexemes import Lexeme
from querymend.tools.sql.grammar.queries import query
from querymend.tools.sql.grammar.reader import Mismatch, Reader
from querymend.tools.sql.grammar.typenames import NO_TYPE
from querymend.tools.sql.parse import place
from querymend.tools.sql.reserved import unquoted_reserved_words
from querymend.tools.sql.subject import Subject

_DIALECTS = ("athena", "trino")


def unreadable(subject: Subject) -> list[Finding]:
    """Return the place where Trino's parser stops, which a lenient parser reads past."""
    if subject.dialect not in _DIALECTS:
        return []
    text = subject.parsed.text
    found = first_mismatch(text)
    if found is None:
        return []
    mismatch, around = found
    lexeme = mismatch.lexeme
    at = place(text, lexeme.start)
    if any(f.position == at for f in unquoted_reserved_words(subject)):
        return []  # told there, with a fix
    return [
        Finding(
            code="unknown_type" if mismatch.expected == NO_TYPE else "syntax_error",
            kind="syntax",
            severity="block",
            message=_message(mismatch),
            clause=lexeme.text[:200],
            hint=cure(mismatch, around),
            position=at,
        )
    ]


def sharpened(finding: Finding, text: str) -> Finding:
    """Return what a parser's complaint is about, with what to write instead, where Trino's stops.

    Where Trino's grammar reads the text, the complaint stays as it is.
    """
    found = first_mismatch(text)
    if found is None:
        return finding
    mismatch, around = found
    return replace(
        finding,
        message=_message(mismatch),
        clause=mismatch.lexeme.text[:200],
        hint=cure(mismatch, around),
        position=place(text, mismatch.lexeme.start),
    )


def _message(mismatch: Mismatch) -> str:
    shown = mismatch.lexeme.text[:40] or "the end"
    return f"Trino does not read {shown} here (it expects {mismatch.expected})."


def first_mismatch(text: str) -> tuple[Mismatch, tuple[Lexeme, ...]] | None:
    """Return where Trino's parser stops, with all lexemes; None where it reads the whole."""
    reader = Reader(text, query)
    try:
        query(reader)
        if reader.now.sort != "end":
            raise reader.mismatch("the end")
    except Mismatch as mismatch:
        return mismatch, reader.all
    return None
