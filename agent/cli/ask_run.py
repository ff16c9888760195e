"""Ask one question from the command line and show what comes of it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from querymend.cli.endpoint import endpoint_line
from querymend.cli.exits import OUTCOMES
from querymend.cli.opening import Opening, opening, settings_from
from querymend.settings import Settings

if TYPE_CHECKING:
    from querymend.agent import Agent
    from querymend.answer import Answer
    from querymend.budget import Budget
    from querymend.tools.catalog.model import Catalog, Scope

OpenAgent = Callable[[Settings, Opening, Path | None], "Agent"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line asked for."""

    question: str
    source: str = ""
    pack: str = ""
    as_json: bool = False
    no_run: bool = False
    approve: bool = False
    trace: Path | None = None
    max_repairs: int | None = None
    rows: int | None = None
    seconds: float | None = None
    scope: tuple[str, ...] = ()
    now: date | None = None


def open_agent(settings: Settings, shown: Opening, trace: Path | None) -> "Agent":
    """Open the agent of the settings; this is what takes the heavy imports."""
    from querymend.agent import Agent

    return Agent.open(settings, trace=trace, log=shown.log, progress=shown.progress)


def ask_and_show(asked: Asked, *, open_agent: OpenAgent = open_agent) -> None:
    """Ask, show stages and answer, and exit by the outcome.

    Args:
        asked: the question and the options.
        open_agent: opens what is asked.
    """
    settings = settings_from(source=asked.source, pack=asked.pack)
    console = Console(stderr=asked.as_json)
    console.print(endpoint_line(settings), markup=False, highlight=False, soft_wrap=True)
    with opening(console) as shown:
        agent = open_agent(settings, shown, asked.trace)
    with agent:
        answer = _draft(agent, asked) if asked.no_run else _answer(agent, asked, console)
    show(answer, asked, console)
    if code := OUTCOMES.get(answer.outcome):
        raise typer.Exit(code)


def show(answer: "Answer", asked: Asked, console: Console) -> None:
    """Print the answer, as JSON or for people."""
    from querymend.cli.show import SHOWN_ROWS, show_answer

    if asked.as_json:
        typer.echo(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2))
        return
    if asked.no_run and answer.outcome not in OUTCOMES:
        console.print("Nothing ran (--no-run).", style="dim")
    show_answer(console, answer, rows=asked.rows or SHOWN_ROWS)


def _answer(agent: "Agent", asked: Asked, console: Console) -> "Answer":
    from querymend.cli.stages import Stages
    from querymend.tools.errors import QuerymendError

    events = agent.stream(
        asked.question,
        scope=scope_of(asked.scope, agent.catalog),
        budget=_budget(asked),
        now=asked.now,
    )
    answer = Stages(console).follow(events)
    if answer is None:
        raise QuerymendError("The question ended without an answer.")
    if answer.needs_approval and (asked.approve or _agrees(answer, asked, console)):
        return agent.approve(answer)
    return answer


def _agrees(answer: "Answer", asked: Asked, console: Console) -> bool:
    """Ask the person at the terminal for leave to scan; nobody else is asked."""
    if asked.as_json or not console.is_terminal:
        return False
    show(answer, asked, console)
    return typer.confirm("Run it?", default=False)


def _draft(agent: "Agent", asked: Asked) -> "Answer":
    draft = agent.ask(
        asked.question,
        scope=scope_of(asked.scope, agent.catalog),
        budget=_budget(asked),
        now=asked.now,
        run=False,
    )
    return draft.answer


def _budget(asked: Asked) -> "Budget":
    from querymend.budget import Budget

    return Budget(max_repairs=asked.max_repairs, rows=asked.rows, seconds=asked.seconds)


def scope_of(names: Sequence[str], catalog: "Catalog") -> "Scope | None":
    """Read ``table`` and ``table.column`` names as a scope; None without any.

    Raises:
        typer.BadParameter: a name is neither a table nor a column of one.
    """
    from querymend.tools.catalog.model import Scope

    tables: dict[str, tuple[str, ...]] = {}
    whole: set[str] = set()
    for name in (part.strip() for text in names for part in text.split(",") if part.strip()):
        table, column = _named(name, catalog)
        tables[table] = (*tables.get(table, ()), *((column,) if column else ()))
        whole |= set() if column else {table}
    allowed = {t: () if t in whole else columns for t, columns in tables.items()}
    return Scope(tables=allowed) if allowed else None


def _named(name: str, catalog: "Catalog") -> tuple[str, str]:
    if table := catalog.table(name):
        return table.qualified_name, ""
    owner, _, bare = name.rpartition(".")
    table = catalog.table(owner) if owner else None
    column = table.column(bare) if table else None
    if table is None or column is None:
        known = ", ".join(t.qualified_name for t in catalog.tables[:12])
        raise typer.BadParameter(
            f"{name!r} is no table and no table.column. Tables: {known}.", param_hint="--scope"
        )
    return table.qualified_name, column.name
