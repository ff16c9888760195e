import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.messages import ToolCall
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from querymend import Agent, Answer, Answered, Budget, Scope, Settings, SetupError
from querymend.testing import ScriptedModel

Make = Callable[..., Agent]
COUNT = "SELECT COUNT(*) AS orders FROM orders"
BY_REGION = (
    "SELECT c.region, SUM(o.amount) AS total FROM orders o"
    " JOIN customers c ON c.id = o.customer_id GROUP BY c.region"
)


def test_an_answer_is_json_with_all_of_its_parts(ask: Make) -> None:
    answer = ask(BY_REGION).ask("What is the total amount by region?")
    told = json.loads(answer.to_json())
    assert told["rows"] == [["EMEA", "160.00"], ["APAC", "25.00"]] or len(told["rows"]) == 2
    assert {"id", "outcome", "sql", "findings", "assumptions", "sources", "attempts"} <= set(told)
    assert told["cost"]["model_calls"] == 1
    assert told["sources"][0]["text"] == answer.sql


def test_one_agent_serves_many_questions_at_once(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(COUNT))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(agent.ask, ["How many orders are there?"] * 16))
    assert {a.rows for a in answers} == {((4,),)}
    assert len({a.id for a in answers}) == 16


def test_a_stream_tells_stages_sql_and_rows_and_ends_with_the_answer(ask: Make) -> None:
    events = list(ask(COUNT).stream("How many orders are there?"))
    names = [type(e).__name__ for e in events]
    assert names[0] == "StageStarted"
    assert names.index("SqlWritten") < names.index("RowsReturned") < names.index("Answered")
    assert isinstance(events[-1], Answered)
    assert events[-1].answer.rows == ((4,),)


def test_a_stream_hands_over_the_error_that_ended_it(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(SetupError("no key")))
    with pytest.raises(SetupError, match="no key"):
        list(agent.stream("How many orders are there?"))


async def test_async_callers_get_the_same_answer(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(COUNT))
    answer = await agent.aask("How many orders are there?")
    events = [e async for e in agent.astream("How many orders are there?")]
    assert isinstance(events[-1], Answered)
    assert answer.rows == events[-1].answer.rows == ((4,),)


