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
from querymend.tools.questions.route import RELEVANT_PAIR
from querymend.tools.questions.vocabulary import Nearness
from querymend.tools.questions.words import kind_of, name_words
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
    (``foreign_question``, block). Nothing is said where the text cannot be read: a slip of the pen
    says nothing of its subject.

    Args:
        sql: the text at hand.
        state: holds the words that nothing here is called.
        trip: holds the catalog.
    """
    if state.given_sql or not (state.strange or state.absent):
        return []
    real, invented = _names(sql, trip)
    nearness = Nearness(trip.catalog, trip.deps.embedder.embed)
    if state.strange:
        return _of_strange(state.strange, nearness.to(state.strange, real)) if real else []
    nouns = [a.split()[-1] for a in state.absent]
    if set(nouns) & {w for name in invented for w in name_words(name)}:
        return [_doubtful(state.absent)]
    alone = [a for a in state.absent if " " not in a]
    far = real and nearness.to([kind_of(n) for n in nouns], real) < SYNONYM_OF_NOUN
    return [_doubtful(alone)] if alone and far else []


def _of_strange(words: Sequence[str], near: float) -> list[Finding]:
    """Judge a text for a question of which no word is known, by the likeness to what it reads."""
    if near >= SYNONYM:
        return []
    return [_foreign(words) if near < RELEVANT_PAIR and len(words) > 1 else _doubtful(words)]


def refusal(kept: Attempt, state: State, trip: Trip) -> Finding | None:
    """Tell that the question is about another thing, where no text for it could run.

    A failure is no answer either, and says less. One try alone, with nothing mended, is no proof
    that no query could be made.
    """
    if trip.single_pass or not any(f.code == DOUBT for f in kept.findings):
        return None
    return _foreign(state.strange or state.absent)


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
