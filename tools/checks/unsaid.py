"""What the question says and the SQL lacks, and what the SQL says and nobody asked for."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words, singular, tokens


def number_missing(seen: Seen) -> Iterable[Finding]:
    """Find numbers of the question that stand nowhere in the SQL."""
    held = _numbers(seen)
    text = seen.subject.parsed.text
    for number in dict.fromkeys(seen.reading.numbers):
        near = {number, number - 1, number + 1, number / 100, number * 100, number * 1000}
        others = _no_bounds(seen) - {number} if _is_year(number) else set()
        shown = f"{number:g}"
        if not near & (held - others) and shown not in text and not _is_count(seen, number):
            yield seen.found(
                "number_missing",
                "question",
                "repair",
                f"The question says {shown}, and the SQL does not.",
                hint=f"Use {shown} in a condition, or as the LIMIT.",
            )


def _is_year(number: float) -> bool:
    return number in range(1900, 2100)


def _no_bounds(seen: Seen) -> set[float]:
    """Return numbers that bound no year next to them: the question's own, and those set equal."""
    equal = (n for n in seen.all(exp.Literal) if isinstance(n.parent, exp.EQ | exp.In))
    return {*seen.reading.numbers, *(float(n.this) for n in equal if str(n.this).isdecimal())}


def _numbers(seen: Seen) -> set[float]:
    found = set()
    for literal in seen.all(exp.Literal):
        for word in re.findall(r"\d+(?:\.\d+)?", str(literal.this)):
            found.add(float(word))
    return found | {float(t) for t in seen.texts if t.isdigit()}


def _is_count(seen: Seen, number: float) -> bool:
    """A number that only says how many things are named, or how to round."""
    return bool(re.search(rf"\b{number:g} (?:decimal|digit|place|significant)", seen.question))


def phrase_missing(seen: Seen) -> Iterable[Finding]:
    """Find quoted phrases of the question that stand in no literal of the SQL."""
    held = " | ".join(sorted(seen.texts))
    names = {u.column.name.lower() for u in seen.used} | {t.name.lower() for t in seen.tables}
    for phrase in seen.reading.quoted:
        plain = phrase.strip().strip("%").lower()
        if plain and plain not in held and plain not in names and not _split(plain, held):
            yield seen.found(
                "phrase_missing",
                "question",
                "repair",
                f"The question quotes '{phrase}', and the SQL does not.",
                hint=f"Compare a column with '{phrase}'.",
            )


def _split(phrase: str, held: str) -> bool:
    """The phrase's words stand apart: a first and a last name."""
    words = tokens(phrase)
    return bool(words) and all(w in held or singular(w) in held for w in words)


def invented_filter(seen: Seen) -> Iterable[Finding]:
    """Find comparisons whose column and value nothing in the question or the facts asks for."""
    for one in seen.comparisons:
        if one.op in ("=", "in", "like", "<>") and not one.aggregated and _unasked(seen, one):
            code = "invented_filter" if one.texts else "invented_number"
            guessed = not one.texts and one.op in ("=", "in") and _is_key(one)
            yield seen.found(
                "guessed_key" if guessed else code,
                "question",
                "warn" if guessed else "note",
                f"Nothing in the question asks for {one.used.column.name} {_written(one)}.",
                node=one.node,
                hint="Leave the condition out, or take it from the question.",
            )


def _is_key(one: Comparison) -> bool:
    """The column only identifies rows, its own or another table's: its numbers mean nothing."""
    table, column = one.used.table, one.used.column.name.lower()
    refers = any([c.lower() for c in k.columns] == [column] for k in table.keys)
    return refers or [c.lower() for c in table.primary_key] == [column]


def _written(one: Comparison) -> str:
    shown = ", ".join(str(v) for v in one.values[:2])
    return f"{one.op} {shown}"


def _unasked(seen: Seen, one: Comparison) -> bool:
    if _in_join(one.node):
        return False
    own = [w for w in name_words(one.used.column.name) if len(w) > 2]
    if any(_said(seen, w) for w in own if w not in ("name", "code", "type")):
        return False
    return not any(_value_said(seen, value) for value in one.values)


def _in_join(node: exp.Expr) -> bool:
    return node.find_ancestor(exp.Case) is not None or node.find_ancestor(exp.If) is not None


def _said(seen: Seen, word: str) -> bool:
    return any(alike(word, other) for other in seen.words)


def _value_said(seen: Seen, value: str | float) -> bool:
    if isinstance(value, float):
        return value in seen.numbers
    plain = value.strip(" %").lower()
    words = tokens(plain)
    whole = f" {' '.join(seen.asked)} "
    pattern = re.compile(rf"(?<!\w){re.escape(plain)}(?!\w)", re.IGNORECASE)
    if any(pattern.search(text) for text in (*seen.facts, seen.question)):
        return True
    return any(_said(seen, w) or (len(w) > 2 and f" {w}" in whole) for w in words)
