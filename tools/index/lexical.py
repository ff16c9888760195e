"""BM25 in memory over names and texts that are split the way people write questions."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from querymend.tools.index.words import parts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Bm25(Protocol):
    """What is used of bm25s, which ships no types."""

    def get_tokens_ids(self, query_tokens: list[str]) -> list[int]: ...
    def get_scores_from_ids(self, query_tokens_ids: list[int]) -> "NDArray[np.float32]": ...


class Lexical:
    """Scores every text against a question; read-only, so threads may share it."""

    def __init__(self, texts: Sequence[str], split: Callable[[str], list[str]] = parts) -> None:
        self._split = split
        self._size = len(texts)
        self._index = _build([split(text) for text in texts])

    def scores(self, question: str) -> list[float]:
        """Return one BM25 score a text, in order; 0 where no word is shared."""
        if self._index is None:
            return [0.0] * self._size
        asked = list(dict.fromkeys(self._split(question)))
        tokens = self._index.get_tokens_ids(asked)
        if not tokens:
            return [0.0] * self._size
        return cast(list[float], self._index.get_scores_from_ids(tokens).tolist())


def _build(tokens: list[list[str]]) -> _Bm25 | None:
    """Index the texts, or return None where no text has a word."""
    if not any(tokens):
        return None
    import bm25s  # type: ignore[import-untyped]  # it ships no types

    index = bm25s.BM25(method="lucene", k1=1.2, b=0.5)
    index.index(tokens, show_progress=False)
    return cast(_Bm25, index)
