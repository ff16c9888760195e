"""Facts held against the SQL: values and columns that they give and the SQL lacks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

_COMPARED = re.compile(
    r"(?:\b(\w+)\s*\.\s*)?\b(\w+)\s*(?:!=|<>|>=|<=|=|>|<)\s*(?:'([^']*)'|\"([^\"]*)\"|(-?\d+(?:\.\d+)?))"
)
_NAMED = re.compile(r"\b(?:(\w+)\.)?([A-Za-z]\w*_\w+|\w+(?<=[a-z])(?=[A-Z])\w+)\b")


def value_of_fact_missing(seen: Seen) -> Iterable[Finding]:
    """Find facts that give a column's value where the SQL has none of the values they give it."""
    numbers = _numbers(seen)
    for (table, column), values in _told_values(seen).items():
        low = [v.strip().lower() for v in values]
        texts = [v for v in low if not _is_number(v)]
        if any(v in t or t == v for v in texts for t in seen.texts if t):
            continue
        if any(float(v) in numbers for v in low if _is_number(v)):
            continue
        yield seen.found(
            "fact_value_missing",
            "question",
            "repair",
            f"A fact gives {column} the value {values[0]!r}; the SQL does not use it.",
            hint=f"Compare {table}.{column} with '{values[0]}'.",
        )


def _told_values(seen: Seen) -> dict[tuple[str, str], list[str]]:
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in seen.facts:
        for table, name, single, double, number in _COMPARED.findall(fact):
            place = _column(seen, table, name)
            if place is not None:
                found[place[0].name, place[1].name].append(single or double or number)
    return {p: [v for v in vs if v.strip()] for p, vs in found.items() if any(v.strip() for v in vs)}


def _column(seen: Seen, table: str, name: str) -> tuple[Table, Column] | None:
    """Return the column that a fact names; the first table that has it, where none is named."""
    homes: Iterable[Table | None] = seen.catalog.tables
    if table and seen.catalog.table(table) is not None:
        homes = (seen.catalog.table(table),)
    return next(((t, c) for t in homes if t and (c := t.column(name))), None)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(?:\.\d+)?", text))


def _numbers(seen: Seen) -> set[float]:
    found: set[float] = set()
    for node in seen.nodes:
        if node.key == "literal":
            found |= {float(n) for n in re.findall(r"\d+(?:\.\d+)?", str(node.this))}
    return found


def column_of_fact_missing(seen: Seen) -> Iterable[Finding]:
    """Find columns that facts name and the SQL does not use."""
    used = {u.column.name.lower() for u in seen.used}
    for table, column in dict.fromkeys(_told_columns(seen)):
        if column.lower() not in used:
            yield seen.found(
                "fact_column_missing",
                "question",
                "repair",
                f"A fact names {column}; the SQL does not use it.",
                hint=f"Use {table}.{column}.",
            )


def _told_columns(seen: Seen) -> Iterator[tuple[str, str]]:
    for fact in seen.facts:
        for table, name in _NAMED.findall(fact):
            place = _column(seen, table, name)
            if place is not None:
                yield place[0].name, place[1].name
        for table, name, *_ in _COMPARED.findall(fact):
            place = _column(seen, table, name)
            if place is not None:
                yield place[0].name, place[1].name
