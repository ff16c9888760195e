"""A result in a few lines, for a model or a log: never large, never a private value."""

from collections.abc import Collection

from querymend.tools.engines.engine import Result
from querymend.tools.results.spelling import cut, spell

MAX_ROWS = 5
MAX_COLUMNS = 12
MAX_CELL = 60
MAX_CHARACTERS = 2_000


def summarise(
    result: Result,
    *,
    max_rows: int = MAX_ROWS,
    private: Collection[int] = (),
    max_characters: int = MAX_CHARACTERS,
) -> str:
    """Say how many rows and which columns came, and show the first rows.

    Args:
        result: of any size.
        max_rows: rows shown at most; the full count is said.
        private: places of columns whose values are hidden (``private_places``).
        max_characters: of the whole summary, cuts marked.
    """
    shown = result.rows[:max_rows]
    places = range(min(len(result.columns), MAX_COLUMNS))
    lines = [count_line(result), _columns(result)]
    lines += [_row(row, places, private) for row in shown]
    if len(shown) < len(result.rows):
        lines.append(f"({len(shown)} of {len(result.rows):,} rows shown)")
    return _within("\n".join(lines), max_characters)


def count_line(result: Result) -> str:
    """Say how many rows there are, and that there are more where the result was cut."""
    count = len(result.rows)
    noun = "row" if count == 1 else "rows"
    if result.truncated:
        return f"The first {count:,} {noun} of more"
    return f"{count:,} {noun}" if count else "No rows"


def _columns(result: Result) -> str:
    named = [f"{c.name} {c.type}".strip() for c in result.columns[:MAX_COLUMNS]]
    more = len(result.columns) - len(named)
    return " | ".join(named) + (f" | … {more} more columns" if more > 0 else "")


def _row(row: tuple[object, ...], places: range, private: Collection[int]) -> str:
    return " | ".join(
        "(private)" if i in private else spell(row[i], longest=MAX_CELL) for i in places
    )


def _within(text: str, longest: int) -> str:
    return cut(text, longest) if len(text) > longest else text
