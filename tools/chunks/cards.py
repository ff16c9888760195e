"""Table cards: what is embedded and searched for a table, a text column, an example, a fact."""

from collections.abc import Sequence

from querymend.tools.catalog.model import Column, Table
from querymend.tools.chunks.ddl import is_text
from querymend.tools.chunks.untrusted import cut
from querymend.tools.index.words import spelled

CARD = 6_000
"""Characters of a card at most: a table of a thousand columns is cut."""
DESCRIPTION = 300
SHOWN = 5
VALUES = 30


def table_card(table: Table) -> str:
    """Write what a table is about, for search: one line for it, one for each column.

    Names are split into words; private columns give their name and description, never a value.
    """
    about = cut(table.description, DESCRIPTION)
    lines = [_said(spelled(table.name), about), *(column_card(c) for c in table.columns)]
    lines += [f"refers to {spelled(key.table)}" for key in table.keys]
    return cut("\n".join(dict.fromkeys(lines)), CARD)


def column_card(column: Column) -> str:
    """Write what a column is about: its words, description, unit and a few of its values."""
    said = _said(spelled(column.name), cut(column.description, DESCRIPTION), column.unit)
    return _said(said, ", ".join(_frequent(column)))


def names_card(table: Table) -> str:
    """Write the words of the table's name and of its columns' names."""
    return " ".join([spelled(table.name), *(spelled(c.name) for c in table.columns)])


def values_card(table: str, column: str, values: Sequence[str]) -> str:
    """Write what a text column holds: its words and its most frequent values."""
    shown = ", ".join(cut(value, 30) for value in values[:VALUES])
    return cut(_said(f"{spelled(table)} {spelled(column)}", shown), CARD)


def _frequent(column: Column) -> list[str]:
    if column.private or column.profile is None or not is_text(column):
        return []
    return [cut(v, 30) for v, _ in column.profile.frequent[:SHOWN] if isinstance(v, str)]


def _said(*texts: str) -> str:
    return ": ".join(text for text in texts if text)
