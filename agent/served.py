"""The graph that a LangGraph server runs: one node, an agent opened from the environment."""

from functools import cache

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from querymend.agent import Agent


class Conversation(TypedDict, total=False):
    """What a client puts in and gets back."""

    question: str
    answer: dict[str, object]


@cache
def _agent() -> Agent:
    """Open the warehouse of the settings, at the first question."""
    return Agent.open()


def ask(state: Conversation) -> Conversation:
    """Answer the question of the state."""
    return {"answer": dict(_agent().ask(state["question"]).to_dict())}


_builder = StateGraph(Conversation)
_builder.add_node(ask)
_builder.set_entry_point("ask")
_builder.set_finish_point("ask")
graph = _builder.compile(name="querymend")
