"""One question, prepared for search, and what it says about a wide table's columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from querymend.tools.catalog.model import Table
from querymend.tools.chunks.cards import column_card
from querymend.tools.index.fusion import Ranking, fuse, ranked
from querymend.tools.index.lexical import Lexical
from querymend.tools.index.model import Fact, Scored, ValueHit
from querymend.tools.index.view import View
from querymend.tools.index.words import parts


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question, prepared."""

    text: str
    vector: Sequence[float]
    values: Sequence[ValueHit]
    examples: Sequence[Scored]
    facts: Sequence[Fact]


def column_order(view: View, table: Table, asked: Asked) -> list[str]:
    """Order a table's columns for a question: keys, columns that it names, then the likeliest."""
    keys = [*table.primary_key, *(c for key in table.keys for c in key.columns), *table.partitions]
    held = [h.column for h in asked.values if h.table == table.qualified_name]
    said = _said(table, asked)
    words = dict(
        zip(
            (c.name for c in table.columns),
            Lexical([column_card(c) for c in table.columns]).scores(asked.text),
            strict=True,
        )
    )
    dense = ranked(view.similar_columns(table, asked.vector), above=-1.0)
    likely = [n for n, _ in fuse([Ranking(names=ranked(words), weight=2.0), Ranking(names=dense)])]
    spelled = {c.name.lower(): c.name for c in table.columns}
    order = [*keys[:1], *held, *likely[:3], *keys[1:], *said, *likely]
    return list(dict.fromkeys(spelled[n.lower()] for n in order if n.lower() in spelled))


def _said(table: Table, asked: Asked) -> list[str]:
    """Return the columns that the question's facts and examples speak of."""
    texts = [f.text for f in asked.facts] + [s.example.sql for s in asked.examples]
    spoken = {part for text in texts for part in parts(text)}
    return [c.name for c in table.columns if spoken.issuperset(parts(c.name)) and parts(c.name)]
