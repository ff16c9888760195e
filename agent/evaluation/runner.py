"""Ask questions one by one, and record what became of each."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from querymend.answer import Answer
from querymend.budget import Budget
from querymend.evaluation.questions import Question, by_database
from querymend.evaluation.records import Mode, Record
from querymend.evaluation.score import Gold, Judge, score
from querymend.events import Answered, Event
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import QuerymendError, SetupError
from querymend.tools.findings import worst
from querymend.tools.results.plain import Plain, plain

SHOWN_ROWS = 10


class Asker(Protocol):
    """What is evaluated: an agent on one database."""

    @property
    def engine(self) -> Engine:
        """What runs its SQL."""
        ...

    @property
    def catalog(self) -> Catalog:
        """What it knows of the warehouse."""
        ...

    def stream(
        self, question: str, *, budget: Budget | None, facts: tuple[str, ...]
    ) -> Iterator[Event]:
        """Answer one question; the last event holds the answer."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An agent on the database of a group of questions."""

    agent: Asker
    sqlite: Path | None = None
    """The original file, where golds for SQLite run."""


Open = Callable[[str], Opened]
"""Takes a database's name (empty: the only one) and opens an agent on it."""


def run_questions(
    questions: Sequence[Question],
    open_agent: Open,
    *,
    modes: Sequence[Mode] = ("loop",),
    done: AbstractSet[tuple[str, Mode, str]] = frozenset(),
    prompts: dict[str, str] | None = None,
) -> Iterator[Record]:
    """Yield a record for each question and mode, as it finishes.

    Questions go database by database, so that prompts share their beginning and one agent is
    open at a time. A fault of one question is recorded and the run goes on.

    Args:
        questions: what to ask.
        open_agent: opens an agent on a database.
        modes: what to compare; a question is asked in all modes in turn.
        done: key, mode and digest of what need not be asked again.
        prompts: fingerprints to note with each record.

    Raises:
        SetupError: nothing can be asked before the developer acts.
    """
    for db, group in by_database(questions).items():
        left = [(q, m) for q in group for m in modes if (q.key, m, q.digest) not in done]
        if not left:
            continue
        opened = open_agent(db)
        with closing(opened.agent):
            judge = Judge(
                engine=opened.agent.engine, catalog=opened.agent.catalog, sqlite=opened.sqlite
            )
            for question, mode in left:
                record = _ask(opened.agent, judge, question, mode)
                yield replace(record, prompts=prompts or {})


def _ask(agent: Asker, judge: Judge, question: Question, mode: Mode) -> Record:
    blank = _blank(question, mode)
    try:
        golds = judge.golds(question) if question.answerable else ()
    except QuerymendError as error:
        return replace(blank, error=str(error))
    blank = replace(blank, gold=_gold(golds))
    try:
        budget = Budget(max_repairs=0) if mode == "single" else None
        answer = _answer(agent.stream(question.text, budget=budget, facts=question.facts))
        return _judged(blank, answer, judge, golds)
    except SetupError:
        raise
    except Exception as error:
        # The boundary of one question: a fault of ours must not lose the others' answers.
        trace = "".join(traceback.format_exception(error)[-3:])
        return replace(blank, error=f"{type(error).__name__}: {error}\n{trace}", score="withheld")


def _answer(events: Iterator[Event]) -> Answer:
    """Return the answer that ends a stream, which Ctrl-C can leave at any moment."""
    for event in events:
        if isinstance(event, Answered):
            return event.answer
    raise QuerymendError("The question ended without an answer.")


def _blank(question: Question, mode: Mode) -> Record:
    return Record(
        key=question.key,
        mode=mode,
        digest=question.digest,
        question=question.text,
        db=question.db,
        tags=question.tags,
        answerable=question.answerable,
    )


def _judged(blank: Record, answer: Answer, judge: Judge, golds: Sequence[Gold]) -> Record:
    correct = judge.correct(answer, golds)
    return replace(
        blank,
        outcome=answer.outcome,
        score=score(answer.outcome, correct=correct, answerable=blank.answerable),
        route=answer.route,
        text=answer.text,
        sql=answer.sql,
        rows=_plain_list(answer.rows[:SHOWN_ROWS]),
        row_count=len(answer.rows),
        truncated=answer.truncated,
        findings=_plain_list(answer.findings),
        assumptions=list(answer.assumptions),
        confidence=answer.confidence,
        attempts=_plain_list(answer.attempts),
        first=_first(answer, judge, golds, correct=correct),
        cost=_cost(answer),
    )


def _first(
    answer: Answer, judge: Judge, golds: Sequence[Gold], *, correct: bool
) -> dict[str, Plain]:
    """Judge the first attempt by itself: what one pass would have given."""
    if not answer.attempts:
        return {"verdict": "none", "severity": None}
    first = answer.attempts[0]
    severity: Plain = worst(first.findings)
    if first.summary is None:
        return {"verdict": "failed", "severity": severity}
    stands = first.kept and answer.outcome.startswith("answered")
    alone = correct if stands else judge.correct_sql(first.sql, golds)
    verdict = {True: "right", False: "wrong", None: "failed"}[alone]
    return {"verdict": verdict, "severity": severity}


def _gold(golds: Sequence[Gold]) -> dict[str, Plain]:
    if not golds:
        return {}
    first = golds[0]
    return {
        "sql": [g.sql for g in golds],
        "rows": _plain_list(first.rows[:SHOWN_ROWS]),
        "row_count": len(first.rows),
        "ordered": first.ordered,
    }


def _cost(answer: Answer) -> dict[str, Plain]:
    cost = plain(answer.cost)
    assert isinstance(cost, dict)
    return {**cost, "framework_seconds": answer.cost.framework_seconds}


def _plain_list(values: Sequence[object]) -> list[Plain]:
    found = plain(list(values))
    return found if isinstance(found, list) else []
