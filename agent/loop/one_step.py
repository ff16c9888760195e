"""Mending one step of a statement alone: by rule, or by the model, which sees what is made."""

from dataclasses import replace

from sqlglot import exp

from querymend import prompts
from querymend.answer import Attempt
from querymend.loop.calling import call_model
from querymend.loop.execute import fetch
from querymend.loop.prompting import first_prompt, told_problem
from querymend.loop.state import State
from querymend.loop.stepwise import bounded, first_at_fault
from querymend.loop.trial import perhaps
from querymend.loop.trip import Trip
from querymend.model.reply import read_reply
from querymend.model.writer import Prompt
from querymend.tools.catalog.model import Table
from querymend.tools.chunks.ddl import create_table, names
from querymend.tools.chunks.untrusted import untrusted_name
from querymend.tools.errors import QueryError
from querymend.tools.findings import Finding, acting
from querymend.tools.steps.build import Build
from querymend.tools.steps.offers import offered


def mend_step(state: State, trip: Trip) -> Attempt | None:
    """Let the rules mend the first step that is at fault, and leave the others as they are.

    A search over the whole statement gives up where several steps are at fault; one step alone is
    within its reach.

    Raises:
        Final: the budget is spent, or access is denied.
        EngineUnavailable: the engine stayed away.
    """
    found = _at_fault(state, trip)
    if found is None:
        return None
    build, place, findings = found
    alone = Attempt(sql=build.upto(place), author="model", findings=findings)
    mended = perhaps(alone, replace(state, attempts=(alone,)), trip)
    made = Build.of(mended.sql, build.dialect) if mended else None
    if mended is None or made is None:
        return None
    sql = build.put(place, made).sql(pretty=True)
    if sql in {a.sql for a in state.attempts}:
        return None
    name = build.steps[place].name
    return replace(mended, sql=sql, reason=f"step {name}: {mended.reason}")


def write_step(state: State, trip: Trip) -> Attempt | None:
    """Ask the model for the step at fault alone, and put what it writes in its place.

    Raises:
        ModelUnavailable: it stayed away after the retries.
        BudgetExceeded: no call or no time is left.
    """
    found = _at_fault(state, trip) if trip.run else None
    if found is None:
        return None
    build, place, findings = found
    written = call_model(trip, _prompt(build, place, findings, state, trip))
    reply = read_reply(written.text, finished=written.finished)
    made = Build.of(reply.sql, build.dialect) if reply.sql and not reply.reason else None
    if made is None:
        return None
    sql = build.put(place, _alone(made, build, place)).sql(pretty=True)
    name = build.steps[place].name or "last"
    why = f"step {name}: {'; '.join(dict.fromkeys(f.message for f in findings))}"
    return Attempt(sql=sql, author="model", reason=why)


def _at_fault(state: State, trip: Trip) -> tuple[Build, int, tuple[Finding, ...]] | None:
    """Return the statement at hand as steps with the first one that is at fault."""
    attempt = state.at_hand
    build = Build.of(attempt.sql, trip.deps.engine.dialect) if attempt.sql else None
    if build is None or not trip.deps.settings.steps or not _in_steps(build, state):
        return None
    found = first_at_fault(build, trip) or _told(build, attempt)
    return (build, *found) if found else None


def _in_steps(build: Build, state: State) -> bool:
    """Tell whether the question has several steps, or whoever wrote the text named some."""
    asked = state.expectation is not None and state.expectation.steps is not None
    before = build.steps[:-1]
    return bool(before) and (asked or any(not s.lifted for s in before))


def _told(build: Build, attempt: Attempt) -> tuple[int, tuple[Finding, ...]] | None:
    """Return the step that a run has found at fault."""
    names = [s.name.lower() for s in build.steps]
    for finding in acting(attempt.findings):
        if finding.step.lower() in names[:-1]:
            return names.index(finding.step.lower()), (finding,)
    return None


def _alone(made: Build, build: Build, place: int) -> Build:
    """Take of a reply the step that was asked for; steps that are made stay as they are."""
    wanted = build.steps[place].name.lower()
    mine = [i for i, s in enumerate(made.steps) if s.name.lower() == wanted]
    end = mine[0] if mine else len(made.steps) - 1
    kept = {s.name.lower() for s in build.steps[:place]}
    new = tuple(s for s in made.steps[:end] if s.name.lower() not in kept)
    return replace(made, steps=(*new, replace(made.steps[end], name="")))


def _prompt(
    build: Build, place: int, findings: tuple[Finding, ...], state: State, trip: Trip
) -> Prompt:
    """Go on where the first prompt ends: the server's cache serves all of the beginning."""
    first = first_prompt(state, trip)
    more = prompts.render(
        "step",
        made="\n".join(create_table(t, samples=2) for t in _made(build, place, trip)),
        step=untrusted_name(build.steps[place].name),
        columns=names(_columns(build, place)),
        problems=list(dict.fromkeys(told_problem(f) for f in findings)),
    )
    return Prompt(
        system=first.system,
        user=f"{first.user}\n\n{more.user}",
        kind="step",
        fingerprint=f"{first.fingerprint} {more.fingerprint}",
    )


def _made(build: Build, place: int, trip: Trip) -> list[Table]:
    """Return the steps before one as tables, each run bounded."""
    tables = []
    for earlier in range(place):
        sql = bounded(build.upto(earlier), trip)
        try:
            tables.append(offered(build, earlier, fetch(sql, trip), trip.catalog))
        except QueryError as error:
            trip.note("step", step=build.steps[earlier].name, error=str(error))
    return tables


def _columns(build: Build, place: int) -> list[str]:
    """Return what a step is called upon to offer: the names of its select list."""
    step = build.steps[place]
    shown = step.tree.selects if step.name and isinstance(step.tree, exp.Query) else []
    return list(step.columns) or [n for e in shown if (n := e.alias_or_name) and n != "*"]
