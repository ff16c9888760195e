"""The agent: open a warehouse once, ask it from many threads.

::

    agent = Agent.open("warehouse.duckdb")
    answer = agent.ask("Top 10 SKUs by revenue last quarter, by region?")
"""

import asyncio
import threading
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, overload

from langsmith import tracing_context

from querymend.answer import Answer
from querymend.budget import Budget, Meter
from querymend.draft import Draft
from querymend.engines import Progress
from querymend.events import Answered, Event
from querymend.loop.graph import FUSE, Graph, build_graph
from querymend.loop.state import Question
from querymend.loop.trip import Trip
from querymend.model.writer import Writer
from querymend.settings import Settings, load_settings
from querymend.tools.catalog.model import Catalog, Scope
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import QuerymendError
from querymend.tools.index.model import Fact
from querymend.tools.index.scoped import ScopedValues
from querymend.trace import Trace
from querymend.upkeep import Upkeep
from querymend.warehouse import Warehouse, open_warehouse

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import StructuredTool
    from langgraph.checkpoint.base import BaseCheckpointSaver

Now = date | Callable[[], date]
MOST_WAITING = 256
"""Answers that wait for leave are kept so long that ``approve`` finds them."""


class Agent:
    """Answers questions about one warehouse. Safe to share between threads."""

    def __init__(
        self,
        warehouse: Warehouse,
        *,
        trace: Trace | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
    ) -> None:
        self._upkeep = Upkeep(warehouse)
        self._trace = trace or Trace()
        self._checkpointed = checkpointer is not None
        self._graph: Graph = build_graph(checkpointer)
        self._waiting: OrderedDict[str, Draft] = OrderedDict()

    @classmethod
    def open(
        cls,
        source: "str | Path | Settings" = "",
        *,
        settings: Settings | None = None,
        pack: str | Path = "",
        dialect: str = "",
        writer: Writer | None = None,
        trace: str | Path | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        progress: Progress | None = None,
        log: Callable[[str], None] | None = None,
    ) -> "Agent":
        """Open a warehouse, read its catalog and bring its index up to date.

        Args:
            source: a ``.duckdb`` or ``.sqlite`` file, or a folder or glob of Parquet, CSV or JSON;
                or whole settings. Without one, what the settings or the pack say.
            settings: read from the environment where none are given.
            pack: a folder with descriptions, facts and examples, or the name of one that ships.
            dialect: ``athena`` asks local data in Athena's SQL, DuckDB standing in for Athena.
            writer: writes the SQL instead of the model that the settings choose.
            trace: a file that gets one JSON line a stage.
            checkpointer: keeps each thread's state between questions.
            progress: is told what takes long: a text, and the share done between 0 and 1.
            log: is told what a person should know, one line each.

        Raises:
            SetupError: the source, the pack, the index or the model is not as it must be.
        """
        if isinstance(source, Settings):
            settings, source = source, ""
        base = settings or load_settings()
        named = (("source", source), ("pack", pack), ("dialect", dialect.lower()))
        given = {k: str(v) for k, v in named if str(v)}
        warehouse = open_warehouse(
            base.model_copy(update=given), writer=writer, progress=progress, log=log
        )
        return cls(
            warehouse, trace=Trace(Path(trace) if trace else None), checkpointer=checkpointer
        )

    @property
    def _warehouse(self) -> Warehouse:
        return self._upkeep.warehouse

    @property
    def catalog(self) -> Catalog:
        """What the warehouse holds."""
        return self._warehouse.deps.catalog

    @property
    def engine(self) -> Engine:
        """What runs the SQL."""
        return self._warehouse.deps.engine

    @property
    def endpoint(self) -> str:
        """Which model sees the questions, the schema and the sample rows."""
        return self._warehouse.deps.writer.name

    @property
    def today(self) -> date:
        """What "today" means where a question does not say."""
        return self._warehouse.today()

    @overload
    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        run: Literal[True] = True,
        facts: Sequence[str] = (),
    ) -> Answer: ...

    @overload
    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        run: Literal[False],
        facts: Sequence[str] = (),
    ) -> Draft: ...

    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        run: bool = True,
        facts: Sequence[str] = (),
    ) -> Answer | Draft:
        """Answer a question, or say plainly why there is no answer.

        Args:
            question: one question in plain language.
            thread: names a conversation; until follow-ups come, each question stands alone.
            scope: narrows what may be used, within the settings' own scope.
            budget: what this question may spend; what it leaves open is as in the settings.
            now: what "today" means.
            run: False stops before anything runs and gives a draft.
            facts: knowledge for this question alone, one sentence each.

        Raises:
            SetupError: the model's endpoint or the engine is not set up right.
        """
        trip = self._trip(scope=scope, budget=budget, now=now, run=run, facts=facts)
        answer = self._finish(Question(question=question, id=trip.id), trip, thread)
        if run:
            return answer
        return Draft(answer, lambda sql: self._go_on(question, sql, trip, thread))

    def approve(self, answer: "Answer | str") -> Answer:
        """Give leave for the scan that an answer waits for, and go on with its SQL.

        A second call gives the same answer and runs nothing.

        Args:
            answer: one whose ``needs_approval`` is true, or its id.

        Raises:
            KeyError: no such answer waits here: it was given by another agent, or long ago.
        """
        id_ = answer if isinstance(answer, str) else answer.id
        return self._waiting[id_].run()

    def stream(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        facts: Sequence[str] = (),
    ) -> Iterator[Event]:
        """Answer a question and tell what happens meanwhile; the last event is ``Answered``.

        Leaving the iterator early cancels the question.

        Raises:
            SetupError: as ``ask``.
        """
        queue: SimpleQueue[Event | BaseException] = SimpleQueue()

        def emit(event: Event) -> None:
            if not isinstance(event, Answered):  # the last one follows when all is done
                queue.put(event)

        trip = self._trip(scope=scope, budget=budget, now=now, facts=facts, emit=emit)
        work = threading.Thread(
            target=self._work,
            args=(Question(question=question, id=trip.id), trip, thread, queue),
            daemon=True,
        )
        work.start()
        try:
            yield from _events(queue)
        finally:
            trip.meter.cancelled.set()

    async def aask(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        facts: Sequence[str] = (),
    ) -> Answer:
        """Answer like ``ask``; cancelling the task stops model and engine."""
        trip = self._trip(scope=scope, budget=budget, now=now, facts=facts)
        asked = Question(question=question, id=trip.id)
        try:
            return await asyncio.to_thread(self._finish, asked, trip, thread)
        except asyncio.CancelledError:
            trip.meter.cancelled.set()
            raise

    async def astream(
        self,
        question: str,
        *,
        thread: str | None = None,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        facts: Sequence[str] = (),
    ) -> AsyncIterator[Event]:
        """Stream like ``stream``; leaving early, or cancelling the task, stops model and engine."""
        events = self.stream(
            question, thread=thread, scope=scope, budget=budget, now=now, facts=facts
        )
        iterator = _Steps(events)
        try:
            while (event := await asyncio.to_thread(iterator.step)) is not None:
                yield event
        finally:
            iterator.leave()

    def as_node(
        self, *, question_key: str = "question", answer_key: str = "answer"
    ) -> "RunnableLambda[dict[str, object], dict[str, object]]":
        """Return a node for a host's own LangGraph: it reads a question and writes an answer.

        The answer is a plain dictionary (``Answer.to_dict``), so any checkpointer can keep it.
        """
        from querymend.embed import node_of

        return node_of(self, question_key=question_key, answer_key=answer_key)

    def as_tool(self, *, name: str = "ask_warehouse", rows: int = 20) -> "StructuredTool":
        """Return a tool for a host's own agent: question in, answer with its warnings out."""
        from querymend.embed import tool_of

        return tool_of(self, name=name, rows=rows)

    def look_at(self, *tables: str, log: Callable[[str], None] = lambda line: None) -> None:
        """Read the newest partition of some tables for the index, where scans cost money.

        What each may scan is told to ``log`` before it runs; a table that is unchanged since it
        was read is not read again.

        Raises:
            BudgetExceeded: a table is larger than ``budget.index_bytes``.
            SetupError: there is no such table, or the engine does not charge for scans.
        """
        self._upkeep.look_at(tables, log=log)

    def close(self) -> None:
        """Give back the engine and the index."""
        self._warehouse.close()

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _trip(
        self,
        *,
        scope: Scope | None = None,
        budget: Budget | None = None,
        now: date | None = None,
        run: bool = True,
        facts: Sequence[str] = (),
        emit: Callable[[Event], None] = lambda event: None,
    ) -> Trip:
        told = self._upkeep.in_step()
        deps = self._warehouse.deps
        allowed = both(deps.settings.allowed(), scope, deps.catalog)
        catalog = deps.catalog.within(allowed)
        standard = deps.settings.budget.budget(local=self._warehouse.local_model)
        return Trip(
            id=uuid.uuid4().hex[:12],
            deps=deps,
            catalog=catalog,
            values=ScopedValues(deps.values, catalog) if allowed else deps.values,
            scope=allowed,
            meter=Meter(budget=(budget or Budget()).over(standard)),
            today=now or self.today,
            today_set=bool(now or self._warehouse.pinned_today),
            facts=tuple(Fact(id=f"given-{i}", text=text) for i, text in enumerate(facts, 1)),
            run=run,
            told=told,
            emit=emit,
            trace=self._trace,
        )

    def _finish(self, asked: Question, trip: Trip, thread: str | None) -> Answer:
        """Run the graph to its end."""
        names = {"thread_id": thread or trip.id}
        try:
            with tracing_context(enabled=False):  # a LANGSMITH_ variable would send rows out
                out = self._graph.invoke(
                    asked,
                    {"configurable": names, "recursion_limit": FUSE},
                    context=trip,
                )
        except KeyboardInterrupt:
            trip.meter.cancelled.set()
            raise
        answer = out["answer"]
        if not isinstance(answer, Answer):
            raise QuerymendError("The trip ended without an answer.")
        if answer.needs_approval:
            self._keep_waiting(answer, trip, thread)
        return answer

    def _keep_waiting(self, answer: Answer, trip: Trip, thread: str | None) -> None:
        """Keep what is needed to go on, for the last so many answers that wait."""
        go_on = partial(self._go_on, answer.question, draft=trip, thread=thread)
        self._waiting[answer.id] = Draft(answer, go_on)
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)

    def _go_on(self, question: str, sql: str, draft: Trip, thread: str | None) -> Answer:
        """Run a draft: from the gate on, with what is left of its model calls.

        Whoever goes on has seen the estimate: it gives leave for a scan of that size.
        """
        seen = draft.estimates.get(sql)
        leave = seen.bytes if seen else None
        budget = replace(draft.meter.budget, approval_bytes=leave)
        trip = replace(draft, run=True, meter=Meter(budget=budget))
        return self._finish(Question(question=question, id=trip.id, given_sql=sql), trip, thread)

    def _work(
        self,
        asked: Question,
        trip: Trip,
        thread: str | None,
        queue: "SimpleQueue[Event | BaseException]",
    ) -> None:
        try:
            queue.put(Answered(answer=self._finish(asked, trip, thread)))
        except BaseException as error:  # handed to the reader of the stream
            queue.put(error)


def both(one: Scope | None, other: Scope | None, catalog: Catalog) -> Scope | None:
    """Return what two scopes both allow; None allows everything."""
    if one is None or other is None:
        return one or other
    narrowed = catalog.within(one).within(other)
    return Scope(
        tables={
            t.qualified_name: tuple(c.name for c in t.columns) for t in narrowed.tables if t.columns
        }
    )


def _events(queue: "SimpleQueue[Event | BaseException]") -> Iterator[Event]:
    while True:
        event = queue.get()
        if isinstance(event, BaseException):
            raise event
        yield event
        if isinstance(event, Answered):
            return


class _Steps:
    """Steps through a generator from other threads, one step at a time."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events

    def step(self) -> Event | None:
        """Return the next event, or None at the end."""
        return next(self._events, None)

    def leave(self) -> None:
        """End the generator, unless another thread is in it and will see it through."""
        with suppress(ValueError):
            self._events.close()  # type: ignore[attr-defined]
