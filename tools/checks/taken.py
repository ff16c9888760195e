"""What the SQL took where the data offer more than one reading of the question's words."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.dates import is_date
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import STOP_WORDS, alike, name_words, words_of

_VAGUE_DATE = words_of("date time day at on year month dt ts timestamp")
_NUMERIC = ("INT", "BIGINT", "SMALLINT", "DECIMAL", "NUMERIC", "DOUBLE", "FLOAT", "REAL", "HUGEINT")


def date_taken(seen: Seen) -> Iterable[Finding]:
    """Say by which of a table's dates a period was taken, where the question names none."""
    if not seen.periods:
        return
    told: set[tuple[str, str]] = set()
    for used in seen.used:
        place = (used.table.qualified_name, used.column.name)
        others = _other_dates(seen, used)
        if place in told or not _bounds(used) or not others or _named(seen, used.table):
            continue
        told.add(place)
        yield seen.found(
            "reading",
            "question",
            "note",
            f"{seen.periods[0].phrase} is taken by {used.table.name}.{used.column.name}, not by "
            f"{' or '.join(others)}.",
            node=used.ref.column,
            hint=f"Ask by {' or '.join(others)} if that is meant.",
        )


def _bounds(used: Used) -> bool:
    return is_date(used.column) and used.ref.clause in ("where", "on", "having")


def _other_dates(seen: Seen, used: Used) -> list[str]:
    """Return the table's other dates that the statement does not use; copies of a day aside."""
    return [
        c.name
        for c in used.table.columns
        if c.name != used.column.name
        and c.type.upper().startswith(("DATE", "TIMESTAMP"))
        and (used.table.qualified_name.lower(), c.name.lower()) not in seen.places
    ]


def _named(seen: Seen, table: Table) -> bool:
    """The question's words choose one of the table's dates."""
    own = {*_VAGUE_DATE, *name_words(table.name)}
    words = {w for c in table.columns if is_date(c) for w in name_words(c.name)} - own
    return any(alike(w, a) for w in words for a in seen.asked)


def measure_elsewhere(seen: Seen) -> Iterable[Finding]:
    """Find a measure that the question does not name, where another table has the one it names."""
    used = [u for u in _measures(seen) if not _is_asked(seen, u.column)]
    if not used or len(used) != len(list(_measures(seen))):
        return
    for table, column in _measures_asked(seen):
        yield seen.found(
            "measure_elsewhere",
            "question",
            "repair",
            f"The question says {' '.join(name_words(column.name))}; the SQL takes "
            f"{used[0].table.name}.{used[0].column.name} and not {table.name}.{column.name}.",
            node=used[0].ref.column,
            hint=f"Use {table.name}.{column.name}.",
        )
        return


def _measures(seen: Seen) -> Iterator[Used]:
    """Yield the numbers that the outermost list shows, bare or under SUM and AVG; no keys."""
    for item in seen.top.expressions if seen.top is not None else []:
        inner = item.unalias()
        while isinstance(inner, exp.Sum | exp.Avg | exp.Round | exp.Coalesce):
            inner = inner.this
        used = seen.by_node.get(id(inner))
        if used is not None and _is_measure(used.table, used.column):
            yield used


def _is_measure(table: Table, column: Column) -> bool:
    keys = {c for k in (table.primary_key, *table.unique) for c in k}
    keys |= {c for k in table.keys for c in k.columns}
    named = set(name_words(column.name)) & {"id", "key", "code", "year", "no", "number"}
    return column.type.upper().startswith(_NUMERIC) and column.name not in keys and not named


def _measures_asked(seen: Seen) -> list[tuple[Table, Column]]:
    """Return the measures named in full in the question, of tables that the SQL does not read."""
    found = [
        (t, c)
        for t in seen.catalog.tables
        for c in t.columns
        if t not in seen.tables and _is_measure(t, c) and _is_asked(seen, c)
    ]
    return found if len({c.name.lower() for _, c in found}) == 1 else []


def _is_asked(seen: Seen, column: Column) -> bool:
    words = [w for w in name_words(column.name) if w not in STOP_WORDS]
    return bool(words) and all(any(alike(w, a) for a in seen.asked) for w in words)
