"""Doubts about whether a question is about this warehouse at all, once there is SQL for it.

A noun that nothing here is called may be a synonym: what the SQL reads for it decides, and
whether the SQL stood up. A small model writes *some* query for every question.
"""

from collections.abc import Sequence

from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.tools.findings import Finding
from querymend.tools.questions.asked_for import kind_of
from querymend.tools.questions.route import RELEVANT_PAIR
from querymend.tools.questions.vocabulary import Nearness
from querymend.tools.questions.words import name_words
from querymend.tools.sql.names import names_in

FOREIGN = "foreign_question"
SYNONYM = 0.4
"""A likeness of words from which on a synonym needs no warning, where no word is known."""
SYNONYM_OF_NOUN = 0.25
"""The same for a noun asked for in a question of otherwise known words. Of the questions of
Spider 0.8 % ask for a noun that is less like all that their gold reads, of those of Spider-Syn,
all synonyms, 7.6 %; of questions put to another database than their own, half."""


def foreign_to_data(sql: str, found: Sequence[Finding], state: State, trip: Trip) -> list[Finding]:
    """Return the doubt that a text answers another question than the one asked.

    ``foreign_question`` (block) where the warehouse holds nothing of the kind: the text must not
    run. ``unknown_words`` (warn) where it may be a synonym.

    Args:
        sql: the text at hand.
        found: what the checks say of it.
        state: holds the words that nothing here is called.
        trip: holds the catalog.
    """
    if state.given_sql or not (state.strange or state.absent):
        return []
    nearness = Nearness(trip.catalog, trip.deps.embedder.embed)
    real, invented = _names(sql, trip)
    if state.strange:
        return _all_strange(state.strange, nearness.to(state.strange, real))
    nouns = [a.split()[-1] for a in state.absent]
    if set(nouns) & {w for name in invented for w in name_words(name)}:
        return [_foreign(state.absent)]
    alone = [a for a in state.absent if " " not in a]
    if not alone or nearness.to([kind_of(n) for n in nouns], real) >= SYNONYM_OF_NOUN:
        return []
    return [_foreign(alone) if _fell(found, state) else _doubtful(alone)]


def _all_strange(words: Sequence[str], near: float) -> list[Finding]:
    """Judge a text for a question of which no word is known, by the likeness to what it reads."""
    if near >= SYNONYM:
        return []
    return [_foreign(words) if near < RELEVANT_PAIR and len(words) > 1 else _doubtful(words)]


def _names(sql: str, trip: Trip) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a text reads: those of the catalog, and those it made up."""
    tables = trip.catalog.tables
    held = {t.name.lower() for t in tables} | {c.name.lower() for t in tables for c in t.columns}
    named = names_in(sql, trip.deps.engine.dialect)
    real = frozenset(n for n in named if n.lower() in held)
    return real, named - real


def _fell(found: Sequence[Finding], state: State) -> bool:
    """Tell whether a text for this question had anything that the loop acts on."""
    earlier = (f for a in state.attempts for f in a.findings)
    return any(f.severity in ("block", "repair") for f in (*earlier, *found))


def _foreign(words: Sequence[str]) -> Finding:
    return Finding(
        code=FOREIGN,
        kind="question",
        severity="block",
        message=f"Nothing in this warehouse is about {_told(words)}.",
        hint="If it is there by another name, ask by that name or add a fact that explains it.",
    )


def _doubtful(words: Sequence[str]) -> Finding:
    return Finding(
        code="unknown_words",
        kind="question",
        severity="warn",
        message=f"Nothing in the data is called {_told(words)};"
        " the answer may be about another thing.",
        hint="Ask with the names of tables and columns, or add a fact that explains the word.",
    )


def _told(words: Sequence[str]) -> str:
    return ", ".join(words[:4])
