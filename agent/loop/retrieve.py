"""Stage: fetch what the model needs to know for this question, within the token budget."""

from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.loop.state import State, Update
from querymend.loop.trip import Trip


def retrieve(state: State, runtime: Runtime[Trip]) -> Update:
    """Search tables, examples, facts and values for the question."""
    trip = runtime.context
    trip.begin("retrieve")
    settings = trip.deps.settings.retrieval
    context = trip.deps.retriever.retrieve(
        state.question,
        catalog=trip.catalog,
        budget_tokens=settings.tokens,
        max_examples=settings.examples,
        min_example_score=settings.min_example_score,
        max_facts=settings.facts,
        samples=settings.sample_rows,
        dialect=trip.deps.engine.dialect,
    )
    trip.note(
        "retrieve",
        tables=[t.qualified_name for t in context.tables],
        facts=[f.id for f in context.facts],
        examples=[s.example.id for s in context.examples],
        left_out=context.left_out,
    )
    return {"context": replace(context, facts=(*trip.facts, *context.facts))}
