"""The state machine: stages as nodes, and which comes after which.

::

    route → retrieve → generate → validate → execute → inspect → answer
              ↑                     │          │         │
              └────── repair ───────┴──────────┴─────────┘

A statement of several steps, for a question of several, passes ``steps`` before ``execute``;
where scans cost money, only after that failed.
"""

from typing import Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from querymend.loop.answer import answer
from querymend.loop.execute import execute
from querymend.loop.generate import generate
from querymend.loop.inspect import inspect
from querymend.loop.judge import blocked, needs_repair
from querymend.loop.repair import repair
from querymend.loop.retrieve import retrieve
from querymend.loop.route import route
from querymend.loop.state import Question, State, Update
from querymend.loop.stepwise import run_after, run_before, steps
from querymend.loop.trip import Trip
from querymend.loop.validate import validate
from querymend.loop.weighing import affordable

Graph = CompiledStateGraph[State, Trip, Question, State]
FUSE = 60
"""Steps of one trip at most; the loop's own bounds end it long before."""


def begin(state: State) -> Update:
    """Forget what an earlier question on this thread left behind."""
    return {
        "route": "analytical",
        "ending": None,
        "reason": "",
        "stopped": "",
        "strange": (),
        "absent": (),
        "attempts": (),
        "notes": (),
        "model_repairs": 0,
        "context": None,
        "answer": None,
    }


def after_route(state: State) -> Literal["retrieve", "answer"]:
    """Ask nothing further where the question needs no SQL, or gets none."""
    return "answer" if state.ending or state.route == "metadata" else "retrieve"


def after_generate(state: State) -> Literal["validate", "answer"]:
    """Go on with what the model wrote, if it wrote."""
    return "answer" if state.ending else "validate"


def after_validate(
    state: State, runtime: Runtime[Trip]
) -> Literal["steps", "execute", "repair", "answer"]:
    """Run only what nothing blocks."""
    if state.ending:
        return "answer"
    if blocked(state.at_hand.findings) or not affordable(state.at_hand.findings):
        return _repair_or_end(state, runtime)
    if not runtime.context.run:
        return "answer"
    return "steps" if run_before(state, runtime.context) else "execute"


def after_steps(state: State, runtime: Runtime[Trip]) -> Literal["execute", "repair", "answer"]:
    """Run the whole only where no step is known to be wrong."""
    if state.ending:
        return "answer"
    return _repair_or_end(state, runtime) if needs_repair(state) else "execute"


def after_execute(
    state: State, runtime: Runtime[Trip]
) -> Literal["inspect", "steps", "repair", "answer"]:
    """Look at rows; mend what the engine refused."""
    if state.ending:
        return "answer"
    if state.at_hand.summary is not None:
        return "inspect"
    return "steps" if run_after(state, runtime.context) else _repair_or_end(state, runtime)


def after_inspect(state: State, runtime: Runtime[Trip]) -> Literal["steps", "repair", "answer"]:
    """Mend what cannot be right."""
    if not needs_repair(state):
        return "answer"
    return "steps" if run_after(state, runtime.context) else _repair_or_end(state, runtime)


def after_repair(state: State) -> Literal["validate", "answer"]:
    """Check the new text like the first one, or end."""
    return "answer" if state.stopped else "validate"


def _repair_or_end(state: State, runtime: Runtime[Trip]) -> Literal["repair", "answer"]:
    return "answer" if runtime.context.single_pass else "repair"


def build_graph(checkpointer: BaseCheckpointSaver[str] | None = None) -> Graph:
    """Wire the stages."""
    graph = StateGraph(State, context_schema=Trip, input_schema=Question)
    for stage in (begin, route, retrieve, generate, validate, steps, execute, inspect, repair):
        graph.add_node(stage)
    graph.add_node(answer)
    graph.set_entry_point("begin")
    graph.add_edge("begin", "route")
    graph.add_conditional_edges("route", after_route)
    graph.add_edge("retrieve", "generate")
    graph.add_conditional_edges("generate", after_generate)
    graph.add_conditional_edges("validate", after_validate)
    graph.add_conditional_edges("steps", after_steps)
    graph.add_conditional_edges("execute", after_execute)
    graph.add_conditional_edges("inspect", after_inspect)
    graph.add_conditional_edges("repair", after_repair)
    graph.set_finish_point("answer")
    return graph.compile(checkpointer=checkpointer, name="querymend")
