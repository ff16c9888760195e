"""The state of one question: data that survives a checkpoint."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from querymend.answer import Answer, Attempt, Route
from querymend.tools.findings import Finding
from querymend.tools.index.model import Context
from querymend.tools.questions.period import Period
from querymend.tools.questions.reading import Reading
from querymend.tools.results.expectation import Expectation

Ending = Literal["refused", "failed", "approval"]
"""``approval``: the text at hand waits for leave to run."""


class Question(TypedDict, total=False):
    """What a caller puts in."""

    question: str
    id: str
    given_sql: str
    """SQL to go on with, instead of asking the model for a first text."""


@dataclass(frozen=True, kw_only=True)
class State:
    """What the stages read."""

    question: str
    id: str = ""
    given_sql: str = ""
    route: Route = "analytical"
    ending: Ending | None = None
    """Set by a stage that ends the trip early, with the reason in ``reason``."""
    reason: str = ""
    periods: tuple[Period, ...] = ()
    reading: Reading | None = None
    expectation: Expectation | None = None
    strange: tuple[str, ...] = ()
    """The question's words, where not one of them names anything in the warehouse."""
    absent: tuple[str, ...] = ()
    """Nouns that the question asks for and nothing in the warehouse is called."""
    context: Context | None = None
    attempts: tuple[Attempt, ...] = ()
    """In the order in which they were tried; the last one at the whole question is at hand."""
    model_repairs: int = 0
    stopped: str = ""
    """Why the loop makes no further attempt; empty while it goes on."""
    notes: tuple[Finding, ...] = ()
    """What belongs to the whole trip: why the loop stopped, what was left out."""
    answer: Answer | None = None

    @property
    def at_hand(self) -> Attempt:
        """The attempt that the stages are working on."""
        return next(a for a in reversed(self.attempts) if not a.step)


class Update(TypedDict, total=False):
    """What a stage writes: any part of the state."""

    route: Route
    ending: Ending | None
    reason: str
    periods: tuple[Period, ...]
    reading: Reading | None
    expectation: Expectation | None
    strange: tuple[str, ...]
    absent: tuple[str, ...]
    context: Context | None
    attempts: tuple[Attempt, ...]
    model_repairs: int
    stopped: str
    notes: tuple[Finding, ...]
    answer: Answer | None
