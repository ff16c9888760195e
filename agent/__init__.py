"""QueryMend answers questions about a warehouse, and is never silently wrong.

::

    from querymend import Agent

    agent = Agent.open("warehouse.duckdb")
    print(agent.ask("How many orders were placed last month?").text)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from querymend.agent import Agent
    from querymend.answer import Answer, Attempt, Cost, Source
    from querymend.budget import Budget
    from querymend.draft import Draft
    from querymend.events import (
        Answered,
        Event,
        FindingMade,
        RowsReturned,
        SqlWritten,
        StageStarted,
        Token,
    )
    from querymend.settings import Settings
    from querymend.tools.catalog.model import Scope
    from querymend.tools.errors import (
        AccessDenied,
        BudgetExceeded,
        EngineUnavailable,
        ModelUnavailable,
        QueryError,
        QuerymendError,
        SetupError,
    )
    from querymend.tools.findings import Finding

_HOMES = {
    "Agent": "agent",
    "Answer": "answer",
    "Attempt": "answer",
    "Cost": "answer",
    "Source": "answer",
    "Budget": "budget",
    "Draft": "draft",
    "Answered": "events",
    "Event": "events",
    "FindingMade": "events",
    "RowsReturned": "events",
    "SqlWritten": "events",
    "StageStarted": "events",
    "Token": "events",
    "Settings": "settings",
    "Scope": "tools.catalog.model",
    "AccessDenied": "tools.errors",
    "BudgetExceeded": "tools.errors",
    "EngineUnavailable": "tools.errors",
    "ModelUnavailable": "tools.errors",
    "QuerymendError": "tools.errors",
    "QueryError": "tools.errors",
    "SetupError": "tools.errors",
    "Finding": "tools.findings",
}

__all__ = [
    "AccessDenied",
    "Agent",
    "Answer",
    "Answered",
    "Attempt",
    "Budget",
    "BudgetExceeded",
    "Cost",
    "Draft",
    "EngineUnavailable",
    "Event",
    "Finding",
    "FindingMade",
    "ModelUnavailable",
    "QueryError",
    "QuerymendError",
    "RowsReturned",
    "Scope",
    "Settings",
    "SetupError",
    "Source",
    "SqlWritten",
    "StageStarted",
    "Token",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: the libraries beneath are slow to load."""
    if name not in _HOMES:
        raise AttributeError(f"module 'querymend' has no attribute {name!r}")
    value: object = getattr(import_module(f"querymend.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
