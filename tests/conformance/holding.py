"""Asks Trino about statements, and holds records, stand-in and checks against what it says now."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cases import Case, Said, ask, verdict
from data import Statements, Tables
from judging import Judged, is_as_recorded, judge, judge_verdict
from loading import Trino
from ties import Ask, is_tie

from querymend.tools.engines.trino.opening import open_trino

AT_ONCE = 12
"""Statements that Trino works on at a time."""
Asked = list[tuple[Case, Said]]


@dataclass(frozen=True, kw_only=True)
class Held:
    """Statements that were judged."""

    judged: list[Judged]
    drifted: list[Case]
    """Of which Trino says now what was not said before."""


def asked(server: Trino, statements: Statements) -> Asked:
    """Load the tables, and return what Trino says of each statement now."""
    statements.tables.into_trino(server)
    engine = open_trino(server.url(statements.tables.schema))

    def put(pair: tuple[Case, Said | None]) -> Said:
        case, then = pair
        said = Said() if statements.run else verdict(engine, case.sql)
        failed = then is not None and then.error and not said.error  # only when it ran
        return ask(engine, case.sql) if statements.run or failed else said

    cases = [case for case, _ in statements.pairs]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(zip(cases, pool.map(put, statements.pairs), strict=True))


def held(server: Trino, statements: Statements, scratch: Path) -> Held:
    """Ask Trino, and judge."""
    said = asked(server, statements)
    return Held(
        judged=judged(statements.tables, said, scratch, run=statements.run),
        drifted=drifted(statements, said, asking(server, statements)),
    )


def judged(tables: Tables, said: Asked, scratch: Path, *, run: bool = True) -> list[Judged]:
    """Hold stand-in and checks, or the checks alone, against what Trino said."""
    with closing(tables.stand_in(scratch)) as engine:
        return [(judge if run else judge_verdict)(case, answer, engine) for case, answer in said]


def drifted(statements: Statements, said: Asked, ask_again: Ask) -> list[Case]:
    """Return the statements of which something else was said before.

    Args:
        statements: with what was said.
        said: what Trino says now.
        ask_again: asks Trino, where a choice between equal sort keys may be all that differs.
    """
    before = (then for _, then in statements.pairs)
    changed = [
        (case, then)
        for then, (case, now) in zip(before, said, strict=True)
        if then is not None
        and not case.free
        and not is_as_recorded(then, now, ordered=case.ordered, run=statements.run)
    ]
    return [c for c, then in changed if then.error or not is_tie(c, then, ask_again)]


def asking(server: Trino, statements: Statements) -> Ask:
    """Return what asks Trino about these tables."""
    engine = open_trino(server.url(statements.tables.schema))
    return lambda sql: ask(engine, sql)


def together(parts: Iterable[Held]) -> Held:
    """Put what was held apart into one."""
    every = list(parts)
    return Held(
        judged=[j for part in every for j in part.judged],
        drifted=[c for part in every for c in part.drifted],
    )
