"""One question, prepared for search, and what it says about a wide table's columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from querymend.tools.catalog.model import Table
from querymend.tools.chunks.cards import column_card
from querymend.tools.index.fusion import Ranking, fuse, ranked
from querymend.tools.index.lexical import Lexical
from querymend.tools.index.model import Fact, Scored, ValueHit
from querymend.tools.index.view import View


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
    defined = _spoken(table, [f.text for f in asked.facts])
    used = _spoken(table, [s.example.sql for s in asked.examples])
    words = dict(
        zip(
            (c.name for c in table.columns),
            Lexical([column_card(c) for c in table.columns]).scores(asked.text),
            strict=True,
        )
    )
    cosines = view.similar_columns([table.qualified_name], asked.vector)[table.qualified_name]
    dense = ranked(dict(zip((c.name for c in table.columns), cosines, strict=True)), above=-1.0)
    likely = [n for n, _ in fuse([Ranking(names=ranked(words), weight=2.0), Ranking(names=dense)])]
    spelled = {c.name.lower(): c.name for c in table.columns}
    order = [*keys[:1], *held, *defined, *likely[:3], *keys[1:], *used, *likely]
    return list(dict.fromkeys(spelled[n.lower()] for n in order if n.lower() in spelled))


def _spoken(table: Table, texts: Sequence[str]) -> list[str]:
    """Return the columns whose names the texts hold."""
    spoken = {word.lower() for text in texts for word in re.findall(r"\w+", text)}
    return [c.name for c in table.columns if c.name.lower() in spoken]
