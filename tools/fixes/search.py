"""Trying candidates: run them in order of certainty, follow up on what fails, weigh what runs."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from querymend.tools.fixes import duplicates
from querymend.tools.fixes.candidates import candidates
from querymend.tools.fixes.doubts import doubts
from querymend.tools.fixes.fix import Fix, Known
from querymend.tools.fixes.priors import GUESSED, PLAIN, PLAIN_SHARE, prior

PADDED = frozenset({"value_padded"})
DEPTH = 3
"""Fixes put one upon the other, at most."""
WORTH = 0.3
"""After one candidate gave rows, only those this near to it in certainty are tried."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one text did when it ran."""

    outcome: Literal["rows", "hollow", "empty", "error"]
    """Hollow: one row of nothing but NULL or 0."""
    key: str = ""
    """Equal for equal results, whatever the order of rows."""
    error: str = ""
    repeated: bool = False
    """Some rows are there twice."""


Try = Callable[[str], Trial]


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The text that the search settled on, and why."""

    chain: tuple[Fix, ...]
    """The fixes in order; the last one's SQL is ``sql``."""
    sql: str
    trial: Trial
    plain: bool
    """The evidence is strong enough that the answer needs no warning for the fix."""
    certainty: float
    """How often a fix like this is what was meant."""
    share: float
    """Which part of all weight that gave rows stands behind this result."""
    trials: int
    """Statements that ran."""

    @property
    def why(self) -> str:
        """What was changed, in words."""
        return "; ".join(f.why for f in self.chain)

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules that were applied, in order."""
        return tuple(c for f in self.chain for c in f.code.split("+") if c)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One chain of fixes and what its last text did."""

    chain: tuple[Fix, ...]
    certainty: float
    trial: Trial

    @property
    def sql(self) -> str:
        """The last text."""
        return self.chain[-1].sql


def choose(
    sql: str,
    known: Known,
    *,
    try_: Try,
    max_trials: int = 8,
    padded: bool = False,
) -> Chosen | None:
    """Return the best text that runs, or None if no fix gives a result.

    Candidates are tried surest first; what fails with another error, or comes back
    empty, is mended again, up to three times. Where several give rows, the result
    with most certainty behind it wins. ``try_`` runs one text and never raises.
    Values stored with blanks around them are only offered by ``candidates``, not
    taken, unless ``padded``: that nobody stored the bare value may be the answer.
    """
    tries = _Tries(try_=try_, left=max_trials)
    ran = list(_run(sql, known, tries, frozenset() if padded else PADDED))
    best = _settle(ran, tries)
    return _judged(_without_repeats(best, known, tries), known) if best else None


@dataclass(kw_only=True)
class _Tries:
    """The engine, with how often it may still be asked."""

    try_: Try
    left: int
    used: int = 0

    def run(self, sql: str) -> Trial:
        self.left -= 1
        self.used += 1
        return self.try_(sql)


def _run(sql: str, known: Known, tries: _Tries, shunned: frozenset[str]) -> Iterator[Ran]:
    """Try chains of fixes, surest first, until the budget or the hope is spent."""
    order, seen = count(), {sql}
    heap: list[tuple[float, int, tuple[Fix, ...]]] = []
    best = 0.0
    for fix in candidates(sql, known):
        heapq.heappush(heap, (-fix.certainty, next(order), (fix,)))
    while heap and tries.left > 0:
        minus, _, chain = heapq.heappop(heap)
        if chain[-1].sql in seen or shunned & set(chain[-1].code.split("+")):
            continue
        if -minus < best * WORTH:
            return
        seen.add(chain[-1].sql)
        trial = tries.run(chain[-1].sql)
        ran = Ran(chain=chain, certainty=-minus, trial=trial)
        yield ran
        if trial.outcome == "rows":
            best = max(best, -minus)
        for after, sure in _following(ran, known):
            heapq.heappush(heap, (-sure, next(order), (*chain, after)))


def _following(ran: Ran, known: Known) -> Iterator[tuple[Fix, float]]:
    """Yield what may mend a text that a fix wrote and that failed, or came back empty."""
    if len(ran.chain) >= DEPTH or ran.trial.outcome == "rows":
        return
    error = ran.trial.error if ran.trial.outcome == "error" else ""
    next_known = replace(known, error=error, empty=not error)
    weight = prior("after_error") if error else prior("after_empty")
    for fix in candidates(ran.sql, next_known)[:4]:
        yield fix, ran.certainty * fix.certainty * weight


def _settle(ran: Sequence[Ran], tries: _Tries) -> Chosen | None:
    """Return the result with most certainty behind it; rows before hollow, hollow before empty."""
    for outcome in ("rows", "hollow", "empty"):
        good = [r for r in ran if r.trial.outcome == outcome]
        if good:
            return _weigh(good, tries)
    return None


def _weigh(good: Sequence[Ran], tries: _Tries) -> Chosen:
    weights: dict[str, float] = defaultdict(float)
    for one in good:
        weights[one.trial.key] += one.certainty
    key = max(weights, key=lambda k: weights[k])
    best = max((r for r in good if r.trial.key == key), key=lambda r: r.certainty)
    return Chosen(
        chain=best.chain,
        sql=best.sql,
        trial=best.trial,
        plain=False,
        certainty=best.certainty,
        share=weights[key] / sum(weights.values()),
        trials=tries.used,
    )


def _judged(chosen: Chosen, known: Known) -> Chosen:
    """Tell whether the fix needs no warning: sure rules, rows, no rival result, nothing unsaid."""
    sure = (
        chosen.trial.outcome == "rows"
        and not chosen.trial.repeated
        and chosen.share >= PLAIN_SHARE
        and chosen.certainty >= PLAIN
        and not _is_guess(chosen.codes)
    )
    return replace(chosen, plain=sure and next(doubts(chosen.sql, known), None) is None)


def _is_guess(codes: Sequence[str]) -> bool:
    """Tell whether a rule that guesses made the text; beside another, respelling only spells."""
    acting = [c for c in codes if c != "respelt"] or codes
    return bool(GUESSED.intersection(acting))


def _without_repeats(chosen: Chosen, known: Known, tries: _Tries) -> Chosen:
    """Where rows repeat and a list of things was asked, take each once."""
    if not chosen.trial.repeated:
        return chosen
    fix = duplicates.distinct(chosen.sql, known)
    if fix is None or fix.certainty < 0.5:
        return chosen
    trial = tries.run(fix.sql)
    if trial.outcome != "rows":
        return chosen
    sure = chosen.certainty * fix.certainty
    return replace(
        chosen,
        chain=(*chosen.chain, fix),
        sql=fix.sql,
        trial=trial,
        certainty=sure,
        trials=tries.used,
    )


__all__ = ["Chosen", "Trial", "Try", "candidates", "choose"]
