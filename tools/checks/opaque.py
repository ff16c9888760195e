"""Columns that only their descriptions explain: codes nobody asked for, measures mistaken."""

import re
from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, content_words, name_words, words_of

_CODE = re.compile(r"'?\b(\w{1,12})'? ?= ?([^,;:.=]+?)(?=[,;:.]|$)")
_STATE = re.compile(r"(?:un|in|non)\w{3,}|\w{2,}(?:ed|ing|ive|able)")
"""The form of words that say in which state a thing is."""
_NO_STATE = words_of("placed ordered recorded stored listed based including index interval")
_OPAQUE = re.compile(r"[a-z]{0,3}_?\d{1,4}[a-z]?", re.I)


def code_not_asked(seen: Seen) -> Iterable[Finding]:
    """Find conditions on a code whose explained meaning nothing in the question asks for.

    A small model that reads ``3 = cancelled`` beside a column tends to filter by it.
    """
    for one in seen.comparisons:
        if one.op != "=" or one.negated or one.aggregated or one.used.ref.clause != "where":
            continue
        codes = codes_in(one.used.column.description)
        meaning = codes.get(_written(one.values[0]))
        if meaning is None or _is_asked(seen, one, codes):
            continue
        sure = not _names_a_state(seen)
        yield seen.found(
            "code_not_asked",
            "literal",
            "repair" if sure else "warn",
            f"{one.used.column.name} = {_written(one.values[0])} means {meaning};"
            " the question asks for nothing of the kind.",
            node=one.node,
            hint="Leave the condition out.",
            fix=_left_out(seen, one) if sure else None,
        )


def _names_a_state(seen: Seen) -> bool:
    """The question has a state that neither tables nor values explain: it may mean the code.

    ``unresolved`` is one for ``1 = open``.
    """
    known = {w for t in seen.tables for w in (*name_words(t.name), *content_words(t.description))}
    columns = {id(u.column): u.column for u in seen.used}.values()
    known |= {w for c in columns for w in (*name_words(c.name), *content_words(c.description))}
    known |= {w for text in seen.texts for w in content_words(text)} | seen.told
    spans = {w for p in seen.periods for w in content_words(p.phrase)}
    states = {w for w in content_words(seen.question) if _STATE.fullmatch(w)} - spans - _NO_STATE
    return any(not any(alike(w, k) for k in known) for w in states)


def codes_in(description: str) -> Mapping[str, str]:
    """Return what each code means, of a description that explains two or more: ``1 = open``."""
    found = {code.lower(): meaning.strip() for code, meaning in _CODE.findall(description)}
    return found if len(found) > 1 else {}


def _is_asked(seen: Seen, one: Comparison, codes: Mapping[str, str]) -> bool:
    """The question has the code, its meaning or what it tells, or a fact calls for that code."""
    value, column = _written(one.values[0]), one.used.column
    label, colon, _ = column.description.partition(":")
    words = {
        *content_words(codes[value]),
        *content_words(label if colon else ""),
        *_telling(column),
    }
    if value in seen.question.lower().split():
        return True
    if any(alike(w, a) for w in words for a in seen.asked):
        return True
    return any(_codes_named(fact, codes) == {value} for fact in seen.facts)


def _codes_named(fact: str, codes: Mapping[str, str]) -> set[str]:
    """Return which of the codes a fact names: one is an instruction, all are a list."""
    return {c for c in codes if re.search(rf"\b{re.escape(c)}\b", fact, re.I)}


def _telling(column: Column) -> set[str]:
    return {w for w in name_words(column.name) if len(w) > 2 and w not in ("code", "type")}


def _written(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else value.strip().lower()


def _left_out(seen: Seen, one: Comparison) -> exp.Expr | None:
    """Return the statement without the condition, where it is one of those that all must hold."""
    alone = isinstance(one.node.parent, exp.And | exp.Where)
    inside = one.node.find_ancestor(exp.Or, exp.Not, exp.Case)
    return seen.without([one.node]) if alone and inside is None else None


def measure_mistaken(seen: Seen) -> Iterable[Finding]:
    """Find a sum over columns of opaque names where another's description is what is asked for."""
    sums = [c for e in _items(seen) for c in e.find_all(exp.Sum, exp.Avg)]
    if len(sums) != 1:
        return
    used = list(seen.uses_in(sums[0]))
    if not used or not all(_is_opaque(u.column) and not _is_meant(seen, u.column) for u in used):
        return
    meant = [(t, c) for t, c in _meant(seen) if t is used[0].table]
    if len(meant) == 1 and meant[0][1] not in [u.column for u in used]:
        yield _mistaken(seen, sums[0], used[0], meant[0][1])


def _items(seen: Seen) -> list[exp.Expr]:
    return seen.top.expressions if seen.top is not None else []


def _meant(seen: Seen) -> Iterator[tuple[Table, Column]]:
    for table in seen.tables:
        yield from ((table, c) for c in table.columns if _is_opaque(c) and _is_meant(seen, c))


def _is_opaque(column: Column) -> bool:
    return bool(_OPAQUE.fullmatch(column.name)) and bool(column.description)


def _is_meant(seen: Seen, column: Column) -> bool:
    """All the words of a measure's description stand in the question."""
    words = content_words(re.split(r"[;:]", column.description)[0])
    met = all(any(alike(w, a) for a in seen.asked) for w in words)
    return bool(column.unit) and bool(words) and met


def _mistaken(seen: Seen, call: exp.Expr, used: Used, column: Column) -> Finding:
    copy, here = seen.copied(call)
    name = exp.column(column.name, table=used.ref.column.table or None)
    here.set("this", name)
    return seen.found(
        "measure_mistaken",
        "question",
        "repair",
        f"The question asks for the {column.description}, which is {column.name};"
        f" the SQL adds up {', '.join(sorted({c.name for c in call.find_all(exp.Column)}))}.",
        node=call,
        hint=f"Use {column.name}.",
        fix=copy,
    )
