"""What ``check`` says: the gate's findings, and with a catalog the checks' too."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from querymend.cli.statements import Statement
from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding, in_repair_order
from querymend.tools.results.plain import plain
from querymend.tools.sql.checks import check
from querymend.tools.sql.parse import DIALECTS


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Judges statements against one source of tables."""

    dialect: str
    catalog: Callable[[Statement], Catalog | None]

    def findings(self, statement: Statement) -> list[Finding]:
        """Return every finding, gravest first; one of severity ``block`` refuses."""
        dialect = _known(statement.dialect or self.dialect)
        catalog = self.catalog(statement)
        return in_repair_order(check(statement.sql, dialect=dialect, catalog=catalog))


def judge(*, source: str, schema: Path | None, database: str, dialect: str) -> Judge:
    """Return the judge for what the command line names.

    Raises:
        SetupError: the source or the schema file cannot be opened.
    """
    dialect = _known(dialect or "duckdb")
    if schema is not None:
        from querymend.cli.schema_file import read_schema

        file = read_schema(schema)
        return Judge(dialect=dialect, catalog=lambda s: file.catalog(s.sql, s.db or database))
    catalog = _catalog_of(source) if source else None
    return Judge(dialect=dialect, catalog=lambda _: catalog)


def refused(findings: Iterable[Finding]) -> bool:
    """Tell whether these findings refuse a statement."""
    return any(f.severity == "block" for f in findings)


def answer_lines(judge: Judge, statements: Iterable[Statement]) -> bool:
    """Print a verdict a line, as they come; tell whether all were accepted."""
    accepted = True
    for statement in statements:
        findings = judge.findings(statement)
        accepted = accepted and not refused(findings)
        print(_line(findings), flush=True)  # noqa: T201  ten thousand lines: typer.echo is slow
    return accepted


def answer_one(judge: Judge, statement: Statement, *, as_json: bool) -> bool:
    """Print one verdict, as JSON or for people; tell whether it was accepted."""
    findings = judge.findings(statement)
    if as_json:
        typer.echo(_line(findings))
    else:
        from rich.console import Console

        from querymend.cli.show import show_findings

        console = Console()
        console.print("[bold red]refused" if refused(findings) else "[bold green]accepted")
        show_findings(console, findings)
    return not refused(findings)


def _line(findings: list[Finding]) -> str:
    verdict = "refuse" if refused(findings) else "accept"
    return json.dumps({"verdict": verdict, "findings": plain(findings)}, ensure_ascii=False)


def _catalog_of(source: str) -> Catalog:
    from querymend.engines import open_engine
    from querymend.settings import load_settings

    engine = open_engine(source, load_settings())
    try:
        return engine.catalog()
    finally:
        engine.close()


def _known(dialect: str) -> str:
    if dialect.lower() not in DIALECTS:
        known = ", ".join(DIALECTS)
        raise typer.BadParameter(f"{dialect!r} is none of {known}.", param_hint="--dialect")
    return dialect.lower()
