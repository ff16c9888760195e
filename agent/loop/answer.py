"""Stage: the best attempt becomes the answer, or the trip's end is told plainly."""

from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.answer import Answer, Attempt, Cost, Outcome, Source
from querymend.events import Answered
from querymend.loop.confidence import confidence_in
from querymend.loop.execute import fetch
from querymend.loop.foreign import refusal
from querymend.loop.judge import blocked
from querymend.loop.progress import best
from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.loop.weighing import estimated
from querymend.tools.engines.engine import Result
from querymend.tools.errors import QuerymendError
from querymend.tools.findings import in_repair_order, worst
from querymend.tools.index.model import Context
from querymend.tools.questions.metadata import describe_catalog
from querymend.tools.results.text import say


def answer(state: State, runtime: Runtime[Trip]) -> Update:
    """Say what was found, what was assumed, and what is doubtful."""
    trip = runtime.context
    trip.begin("answer")
    given = _answer(state, trip)
    trip.emit(Answered(answer=given))
    trip.note(
        "answer",
        outcome=given.outcome,
        findings=[(f.severity, f.code) for f in given.findings],
        seconds=round(given.cost.seconds, 3),
        model_calls=given.cost.model_calls,
        tokens_in=given.cost.tokens_in,
        tokens_out=given.cost.tokens_out,
        sql=given.sql,
    )
    return {"answer": given}


def _answer(state: State, trip: Trip) -> Answer:
    if state.route == "metadata":
        return _about_catalog(state, trip)
    if state.ending == "approval":
        return _waiting(state, trip, state.at_hand)
    kept = best(state.attempts)
    if state.ending or kept is None:
        return _ended(state, trip, state.ending or "failed", state.reason)
    if kept.summary is None and trip.run and blocked(kept.findings):
        return _unanswered(state, trip, kept)
    if kept.summary is None and not trip.run:
        return _drafted(state, trip, kept)
    try:
        return _answered(state, trip, kept, fetch(kept.sql, trip))
    except QuerymendError as error:
        return _ended(state, trip, "failed", str(error))


def _about_catalog(state: State, trip: Trip) -> Answer:
    told = describe_catalog(state.question, trip.catalog)
    return Answer(
        id=state.id,
        question=state.question,
        outcome="answered",
        route="metadata",
        text=told.text,
        columns=told.columns,
        rows=told.rows,
        sources=tuple(Source(kind="chunk", id=t, text=t) for t in told.tables),
        cost=cost(state, trip),
    )


def _answered(state: State, trip: Trip, kept: Attempt, result: Result) -> Answer:
    findings = tuple(in_repair_order((*kept.findings, *state.notes, *trip.told)))
    outcome: Outcome = "answered" if worst(findings) in (None, "note") else "answered_with_warnings"
    assumptions = assumed(state, kept)
    return Answer(
        id=state.id,
        question=state.question,
        outcome=outcome,
        route=state.route,
        text=say(
            state.question,
            result,
            expectation=state.expectation,
            assumptions=assumptions,
            findings=findings,
        ),
        sql=kept.sql,
        columns=result.columns,
        rows=result.rows,
        truncated=result.truncated,
        findings=findings,
        confidence=confidence_in(kept.sql, result, findings, state, trip),
        assumptions=assumptions,
        sources=_sources(state, kept),
        attempts=_marked(state, kept),
        left_out=state.context.left_out if state.context else (),
        cost=cost(state, trip),
    )


def _unanswered(state: State, trip: Trip, kept: Attempt) -> Answer:
    """Tell why no text could run: refused where it never could be allowed or right, else failed."""
    if foreign := refusal(kept, state, trip):
        noted = replace(state, notes=(*state.notes, foreign))
        return _ended(noted, trip, "refused", foreign.message, kept)
    grave = in_repair_order(kept.findings)
    forbidden = any(f.kind in ("safety", "scope") and f.severity == "block" for f in grave)
    why = grave[0].message if grave else "No query could be made."
    tail = f" ({state.stopped})" if state.stopped else ""
    return _ended(state, trip, "refused" if forbidden else "failed", why + tail, kept)


