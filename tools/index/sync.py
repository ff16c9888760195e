"""Bring the index in step with catalog, examples, facts and values; write only what changed."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.chunks.cards import table_card, values_card
from querymend.tools.index.embeddings import Embedder
from querymend.tools.index.masking import literals, mask
from querymend.tools.index.model import Example, Fact
from querymend.tools.index.store import Chunk, CollectionKind, Store, Stored
from querymend.tools.index.values import ColumnValues, ValueIndex

_BATCH = 512


@dataclass(frozen=True, kw_only=True)
class SyncReport:
    """How many chunks were added, changed, deleted, and left as they were."""

    added: int = 0
    changed: int = 0
    deleted: int = 0
    unchanged: int = 0

    def plus(self, other: "SyncReport") -> "SyncReport":
        """Return the sums."""
        return SyncReport(
            added=self.added + other.added,
            changed=self.changed + other.changed,
            deleted=self.deleted + other.deleted,
            unchanged=self.unchanged + other.unchanged,
        )


def sync(
    store: Store,
    embedder: Embedder,
    *,
    catalog: Catalog,
    examples: Iterable[Example] = (),
    facts: Iterable[Fact] = (),
    values: Iterable[ColumnValues] = (),
) -> SyncReport:
    """Make the index hold exactly these; embed and write only what is new or changed.

    Args:
        store: where the warehouse's index is.
        embedder: what made the index's vectors, and makes the new ones.
        catalog: the whole catalog; scope is applied when questions are asked.
        examples: verified pairs.
        facts: business knowledge.
        values: distinct values of text columns; those of private columns are dropped.
    """
    public = [column for column in values if _is_public(catalog, column)]
    wanted: dict[CollectionKind, list[Chunk]] = {
        "tables": [table_chunk(table) for table in catalog.tables],
        "examples": [example_chunk(example) for example in examples],
        "facts": [fact_chunk(fact) for fact in facts],
        "values": [_values_chunk(column) for column in public],
    }
    with ValueIndex(store.values_path) as index:
        index.write(public)
    report = SyncReport()
    for kind, chunks in wanted.items():
        report = report.plus(_sync_one(store, embedder, kind, chunks))
    return report


def _sync_one(
    store: Store, embedder: Embedder, kind: CollectionKind, chunks: Sequence[Chunk]
) -> SyncReport:
    """Bring one collection in step."""
    wanted = {chunk.id: chunk for chunk in chunks}
    held = store.hashes(kind)
    new = [c for i, c in wanted.items() if i not in held]
    changed = [c for i, c in wanted.items() if i in held and held[i] != c.hash]
    gone = [i for i in held if i not in wanted]
    store.delete(kind, gone)
    todo = new + changed
    for start in range(0, len(todo), _BATCH):
        batch = todo[start : start + _BATCH]
        store.write(kind, batch, embedder.embed([c.text for c in batch]))
    if todo or gone:
        store.touch(kind, uuid.uuid4().hex)
    same = len(wanted) - len(todo)
    return SyncReport(added=len(new), changed=len(changed), deleted=len(gone), unchanged=same)


def table_chunk(table: Table) -> Chunk:
    """Make the chunk of a table: its card, and the names that it has."""
    names = {"table": table.qualified_name, "columns": [c.name for c in table.columns]}
    return Chunk(id=table.qualified_name, text=table_card(table), payload=json.dumps(names))


def example_chunk(example: Example) -> Chunk:
    """Make the chunk of an example: its question without particulars, and the whole pair."""
    text = mask(example.question, literals(example.sql, example.dialect))
    # A pair may stand in two dialects under one id.
    name = f"{example.id}\n{example.dialect}"
    return Chunk(id=name, text=text, payload=json.dumps(asdict(example)))


def fact_chunk(fact: Fact) -> Chunk:
    """Make the chunk of a fact: its terms and its line."""
    text = f"{', '.join(fact.terms)}: {fact.text}" if fact.terms else fact.text
    return Chunk(id=fact.id, text=text, payload=json.dumps(asdict(fact)))


def _values_chunk(column: ColumnValues) -> Chunk:
    text = values_card(column.table, column.column, [value for value, _ in column.values])
    names = {"table": column.table, "column": column.column, "hash": column.hash}
    return Chunk(id=f"{column.table}\n{column.column}", text=text, payload=json.dumps(names))


def read_example(stored: Stored) -> Example:
    """Return the example that a chunk stands for."""
    example = Example(**json.loads(stored.payload))
    return replace(example, tables=tuple(example.tables))


def read_fact(stored: Stored) -> Fact:
    """Return the fact that a chunk stands for."""
    fact = Fact(**json.loads(stored.payload))
    return replace(fact, tables=tuple(fact.tables), terms=tuple(fact.terms))


def _is_public(catalog: Catalog, values: ColumnValues) -> bool:
    table = catalog.table(values.table)
    column = table.column(values.column) if table else None
    return column is not None and not column.private
