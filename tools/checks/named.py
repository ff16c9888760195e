"""Tables and columns that the question names and the SQL leaves out."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import STOP_WORDS, alike, name_words, words_of

_VAGUE = words_of("id code key no nr number num type kind time full date year unit item piece")


def has_run(words: tuple[str, ...], run: tuple[str, ...]) -> bool:
    """Tell whether the words hold a run of words, one after another."""
    width = len(run)
    return width > 0 and any(words[i : i + width] == run for i in range(len(words) - width + 1))


def column_left_out(seen: Seen) -> Iterable[Finding]:
    """Find columns that the question names in full, by two words or more, and the SQL lacks."""
    used = {u.column.name.lower() for u in seen.used}
    if _has_star(seen.tree):
        return
    for words, holders in _named_in_full(seen).items():
        names = {c.name.lower() for _, c in holders}
        if not names & used and not _covered(words, seen):
            table, column = holders[0]
            yield seen.found(
                "column_left_out",
                "question",
                "repair",
                f"The question names {' '.join(words)}; the SQL does not use "
                f"{table.name}.{column.name}.",
                hint=f"Use {table.name}.{column.name}.",
            )


def _has_star(tree: exp.Expr) -> bool:
    return any(s.find_ancestor(exp.Count) is None for s in tree.find_all(exp.Star))


def _named_in_full(seen: Seen) -> dict[tuple[str, ...], list[tuple[Table, Column]]]:
    """Return the columns whose names stand in the question; of nested names the longest."""
    found: dict[tuple[str, ...], list[tuple[Table, Column]]] = {}
    for table in seen.catalog.tables:
        for column in table.columns:
            words = name_words(column.name)
            if len(words) > 1 and has_run(seen.asked, words):
                found.setdefault(words, []).append((table, column))
    longest = {w for w in found if not any(w != o and has_run(o, w) for o in found)}
    return {w: h for w, h in found.items() if w in longest}


def _covered(words: tuple[str, ...], seen: Seen) -> bool:
    """A column in use holds all the words, in another order or with those of its table."""
    for used in seen.used:
        if set(words) <= {*name_words(used.table.name), *name_words(used.column.name)}:
            return True
    return False


def table_left_out(seen: Seen) -> Iterable[Finding]:
    """Find tables that the question names and nothing in the SQL answers to."""
    known = _answered(seen)
    for table in seen.catalog.tables:
        words = name_words(table.name)
        if table in seen.tables or not words or not has_run(seen.asked, words):
            continue
        if set(words) <= STOP_WORDS:
            continue
        if not any(alike(words[-1], k) for k in known):
            behind = _referred(seen, table)
            yield seen.found(
                "table_behind_key" if behind else "table_left_out",
                "question",
                "note" if behind else "repair",
                f"The question names {' '.join(words)}; the SQL does not read {table.name}.",
                hint=f"Join {table.name}.",
            )


def _referred(seen: Seen, table: Table) -> bool:
    """A table in use refers to this one, so that its rows stand for those of this."""
    name = table.qualified_name
    keys = (k for t in seen.tables for k in t.keys)
    return any(k.table == name or seen.catalog.table(k.table) is table for k in keys)


def _answered(seen: Seen) -> set[str]:
    """Words that the SQL's names, aliases and literals answer to."""
    words = set(seen.name_words_used())
    words |= {w for a in seen.all(exp.Alias) for w in name_words(a.alias)}
    return words | {w for text in seen.texts for w in name_words(text)}


def word_left_out(seen: Seen) -> Iterable[Finding]:
    """Find words that only one column is named by, and that nothing in the SQL answers to."""
    if _has_star(seen.tree):
        return
    known = _answered(seen)
    for word, (table, column) in _distinctive(seen):
        if not any(alike(word, k) or word in k for k in known):
            here = table in seen.tables
            yield seen.found(
                "word_left_out" if here else "word_elsewhere",
                "question",
                "repair" if here else "note",
                f"The question says {word}; the SQL does not use {table.name}.{column.name}.",
                hint=f"Use {table.name}.{column.name}.",
            )


def _distinctive(seen: Seen) -> Iterator[tuple[str, tuple[Table, Column]]]:
    """Yield words of the question that stand in the name of exactly one column."""
    tables = {w for t in seen.catalog.tables for w in name_words(t.name)}
    for word in dict.fromkeys(seen.asked):
        if len(word) < 4 and not _is_acronym(seen, word):
            continue
        if word in STOP_WORDS or word in tables or word in _VAGUE:
            continue
        if word.endswith(("ed", "ing")):
            continue
        places = [(t, c) for t, c in _columns_with(seen, word) if not _is_key(t, c)]
        places = [p for p in places if len(word) > 3 or name_words(p[1].name) == (word,)]
        if len({c.name.lower() for _, c in places}) == 1 and not _is_value(seen, word):
            yield word, places[0]


def _is_acronym(seen: Seen, word: str) -> bool:
    """A short word in capitals is a name: an MRR, the GDP."""
    return len(word) > 2 and word.upper() in re.findall(r"\w+", seen.question)


def _columns_with(seen: Seen, word: str) -> Iterator[tuple[Table, Column]]:
    for table in seen.catalog.tables:
        for column in table.columns:
            if word in name_words(column.name):
                yield table, column


def _is_key(table: Table, column: Column) -> bool:
    refers = any(column.name.lower() in (c.lower() for c in k.columns) for k in table.keys)
    return refers or column.name.lower() in {c.lower() for c in table.primary_key}


def _is_value(seen: Seen, word: str) -> bool:
    return seen.values is not None and bool(seen.values.holding(word))


def value_left_out(seen: Seen) -> Iterable[Finding]:
    """Find values that the question names, of columns that the SQL filters, which it lacks."""
    if seen.values is None:
        return
    filtered = {c.place for c in seen.comparisons}
    held = " | ".join(sorted(seen.texts))
    for phrase in _phrases(seen):
        places = seen.values.holding(phrase)
        if phrase in held or not places or len(places) > 2:
            continue
        tables = {t.qualified_name for t in seen.tables}
        here = [p for p in places if p[0] in tables]
        if here and (here[0][0], here[0][1]) in filtered:
            yield seen.found(
                "value_left_out",
                "question",
                "repair",
                f"The question names '{phrase}', a value of {places[0][1]}; the SQL lacks it.",
                hint=f"Compare {places[0][0]}.{places[0][1]} with '{places[0][2]}'.",
            )


def _is_short(word: str) -> bool:
    """A code of two capitals is a name; other short words are not."""
    return len(word) < 3 and not (len(word) == 2 and word.isupper())


def _phrases(seen: Seen) -> Iterator[str]:
    words = [w.strip(".,;:?!'\"()") for w in seen.question.split()]
    names = seen.name_words_used()
    for size in (3, 2, 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            phrase = " ".join(run).lower()
            if size == 1 and (phrase in STOP_WORDS or phrase in names or _is_short(run[0])):
                continue
            if not phrase.replace(" ", "").isdigit():
                yield phrase