def _drafted(state: State, trip: Trip, kept: Attempt) -> Answer:
    """Hand over a checked text that has not run."""
    findings = tuple(in_repair_order((*kept.findings, *state.notes, *trip.told)))
    if worst(findings) == "block":
        return _unanswered(state, trip, kept)
    outcome: Outcome = "answered" if worst(findings) in (None, "note") else "answered_with_warnings"
    return _not_run(state, trip, kept, outcome, "Not run yet.")


def _waiting(state: State, trip: Trip, kept: Attempt) -> Answer:
    """Hand over a checked text whose scan waits for leave."""
    return _not_run(state, trip, kept, "needs_clarification", state.reason)


def _not_run(state: State, trip: Trip, kept: Attempt, outcome: Outcome, text: str) -> Answer:
    return Answer(
        id=state.id,
        question=state.question,
        outcome=outcome,
        route=state.route,
        text=text,
        sql=kept.sql,
        findings=tuple(in_repair_order((*kept.findings, *state.notes, *trip.told))),
        estimate=estimated(kept.sql, trip),
        assumptions=assumed(state, kept),
        sources=_sources(state, kept),
        attempts=_marked(state, kept),
        left_out=state.context.left_out if state.context else (),
        cost=cost(state, trip),
    )


def _ended(
    state: State, trip: Trip, outcome: Outcome, why: str, kept: Attempt | None = None
) -> Answer:
    word = "I cannot answer this" if outcome == "refused" else "I could not answer this"
    findings = (*(kept.findings if kept else ()), *state.notes, *trip.told)
    return Answer(
        id=state.id,
        question=state.question,
        outcome=outcome,
        route=state.route,
        text=f"{word}: {why}",
        sql=kept.sql if kept else "",
        findings=tuple(in_repair_order(findings)),
        attempts=_marked(state, kept),
        left_out=state.context.left_out if state.context else (),
        cost=cost(state, trip),
    )


def assumed(state: State, kept: Attempt) -> tuple[str, ...]:
    """Return the readings that were taken, one sentence each."""
    readings = tuple(f.message for f in kept.findings if f.code == "reading")
    return (*(state.expectation.assumptions if state.expectation else ()), *readings)


def cost(state: State, trip: Trip) -> Cost:
    """Add up what the trip took so far."""
    meter = trip.meter
    return Cost(
        seconds=meter.elapsed + meter.replayed_seconds,
        model_seconds=meter.model_seconds,
        engine_seconds=meter.engine_seconds,
        model_calls=meter.model_calls,
        tokens_in=meter.tokens_in,
        tokens_out=meter.tokens_out,
        repairs=max(0, len(state.attempts) - 1),
        queries=meter.queries,
        bytes_scanned=meter.bytes_scanned,
        usd=meter.usd,
        reused=meter.reused,
        query_ids=tuple(meter.query_ids),
        model=trip.deps.writer.name if meter.model_calls else "",
    )


def _marked(state: State, kept: Attempt | None) -> tuple[Attempt, ...]:
    return tuple(replace(a, kept=a is kept) for a in state.attempts)


def _sources(state: State, kept: Attempt) -> tuple[Source, ...]:
    query = Source(kind="query", id=kept.query_id, text=kept.sql)
    return (query, *_chunks(state.context or Context()))


def _chunks(context: Context) -> list[Source]:
    tables = [Source(kind="chunk", id=t.qualified_name, text=t.description) for t in context.tables]
    facts = [Source(kind="chunk", id=f.id, text=f.text) for f in context.facts]
    examples = [
        Source(kind="chunk", id=s.example.id, text=s.example.question) for s in context.examples
    ]
    return [*tables, *facts, *examples]
