"""Facts held against the SQL: values and columns that they give and the SQL lacks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.links import targets
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import STOP_WORDS, singular, tokens, words_of

_COMPARED = re.compile(
    r"(?:\b(\w+)\s*\.\s*)?\b(\w+)\s*(?:! ?=|<>|>=|<=|=|>|<)\s*"
    r"(?:'([^']*)'|\"([^\"]*)\"|(-?\d+(?:\.\d+)?)(?!\w|\.\d))"
)
_NAMED = re.compile(r"\b(?:(\w+)\.)?([A-Za-z]\w*_\w+|\w+(?<=[a-z])(?=[A-Z])\w+)\b(?!\s*\()")
_LINKING = words_of("refer refers mean stand denote indicate while when if where because equal")
_COUNTED = re.compile(r"\bCOUN[TD]\s*\([^()]*\)", re.I)


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One statement of a fact: what is explained, and by what."""

    explained: str
    text: str


def clauses(seen: Seen) -> Iterator[Clause]:
    """Yield the clauses of the facts whose explained words stand in the question."""
    for fact in seen.facts:
        for text in re.split(r";|\n", fact):
            explained = _explained(seen, text)
            if _is_asked(seen, explained):
                yield Clause(explained=explained, text=text)


def _explained(seen: Seen, text: str) -> str:
    """Return the words that a clause explains: before its first column, or after a comparison."""
    compared = _COMPARED.search(text)
    if compared is not None and not tokens(text[: compared.start()]):
        return text[compared.end() :]
    names = (m for m in _NAMED.finditer(text) if _column(seen, m.group(1) or "", m.group(2)))
    starts = [m.start() for m in (compared, next(names, None)) if m is not None]
    return text[: min(starts, default=0)]


def _is_asked(seen: Seen, explained: str) -> bool:
    """The words that are explained stand in the question: all of a few, most of many."""
    words = [singular(w) for w in tokens(explained) if w not in STOP_WORDS]
    words = [w for w in words if w not in _LINKING]
    met = sum(w in seen.asked for w in words)
    return bool(words) and (met == len(words) or (len(words) > 2 and met * 4 >= len(words) * 3))


def value_of_fact_missing(seen: Seen) -> Iterable[Finding]:
    """Find facts about the question's own words that give a value the SQL does not use."""
    numbers = _numbers(seen)
    for clause in clauses(seen):
        told = [(p, v) for *p, v in _values(clause.text)]
        places = [(_column(seen, *p), v) for p, v in told]
        held = [(p, v) for p, v in places if p is not None]
        if not held or any(_is_used(seen, p, v, numbers) for p, v in held):
            continue
        (table, column), value = held[0]
        yield seen.found(
            "fact_value_missing",
            "question",
            "repair",
            f"A fact says {clause.text.strip()!r}; the SQL does not use {value!r}.",
            hint=f"Compare {table.name}.{column.name} with {value!r}.",
        )


def _values(text: str) -> Iterator[tuple[str, str, str]]:
    for table, name, single, double, number in _COMPARED.findall(text):
        if (value := (single or double or number).strip()) or single:
            yield table, name, value


def _is_used(
    seen: Seen, place: tuple[Table, Column], value: str, numbers: frozenset[float]
) -> bool:
    """The value stands in the SQL, or the column is shown, or a key says the same."""
    if re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        return float(value) in numbers or _by_other_name(seen, place)
    low = value.lower()
    if any(low == t or low in t for t in seen.texts):
        return True
    return _is_shown(seen, place[1].name) or _by_other_name(seen, place)


def _is_shown(seen: Seen, column: str) -> bool:
    shown = seen.top.expressions if seen.top is not None else []
    return any(
        isinstance(e.unalias(), exp.Column) and e.unalias().name.lower() == column.lower()
        for e in shown
    )


def _by_other_name(seen: Seen, place: tuple[Table, Column]) -> bool:
    """A key to the column's table is compared, or another column of that table."""
    table, column = place
    home = table.qualified_name.lower()
    referred = {
        there.lower() for k in table.keys if column.name in k.columns for there in (k.table,)
    }
    for one in seen.comparisons:
        if any(t == home for t, _ in targets(one.used, seen.catalog)):
            return True
        if one.used.table.qualified_name.lower() in referred:
            return True
        same = one.used.table is table and one.used.column.name != column.name
        if same and _is_key_of(table, column.name):
            return True
    return False


def _is_key_of(table: Table, column: str) -> bool:
    return column.lower() in {c.lower() for c in table.primary_key} or column.lower().endswith("id")


def _column(seen: Seen, table: str, name: str) -> tuple[Table, Column] | None:
    """Return the column that a fact names; the first table that has it, where none is named."""
    homes: Iterable[Table | None] = seen.catalog.tables
    if table and seen.catalog.table(table) is not None:
        homes = (seen.catalog.table(table),)
    return next(((t, c) for t in homes if t and (c := t.column(name))), None)


def _numbers(seen: Seen) -> frozenset[float]:
    literals = (str(n.this) for n in seen.all(exp.Literal))
    return frozenset(float(n) for text in literals for n in re.findall(r"\d+(?:\.\d+)?", text))


def column_of_fact_missing(seen: Seen) -> Iterable[Finding]:
    """Find columns that facts about the question's own words name and the SQL does not use."""
    used = {u.column.name.lower() for u in seen.used}
    if any(s.find_ancestor(exp.Count) is None for s in seen.all(exp.Star)):
        return
    for clause in clauses(seen):
        named = list(_columns(seen, clause.text))
        if not named or any(c.name.lower() in used for _, c in named):
            continue
        if any(_by_other_name(seen, p) for p in named):
            continue
        table, column = named[0]
        yield seen.found(
            "fact_column_missing",
            "question",
            "repair",
            f"A fact says {clause.text.strip()!r}; the SQL does not use {column.name}.",
            hint=f"Use {table.name}.{column.name}.",
        )


def _columns(seen: Seen, text: str) -> Iterator[tuple[Table, Column]]:
    plain = _COUNTED.sub("", text)
    named = [(t, n) for t, n in _NAMED.findall(plain)]
    named += [(t, n) for t, n, _ in _values(plain)]
    for table, name in named:
        if (place := _column(seen, table, name)) is not None:
            yield place
