"""The agent inside a host's own graph or agent: as a node, as a tool."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from querymend.answer import Answer
from querymend.tools.results.plain import plain

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import StructuredTool

    from querymend.agent import Agent

DESCRIPTION = (
    "Answers a question about the warehouse in plain language. Gives the answer's text, its rows "
    "and its outcome; tell the user every warning, and never present a refused or failed answer "
    "as a number."
)


class _Asked(BaseModel):
    question: str = Field(description="One question in plain language, complete in itself.")


def node_of(
    agent: "Agent", *, question_key: str, answer_key: str
) -> "RunnableLambda[dict[str, object], dict[str, object]]":
    """Return a node that reads a question from the host's state and writes the answer."""
    from langchain_core.runnables import RunnableLambda

    def ask(state: dict[str, object]) -> dict[str, object]:
        return {answer_key: agent.ask(str(state[question_key])).to_dict()}

    async def aask(state: dict[str, object]) -> dict[str, object]:
        answer = await agent.aask(str(state[question_key]))
        return {answer_key: answer.to_dict()}

    return RunnableLambda(ask, afunc=aask, name="querymend")


def tool_of(agent: "Agent", *, name: str, rows: int) -> "StructuredTool":
    """Return a tool; the model reads the summary, the host finds the answer as the artifact."""
    from langchain_core.tools import StructuredTool

    def ask(question: str) -> tuple[dict[str, object], Answer]:
        answer = agent.ask(question)
        return summary_of(answer, rows=rows), answer

    async def aask(question: str) -> tuple[dict[str, object], Answer]:
        answer = await agent.aask(question)
        return summary_of(answer, rows=rows), answer

    return StructuredTool.from_function(
        func=ask,
        coroutine=aask,
        name=name,
        description=DESCRIPTION,
        args_schema=_Asked,
        response_format="content_and_artifact",
    )


def summary_of(answer: Answer, *, rows: int) -> dict[str, object]:
    """Return what a host's model should read of an answer: few rows, every warning."""
    return {
        "outcome": answer.outcome,
        "text": answer.text,
        "columns": [c.name for c in answer.columns],
        "rows": plain(answer.rows[:rows]),
        "rows_in_all": None if answer.truncated else len(answer.rows),
        "warnings": [f.message for f in answer.warnings],
        "assumptions": list(answer.assumptions),
        "sql": answer.sql,
    }
