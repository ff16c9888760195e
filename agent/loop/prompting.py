"""From context to prompt: what the model is shown, the same way for first texts and repairs."""

import re
from collections.abc import Sequence
from dataclasses import replace

from querymend import prompts
from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.model.writer import Prompt
from querymend.prompts.rules import rules_for
from querymend.tools.chunks.ddl import create_table
from querymend.tools.chunks.untrusted import untrusted, untrusted_name
from querymend.tools.findings import Finding, acting, in_repair_order
from querymend.tools.index.model import Context, Example, ValueHit
from querymend.tools.questions.period import Period
from querymend.tools.sql.gate import admit

DIALECTS = {"duckdb": "DuckDB", "athena": "Amazon Athena (Trino)", "trino": "Trino"}
PROBLEM = 300
FACT = 1_000
"""Characters of a fact, or of an example's question, that are shown."""
_DATED = re.compile(r"date|timestamp", re.IGNORECASE)


def first_prompt(state: State, trip: Trip) -> Prompt:
    """Write the prompt for the first SQL text."""
    rendered = prompts.render("generate", **_inputs(state, trip))
    return Prompt(system=rendered.system, user=rendered.user, fingerprint=rendered.fingerprint)


def repair_prompt(state: State, trip: Trip) -> Prompt:
    """Write the prompt that shows the SQL at hand with one class of findings.

    It goes on where the first prompt ends, so the server's cache serves all of the beginning.
    """
    first = first_prompt(state, trip)
    attempt = state.at_hand
    problems = [told_problem(f) for f in one_class(attempt.findings)]
    more = prompts.render("repair", sql=attempt.sql, problems=problems)
    return Prompt(
        system=first.system,
        user=f"{first.user}\n\n{more.user}",
        kind="repair",
        fingerprint=f"{first.fingerprint} {more.fingerprint}",
    )


def one_class(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings to act on now: those of the first class in the order of repair."""
    found = acting(in_repair_order(findings))
    return [f for f in found if f.kind == found[0].kind]


def told_problem(finding: Finding) -> str:
    """Say on one line what is wrong and what to do about it."""
    hint = f" {finding.hint}" if finding.hint else ""
    return untrusted(finding.message + hint, limit=PROBLEM)


def _inputs(state: State, trip: Trip) -> dict[str, object]:
    context = state.context or Context()
    samples = trip.deps.settings.retrieval.sample_rows
    schema = "\n\n".join(create_table(t, samples=samples) for t in context.tables)
    return {
        "dialect": DIALECTS.get(trip.deps.engine.dialect, trip.deps.engine.dialect),
        "schema": schema,
        "joins": _undeclared(context),
        "facts": [untrusted(fact.text, limit=FACT) for fact in context.facts],
        "examples": [shown for s in context.examples if (shown := _example(s.example, trip))],
        "values": [_value(hit) for hit in context.values],
        "today": trip.today.isoformat(),
        "periods": [_span(p) for p in state.periods if _helps(p, context)],
        "rules": rules_for(
            trip.deps.engine.dialect,
            state.question,
            (c.type for t in context.tables for c in t.columns),
        ),
        "question": state.question,
    }


def _example(example: Example, trip: Trip) -> Example | None:
    """Return an example fit to be shown; None if the gate refuses its SQL, or it breaks a fence."""
    told = admit(
        example.sql, dialect=trip.deps.engine.dialect, catalog=trip.deps.catalog, scope=trip.scope
    )
    if told.sql is None or "```" in example.sql or "<|" in example.sql:
        return None
    return replace(example, question=untrusted(example.question, limit=FACT))


def _helps(period: Period, context: Context) -> bool:
    """Tell whether dates help to write the period.

    A plain year needs none where years are stored as numbers: they would mislead.
    """
    dated = any(_DATED.match(c.type) for t in context.tables for c in t.columns)
    return dated or period.relative or period.kind != "year"


def _span(period: Period) -> str:
    """Write a period as dates that SQL can compare with."""
    bounds = ((" from ", period.start), (" to ", period.end))
    told = "".join(f"{word}{day.isoformat()}" for word, day in bounds if day)
    return f'"{period.phrase}" is{told} inclusive'


def _undeclared(context: Context) -> list[str]:
    """Write the joins that the DDL does not show by itself."""
    shown = {
        (t.qualified_name, key.columns, key.table, key.target_columns)
        for t in context.tables
        for key in t.keys
    }
    return [
        " and ".join(
            untrusted_name(f"{join.table}.{here} = {join.target}.{there}")
            for here, there in zip(join.columns, join.target_columns, strict=True)
        )
        for join in context.joins
        if (join.table, join.columns, join.target, join.target_columns) not in shown
    ]


def _value(hit: ValueHit) -> str:
    value = untrusted(hit.value, limit=80).replace("'", "''")
    return untrusted_name(f"{hit.table}.{hit.column}") + f" has '{value}'"
