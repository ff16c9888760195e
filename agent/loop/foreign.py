"""Doubts about whether a question is about this warehouse at all, once there is SQL for it.

A noun that nothing here is called may be a synonym: what the SQL reads for it decides. A small
model writes *some* query for every question, so an answer of which nothing is like the noun is
doubted; where no query could be made at all, the question is refused.
"""

from collections.abc import Sequence

from querymend.answer import Attempt
from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.tools.findings import Finding
from querymend.tools.questions.asked_for import kind_of
from querymend.tools.questions.route import RELEVANT_PAIR
from querymend.tools.questions.vocabulary import Nearness
from querymend.tools.questions.words import name_words
from querymend.tools.sql.names import names_in

FOREIGN = "foreign_question"
DOUBT = "unknown_words"
SYNONYM = 0.4
"""A likeness of words from which on a synonym needs no warning, where no word is known."""
SYNONYM_OF_NOUN = 0.25
"""The same for a noun asked for in a question of otherwise known words. Of the questions of
Spider 0.8 % ask for a noun that is less like all that their gold reads, of those of Spider-Syn,
all synonyms, 7.6 %; of questions put to another database than their own, half."""


def foreign_to_data(sql: str, state: State, trip: Trip) -> list[Finding]:
    """Return the doubt (``unknown_words``, warn) that a text answers another question.

    No more than a doubt: words like *buyer*, *tenure* or *headcount* are called something else in
    most warehouses, and how like they are to it no embedding tells reliably. Where not one of the
    question's words is known, and none is like anything that the text reads, it must not run
    (``foreign_question``, block).

    Args:
        sql: the text at hand.
        state: holds the words that nothing here is called.
        trip: holds the catalog.
    """
    words = _far(sql, state, trip)
    if len(words) > 1 and words == state.strange and _near(sql, words, trip) < RELEVANT_PAIR:
        return [_foreign(words)]
    return [_doubtful(words)] if words else []


def _near(sql: str, words: Sequence[str], trip: Trip) -> float:
    nearness = Nearness(trip.catalog, trip.deps.embedder.embed)
    return nearness.to(words, _names(sql, trip)[0])


def refusal(kept: Attempt, state: State, trip: Trip) -> Finding | None:
    """Tell that the question is about another thing, where no text for it could run.

    A failure is no answer either, and says less. One try alone, with nothing mended, is no proof
    that no query could be made.
    """
    tried = bool(trip.meter.budget.max_repairs)
    if not tried or not any(f.code == DOUBT for f in kept.findings):
        return None
    return _foreign(state.strange or state.absent)


def _far(sql: str, state: State, trip: Trip) -> Sequence[str]:
    """Return the words of the question that are like nothing that a text reads.

    None where the text cannot be read: a slip of the pen says nothing of its subject.
    """
    if state.given_sql or not (state.strange or state.absent):
        return ()
    real, invented = _names(sql, trip)
    nearness = Nearness(trip.catalog, trip.deps.embedder.embed)
    if state.strange:
        return state.strange if real and nearness.to(state.strange, real) < SYNONYM else ()
    nouns = [a.split()[-1] for a in state.absent]
    if set(nouns) & {w for name in invented for w in name_words(name)}:
        return state.absent
    alone = [a for a in state.absent if " " not in a]
    kinds = [kind_of(n) for n in nouns]
    return alone if real and nearness.to(kinds, real) < SYNONYM_OF_NOUN else ()


def _names(sql: str, trip: Trip) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a text reads: those of the catalog, and those it made up."""
    tables = trip.catalog.tables
    held = {t.name.lower() for t in tables} | {c.name.lower() for t in tables for c in t.columns}
    named = names_in(sql, trip.deps.engine.dialect)
    real = frozenset(n for n in named if n.lower() in held)
    return real, named - real


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
        code=DOUBT,
        kind="question",
        severity="warn",
        message=f"Nothing in the data is called {_told(words)};"
        " the answer may be about another thing.",
        hint="Ask with the names of tables and columns, or add a fact that explains the word.",
    )


def _told(words: Sequence[str]) -> str:
    return ", ".join(words[:4])
