"""One form of a statement's text, so that Athena finds an equal query's result again.

Athena reuses a result only for a text that is the same byte for byte. Tokens stay as they are
written; what stands between them becomes one blank, and comments go.
"""

from dataclasses import dataclass

import sqlglot


@dataclass(frozen=True, kw_only=True)
class Normal:
    """The text to send, and the way back to the text that was given."""

    text: str
    given: str
    starts: tuple[tuple[int, int], ...]
    """For each token: where it begins in ``text`` and in ``given``."""

    def place(self, at: tuple[int, int]) -> tuple[int, int]:
        """Turn a 1-based line and column of ``text`` into one of ``given``."""
        line, column = at
        if line != 1:
            return at
        before = [pair for pair in self.starts if pair[0] <= column - 1]
        if not before:
            return at
        sent, written = before[-1]
        index = written + (column - 1 - sent)
        head = self.given[:index]
        return head.count("\n") + 1, index - head.rfind("\n")


def normal(sql: str) -> Normal:
    """Return the one form of a statement that the gate let through."""
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    end, length = 0, 0
    for token in sqlglot.tokenize(sql, read="athena"):
        if parts and token.start > end:
            parts.append(" ")
            length += 1
        piece = sql[token.start : token.end + 1]
        starts.append((length, token.start))
        parts.append(piece)
        length += len(piece)
        end = token.end + 1
    return Normal(text="".join(parts), given=sql, starts=tuple(starts))