async def test_a_cancelled_caller_stops_the_question(ask: Make) -> None:
    started, ended = asyncio.Event(), []
    loop = asyncio.get_running_loop()

    class Slow(ScriptedModel):
        def write(self, prompt, *, seconds=60.0, cancelled=None, on_token=None):  # type: ignore[no-untyped-def]
            loop.call_soon_threadsafe(started.set)
            while not cancelled():
                pass
            ended.append(True)
            return super().write(prompt, seconds=seconds)

    agent = ask(Slow(COUNT))
    task = asyncio.create_task(agent.aask("How many orders are there?"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(lambda: [None for _ in iter(lambda: bool(ended), True)])
    assert ended == [True]


def test_a_table_outside_the_scope_is_as_if_it_were_not_there(ask: Make) -> None:
    agent = ask(ScriptedModel.forever("SELECT COUNT(*) FROM customers"))
    answer = agent.ask("How many customers are there?", scope=Scope.of("orders"))
    shown = agent._warehouse.deps.writer.prompts[0].user  # type: ignore[attr-defined]
    assert answer.outcome in ("refused", "failed")
    assert answer.rows == ()
    assert "customers" not in shown.split("Question:")[0]


def test_a_star_gives_only_the_columns_of_the_scope(ask: Make) -> None:
    scope = Scope(tables={"customers": ("id", "region")})
    answer = ask("SELECT * FROM customers").ask("List all customers.", scope=scope)
    assert [c.name for c in answer.columns] == ["id", "region"]


def test_a_call_can_narrow_the_settings_scope_but_not_widen_it(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(COUNT), scope={"customers": []})
    answer = agent.ask("How many orders are there?", scope=Scope.of("orders", "customers"))
    assert answer.rows == ()


def test_facts_given_with_a_question_are_shown_for_it_alone(ask: Make) -> None:
    model = ScriptedModel.forever(COUNT)
    agent = ask(model)
    agent.ask("How many orders are there?", facts=["A gizmo is an order."])
    agent.ask("How many orders are there?")
    assert "A gizmo is an order." in model.prompts[0].user
    assert "gizmo" not in model.prompts[1].user


def test_the_row_budget_truncates_and_says_so(ask: Make) -> None:
    answer = ask("SELECT id FROM orders").ask("List all order ids.", budget=Budget(rows=2))
    assert (len(answer.rows), answer.truncated) == (2, True)
    assert "first 2" in answer.text


def test_a_host_graph_takes_the_agent_as_a_node(ask: Make) -> None:
    class Host(TypedDict, total=False):
        question: str
        answer: dict[str, object]

    graph = StateGraph(Host)
    graph.add_node("ask", ask(COUNT).as_node())
    graph.set_entry_point("ask")
    graph.set_finish_point("ask")
    out = graph.compile().invoke({"question": "How many orders are there?"})
    assert out["answer"]["rows"] == [[4]]


def test_a_host_agent_takes_it_as_a_tool_and_finds_the_answer_as_artifact(ask: Make) -> None:
    tool = ask(COUNT).as_tool()
    call = ToolCall(name=tool.name, args={"question": "How many orders?"}, id="1", type="tool_call")
    message = tool.invoke(call)
    assert isinstance(message.artifact, Answer)
    assert json.loads(message.content)["rows"] == [[4]]


@pytest.mark.parametrize("question", ["", "   \n", "x" * 50_000])
def test_a_question_that_cannot_be_read_is_refused_and_costs_nothing(
    ask: Make, question: str
) -> None:
    answer = ask(COUNT).ask(question)
    assert (answer.outcome, answer.cost.model_calls, answer.cost.queries) == ("refused", 0, 0)
    assert len(answer.text) < 300


@pytest.mark.parametrize(
    "reply", ["", "I cannot help with that.", "```python\nprint(1)\n```", "```sql\nSELECT a FR"]
)
def test_replies_without_sql_end_in_a_plain_failure(ask: Make, reply: str) -> None:
    answer = ask(ScriptedModel.forever(reply)).ask("How many orders are there?")
    assert answer.outcome in ("failed", "refused")
    assert answer.rows == ()
    assert answer.text


def test_opening_again_reads_nothing_and_a_changed_pack_indexes_what_changed(
    settings: Settings, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    facts = pack / "facts.yaml"
    facts.write_text("- {id: net, text: Amounts are net of VAT.}\n")
    opened = [Agent.open(settings, pack=pack, writer=ScriptedModel()) for _ in range(2)]
    facts.write_text("- {id: net, text: Amounts hold VAT.}\n")
    opened.append(Agent.open(settings, pack=pack, writer=ScriptedModel()))
    reports = [a._warehouse.report for a in opened]
    assert reports[0] is not None
    assert reports[1] is None
    assert reports[2] is not None
    assert (reports[2].changed, reports[2].added, reports[2].deleted) == (1, 0, 0)


def test_private_values_are_in_no_index_prompt_trace_or_log(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "catalog.yaml").write_text(
        "tables: {customers: {columns: {email: {private: true, description: Contact.}}}}\n"
    )
    model = ScriptedModel.forever("SELECT name, CAST(email AS INTEGER) FROM customers")
    cache, trace = tmp_path / "cache", tmp_path / "trace.jsonl"
    changed = settings.model_copy(update={"cache_dir": cache})
    caplog.set_level("DEBUG")
    with Agent.open(changed, pack=pack, writer=model, trace=trace) as agent:
        agent.ask("What are the names and e-mail numbers of our customers?")
    kept = b"".join(p.read_bytes() for p in cache.rglob("*") if p.is_file())
    prompts = " ".join(p.system + p.user for p in model.prompts)
    assert model.prompts
    assert b"canary" not in kept
    assert "canary" not in prompts + trace.read_text() + caplog.text
