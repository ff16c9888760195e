"""Counts of rows where the question counts what several of those rows refer to."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Key, Table
from querymend.tools.checks.groups import group_keys
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, is_plural, singular, thing_words, words_of
from querymend.tools.sql.binding import Block, Source

_HOW_MANY = re.compile(
    r"\b(?:how many|(?:the |total )number of|count of|count the)(?=((?: [a-z-]+){1,4}))", re.I
)
_DIFFERENT = words_of("different distinct unique")


def counted_other(seen: Seen) -> Iterable[Finding]:
    """Find counts of rows of a table where the question counts the things that they refer to."""
    block = seen.block
    if block is None or block.select is not seen.top:
        return
    nouns = list(_nouns(seen.question))
    for call, source in _counts(seen, block):
        if len(nouns) != 1 or source.table is None or _noun_in(source.table, nouns[0]):
            continue
        keys = [k for k in _referring(seen, source.table, nouns[0]) if _repeats(seen, source, k)]
        if len(keys) == 1 and not _is_read(seen, block, keys[0]):
            yield _finding(seen, block, call, source, keys[0])


def _nouns(question: str) -> Iterator[tuple[str, ...]]:
    """Yield what is counted, up to its first plural: ``sale order`` of ``how many sale orders``."""
    for words in _HOW_MANY.findall(question):
        said = words.split()
        end = next((i for i, w in enumerate(said, start=1) if w.islower() and is_plural(w)), 0)
        yield tuple(singular(w.lower()) for w in said[:end])


def _noun_in(table: Table, noun: tuple[str, ...]) -> bool:
    return any(alike(w, n) for w in thing_words(table.name) for n in noun)


def _counts(seen: Seen, block: Block) -> Iterator[tuple[exp.Expr, Source]]:
    """Yield the counts of a source's rows: COUNT(*) over one source, COUNT of a key."""
    assert seen.top is not None
    if seen.top.args.get("having"):
        return
    for call in (c for e in seen.top.expressions for c in e.find_all(exp.Count)):
        if call.parent_select is not seen.top or call.find_ancestor(exp.Window, exp.Filter):
            continue
        used = seen.by_node.get(id(call.this))
        if isinstance(call.this, exp.Star) and len(block.sources) == 1:
            yield call, block.sources[0]
        elif used is not None and used.ref.source and _tells_rows(used):
            yield call, used.ref.source


def _tells_rows(used: Used) -> bool:
    """The column is the table's own key, or one that refers to another table."""
    refers = any(k.columns == (used.column.name,) for k in used.table.keys)
    return refers or used.table.is_unique([used.column.name])


def _referring(seen: Seen, table: Table, noun: tuple[str, ...]) -> Iterator[Key]:
    """Yield the keys to tables that are named by what is counted; different ones are told apart."""
    for key in table.keys if not _DIFFERENT & set(noun) else ():
        words = thing_words(key.table)
        is_it = bool(words) and words == noun[-len(words) :]
        if is_it and len(key.columns) == 1 and seen.catalog.table(key.table):
            yield key


def _repeats(seen: Seen, source: Source, key: Key) -> bool:
    """Several rows of those taken may refer to one thing."""
    assert source.table is not None
    column = source.table.column(key.columns[0])
    fixed = [
        c.used.column.name
        for c in seen.comparisons
        if c.op == "=" and c.used.ref.source is source and c.used.ref.clause == "where"
    ]
    profile, rows = column.profile if column else None, source.table.rows
    if profile is None or profile.distinct is None or not rows:
        return False
    filled = rows * (1 - (profile.null_share or 0))
    unique = source.table.is_unique([key.columns[0], *fixed])
    return profile.distinct < filled and not unique and not _is_linked(seen, source, key)


def _is_linked(seen: Seen, source: Source, key: Key) -> bool:
    """Another key of the table is held: in a table of pairs each thing is there once for it."""
    assert source.table is not None
    others = {k.columns[0] for k in source.table.keys if k is not key}
    held = (u for u in seen.used if u.ref.source is source and u.ref.clause == "where")
    return any(
        u.column.name in others and isinstance(u.ref.column.parent, exp.EQ | exp.In) for u in held
    )


def _is_read(seen: Seen, block: Block, key: Key) -> bool:
    """The things' own table is read, or the rows are grouped by them."""
    target = seen.catalog.table(key.table)
    groups = group_keys(seen, block) or []
    return target in seen.tables or any(g.column.name == key.columns[0] for g in groups)


def _finding(seen: Seen, block: Block, call: exp.Expr, source: Source, key: Key) -> Finding:
    name, noun = key.columns[0], thing_words(key.table)[-1]
    assert source.table is not None
    copy, here = seen.copied(call)
    one = exp.column(name, table=source.name if len(block.sources) > 1 else None)
    here.replace(exp.Count(this=exp.Distinct(expressions=[one])))
    return seen.found(
        "counted_other",
        "question",
        "repair",
        f"The question counts each {noun}; this counts rows of {source.table.name}, of which"
        f" several may be of one {noun}.",
        node=call,
        hint=f"COUNT(DISTINCT {name}).",
        fix=copy,
    )
