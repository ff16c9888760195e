"""Statements through gate and engine, their rows shown or written as JSON lines."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import typer

from querymend.cli.exits import REFUSED
from querymend.cli.statements import Statement
from querymend.cli.values import result_line
from querymend.engines import open_engine
from querymend.settings import Settings, load_settings
from querymend.tools.catalog.model import Catalog, Scope
from querymend.tools.engines.engine import Engine, Limits, Result
from querymend.tools.errors import QuerymendError, SetupError
from querymend.tools.findings import Finding
from querymend.tools.results.plain import Plain
from querymend.tools.sql.gate import admit


@dataclass(frozen=True, kw_only=True)
class Runner:
    """One engine, and what one statement may take."""

    engine: Engine
    catalog: Catalog
    limits: Limits
    scope: Scope | None = None

    @classmethod
    def open(
        cls, source: str, *, dialect: str, rows: int | None, seconds: float, database: str = ""
    ) -> "Runner":
        """Open the source that the command line or the settings name.

        Raises:
            SetupError: there is none, it cannot be opened, or it speaks another dialect.
        """
        settings = _asked(load_settings(), dialect, database)
        where = source or settings.source
        if not where:
            raise SetupError(
                "Name the database: querymend run SOURCE STATEMENT, or --source.",
                setting="QUERYMEND_SOURCE",
            )
        engine = open_engine(where, settings)
        if dialect and dialect.lower() != engine.dialect:
            engine.close()
            raise SetupError(
                f"{engine.name} takes {engine.dialect} SQL, not {dialect}. Leave --dialect out,"
                " or name athena: DuckDB then stands in for Athena."
            )
        return cls(
            engine=engine,
            catalog=engine.catalog(),
            limits=Limits(rows=rows, seconds=seconds, bytes=settings.budget.bytes),
            scope=settings.allowed(),
        )

    def run(self, statement: Statement) -> Result | tuple[Finding, ...]:
        """Return the statement's rows, or the findings for which the gate refuses it.

        Raises:
            QuerymendError: the engine refuses it or is not there.
        """
        self._refuse_other_dialect(statement)
        verdict = admit(
            statement.sql, dialect=self.engine.dialect, catalog=self.catalog, scope=self.scope
        )
        if verdict.sql is None:
            return verdict.findings
        return self.engine.run(verdict.sql, limits=self.limits)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def _refuse_other_dialect(self, statement: Statement) -> None:
        if statement.dialect and statement.dialect.lower() != self.engine.dialect:
            raise SetupError(
                f"{self.engine.name} takes {self.engine.dialect} SQL, not {statement.dialect}."
            )


def _asked(settings: Settings, dialect: str, database: str) -> Settings:
    """Return the settings with what the command line says."""
    given: dict[str, object] = {}
    if dialect.lower() == "athena":
        given["dialect"] = "athena"
    if database:
        given["athena"] = settings.athena.model_copy(update={"databases": [database]})
    return settings.model_copy(update=given)


def run_lines(runner: Runner, statements: Iterable[Statement]) -> None:
    """Print a line for each statement, as it is done; errors are lines too."""
    for statement in statements:
        print(json.dumps(_line(runner, statement), ensure_ascii=False), flush=True)  # noqa: T201


def run_one(runner: Runner, statement: Statement, *, as_json: bool) -> None:
    """Print the rows of one statement.

    Raises:
        QuerymendError: the engine refuses it or is not there.
    """
    found = runner.run(statement)
    if as_json:
        typer.echo(json.dumps(_as_line(runner, found), ensure_ascii=False))
    else:
        _show(found)
    if not isinstance(found, Result):
        raise typer.Exit(REFUSED)


def _show(found: Result | tuple[Finding, ...]) -> None:
    from rich.console import Console

    from querymend.cli.show import show_findings, show_rows

    console = Console()
    if isinstance(found, Result):
        most = len(found.rows)
        show_rows(console, found.columns, found.rows, truncated=found.truncated, most=most)
    else:
        console.print("[bold red]refused")
        show_findings(console, found)


def _line(runner: Runner, statement: Statement) -> dict[str, Plain]:
    try:
        return _as_line(runner, runner.run(statement))
    except QuerymendError as error:
        name = getattr(error, "code", "") or type(error).__name__
        return _error(name, str(error))


def _as_line(runner: Runner, found: Result | tuple[Finding, ...]) -> dict[str, Plain]:
    if isinstance(found, Result):
        line = result_line(found, runner.engine.dialect)
        return {**line, "truncated": True} if found.truncated else line
    blocking = [f for f in found if f.severity == "block"]
    return _error(blocking[0].code, " ".join(f.message for f in blocking))


def _error(name: str, message: str) -> dict[str, Plain]:
    return {"error": {"name": name, "message": message}}
