"""``querymend check``: the gate and the checks, for people and scripts."""

from pathlib import Path
from typing import Annotated

import typer

from querymend.cli.exits import BELOW

Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE] [STATEMENT]",
        help="The statement (stdin without it), and before it the database, as with --source.",
        show_default=False,
    ),
]
Jsonl = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help='Statements, one JSON object with a "sql" a line; - is stdin.'
    ),
]
Source = Annotated[str, typer.Option("--source", "-s", help="The database it is about.")]


def check(
    arguments: Arguments = None,
    jsonl: Jsonl = None,
    source: Source = "",
    schema: Annotated[
        Path | None,
        typer.Option(help="A JSON file instead of a database: database, table, column, type."),
    ] = None,
    database: Annotated[
        str, typer.Option(help="Where unqualified names belong; else the first in the file.")
    ] = "",
    dialect: Annotated[
        str, typer.Option(help="athena, trino, duckdb, postgres, sqlite …; duckdb without it.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Say whether a statement may run, and what is wrong with it. Nothing runs.

    With a database or a schema, names and types are checked too; without, the gate alone speaks.
    With --jsonl each line is answered by a line with verdict (accept or refuse) and findings; a
    line's own dialect, db or db_id holds for it. Exits 1 if any statement is refused.
    """
    from querymend.cli import statements, verdicts

    if source and schema:
        raise typer.BadParameter("Give a database or a schema, not both.", param_hint="--schema")
    source, given = statements.take(arguments or [], source=source, jsonl=jsonl)
    judge = verdicts.judge(source=source, schema=schema, database=database, dialect=dialect)
    if jsonl:
        accepted = verdicts.answer_lines(judge, statements.read_jsonl(jsonl))
    else:
        accepted = verdicts.answer_one(judge, statements.read_statement(given), as_json=as_json)
    if not accepted:
        raise typer.Exit(BELOW)
