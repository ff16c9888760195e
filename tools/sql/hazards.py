"""Where this parser and an engine may read a text differently: refused before it is parsed.

Comments that one nests and the other does not, a carriage return that ends a comment for one only,
invisible characters, letters glued to a literal. What is judged must be what runs.
"""

import re
import unicodedata

from sqlglot.tokenizer_core import Token, TokenType

from querymend.tools.findings import Finding, Kind

_LITERALS = {
    TokenType.STRING,
    TokenType.HEREDOC_STRING,
    TokenType.RAW_STRING,
    TokenType.BYTE_STRING,
    TokenType.UNICODE_STRING,
    TokenType.NATIONAL_STRING,
}
_LINE_BREAKS = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class Refused(Exception):
    """Carries one finding out of the steps of reading a text."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def fault(
    code: str,
    message: str,
    *,
    kind: Kind = "safety",
    hint: str = "",
    clause: str = "",
    at: tuple[int, int] | None = None,
) -> Refused:
    """Make the refusal of a text, to be raised."""
    return Refused(
        Finding(
            code=code,
            kind=kind,
            severity="block",
            message=message,
            hint=hint,
            clause=clause[:200],
            position=at,
        )
    )


def place(text: str, offset: int) -> tuple[int, int]:
    """Turn a character offset into a 1-based line and column."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def check_gaps(sql: str, tokens: list[Token]) -> None:
    """Refuse what lies between tokens and is not plainly a blank or a comment."""
    edge = 0
    for token in tokens:
        _check_gap(sql, edge, token.start)
        edge = token.end + 1
    _check_gap(sql, edge, len(sql))


def _check_gap(sql: str, start: int, end: int) -> None:
    i = start
    while i < end:
        if sql.startswith("--", i):
            i = _line_comment_end(sql, i, end)
        elif sql.startswith("/*", i):
            i = _block_comment_end(sql, i, end)
        elif sql[i] in " \t\r\n\f\v":
            i += 1
        else:
            raise fault(
                "bad_character",
                f"{unicodedata.name(sql[i], 'A character without a name')} stands between words.",
                hint="Write plain blanks.",
                at=place(sql, i),
            )


def _line_comment_end(sql: str, start: int, end: int) -> int:
    newline = sql.find("\n", start, end)
    stop = end if newline < 0 else newline
    odd = _LINE_BREAKS.search(sql, start, stop)
    if odd and odd.end() < end:
        raise fault(
            "ambiguous_comment",
            "A comment holds a line break that not every engine takes for one.",
            hint="Leave comments out.",
            at=place(sql, odd.start()),
        )
    return stop


def _block_comment_end(sql: str, start: int, end: int) -> int:
    stop = sql.find("*/", start + 2, end)
    inner = sql.find("/*", start + 2, end if stop < 0 else stop)
    if stop < 0 or inner >= 0:
        raise fault(
            "ambiguous_comment",
            "A comment lies within a comment, or has no end: engines differ on where it ends.",
            hint="Leave comments out.",
            at=place(sql, start),
        )
    return stop + 2


def check_glue(text: str, tokens: list[Token]) -> None:
    """Refuse letters glued to quotes, and invisible characters in names."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.token_type not in _LITERALS:
            _check_name(text, token)
        if following is not None and following.start == token.end + 1:
            _check_prefix(text, token, following)


def _check_name(text: str, token: Token) -> None:
    """Refuse invisible characters outside literals, and odd ones in unquoted names."""
    odd = next((c for c in token.text if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cn"}), None)
    if odd is None and token.token_type is TokenType.VAR:
        odd = next((c for c in token.text if not _is_name_character(c)), None)
    if odd is not None:
        name = unicodedata.name(odd, f"U+{ord(odd):04X}")
        raise fault(
            "bad_character",
            f"A name holds {name}, which cannot be seen or does not belong there.",
            clause=token.text.encode("ascii", "backslashreplace").decode(),
            at=place(text, token.start),
        )


def _is_name_character(character: str) -> bool:
    return character in "_$@#" or unicodedata.category(character)[0] in "LNM"


def _check_prefix(text: str, token: Token, following: Token) -> None:
    """Refuse ``E'…'`` where the parser knows no such literal, and ``U&"…"`` everywhere."""
    glued = text[token.start : following.end + 1]
    bare = token.token_type is TokenType.VAR and len(token.text) <= 2
    is_literal = following.token_type in _LITERALS
    if (bare and is_literal) or re.match(r"(?i)u&[\"']?$", text[token.start : token.end + 2]):
        escape = text[token.start : token.end + 3].lower()
        if is_literal and escape.startswith("u&") and not text[token.start :].startswith(('u&"',)):
            return
        raise fault(
            "ambiguous_literal",
            "Letters are glued to a quoted piece: engines differ on what it means.",
            clause=glued[:40],
            hint="Write the name or the text plainly.",
            at=place(text, token.start),
        )
