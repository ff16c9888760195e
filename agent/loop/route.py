"""Stage: read the question by rule and decide which way it goes."""

from langgraph.runtime import Runtime

from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.tools.findings import Finding
from querymend.tools.questions.period import resolve_periods
from querymend.tools.questions.reading import read_question
from querymend.tools.questions.route import route as route_by_rule
from querymend.tools.questions.vocabulary import Nearness
from querymend.tools.results.expectation import expect

LONGEST = 4_000
"""Characters of a question at most."""


def route(state: State, runtime: Runtime[Trip]) -> Update:
    """Resolve periods, read what a right result must look like, and choose the route."""
    trip = runtime.context
    trip.begin("route")
    refusal = _unreadable(state.question)
    if refusal:
        return {"ending": "refused", "reason": refusal.message, "notes": (refusal,)}
    periods = resolve_periods(
        state.question, trip.today, fiscal_start_month=trip.deps.settings.fiscal_start_month
    )
    reading = read_question(state.question)
    found = route_by_rule(
        state.question,
        catalog=trip.catalog,
        facts=(*trip.facts, *trip.deps.facts),
        values=trip.values,
        relevance=Nearness(trip.catalog, trip.deps.embedder.embed),
    )
    update: Update = {
        "route": found.kind,
        "periods": periods,
        "reading": reading,
        "expectation": expect(state.question, reading, periods),
        "strange": found.unknown if found.strange else (),
        "absent": found.absent,
    }
    if found.kind in ("unsafe", "unanswerable") and not state.given_sql:
        update |= {"ending": "refused", "reason": found.reason}
    trip.note("route", route=found.kind, reason=found.reason, periods=[p.phrase for p in periods])
    return update


def _unreadable(question: str) -> Finding | None:
    if not question.strip():
        return Finding(
            code="empty_question",
            kind="question",
            severity="block",
            message="The question is empty.",
            hint="Ask in a sentence, for example: How many orders were placed last month?",
        )
    if len(question) > LONGEST:
        return Finding(
            code="question_too_long",
            kind="question",
            severity="block",
            message=f"The question has {len(question):,} characters; at most {LONGEST:,} are read.",
            hint="Ask one question in a few sentences.",
        )
    return None
