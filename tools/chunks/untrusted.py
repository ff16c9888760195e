"""Text that came from data, made safe to stand inside a comment of a prompt.

Cell values, column comments and descriptions are data (DESIGN §6.4): they may hold the end of a
comment, a Markdown fence or a chat template's control token. None of these survives here.
"""

import re
import unicodedata

CUT = "…"
_COMMENTS = (
    ("*/", "* /"),
    ("/*", "/ *"),  # DuckDB nests comments: an opened one would swallow what follows
)
_MARKS = (
    ("```", "'''"),
    ("<|", "< |"),  # <|im_start|>: local servers read control tokens inside plain text
    ("|>", "| >"),
    ("</", "< /"),  # a closing tag would end the part of a prompt that is data
    ("<schema", "< schema"),
)
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def untrusted(text: str, *, limit: int, escape: bool = False) -> str:
    r"""Return the text on one line, without terminators, at most ``limit`` characters.

    Args:
        text: anything.
        limit: the length of the result; what is cut is marked by ``…``.
        escape: show line breaks and tabs as ``\n`` instead of as a blank (for cells).
    """
    head = text[: 2 * limit + 8]
    shown = head
    if not (head.isascii() and head.isprintable()):
        shown = "".join(_ESCAPES[c] if escape and c in _ESCAPES else _visible(c) for c in head)
    flat = shown if escape else re.sub(r" {2,}", " ", shown).strip()
    flat = _replaced(flat, _COMMENTS + _MARKS)
    return cut(flat, limit) if len(text) == len(head) else cut(flat + CUT, limit)


def untrusted_name(name: str) -> str:
    """Return a name on one line without fences and control tokens; comment ends are left to quotes.

    A name that is changed by this cannot be asked for any more: safe before useful.
    """
    return _replaced("".join(_visible(c) for c in name), _MARKS)


def _replaced(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for terminator, harmless in pairs:
        text = text.replace(terminator, harmless)
    return text


def cut(text: str, limit: int) -> str:
    """Return the text, or its beginning and a mark where it is longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + CUT


def _visible(char: str) -> str:
    """Return the character, or a blank for control, format and separator characters."""
    return " " if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs"} else char
