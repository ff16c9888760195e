"""How many tokens a text costs a model, estimated without a tokeniser.

A flat rate of characters fails on sample rows: the models in use spend one token on each digit.
So the text is split the way their tokenisers split it, and each piece is priced. Against Qwen2.5's
tokeniser, on the DDL with rows of 32 databases: 10 % too many in all, at worst 10 % too few.
"""

import math
import re

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+|\d|_+|[^\w\s]+|\s*\n\s*|\s+")
MARGIN = 1.06
LETTERS_PER_TOKEN = 5.5
CAPITALS_PER_TOKEN = 4.5
SIGNS_PER_TOKEN = 1.6


def estimate(text: str) -> int:
    """Return about how many tokens the text is; rather too many than too few."""
    return math.ceil(MARGIN * sum(_price(piece) for piece in _PIECES.findall(text)))


def _price(piece: str) -> float:
    if piece.isspace():
        return 0.6 if "\n" in piece else 0.1 * len(piece)
    if piece.isalpha():
        return _letters(piece)
    return len(piece) if piece.isdigit() else max(0.8, len(piece) / SIGNS_PER_TOKEN)


def _letters(word: str) -> float:
    """Price a word: capitals and non-ASCII letters split into more tokens."""
    if not word.isascii():
        return max(1.0, len(word.encode()) / 2.5)
    return max(1.0, len(word) / (LETTERS_PER_TOKEN if word[1:].islower() else CAPITALS_PER_TOKEN))
