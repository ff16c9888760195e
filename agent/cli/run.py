"""``querymend run``: a statement through gate and engine, without a model."""

from typing import Annotated

import typer

from querymend.cli.check import Arguments, Jsonl, Source

DEFAULT_ROWS = 1_000


def run(
    arguments: Arguments = None,
    jsonl: Jsonl = None,
    source: Source = "",
    dialect: Annotated[
        str, typer.Option(help="What the statements are written in; the engine's own without it.")
    ] = "",
    database: Annotated[
        str, typer.Option(help="Where unqualified names belong, on Athena and its stand-in.")
    ] = "",
    rows: Annotated[
        int | None,
        typer.Option(min=1, help="Rows at most.", show_default="1000; all with --jsonl"),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.001, help="Time for one statement at most.")
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Run a statement that the gate lets through, and show its rows.

    With --jsonl each line is answered by a line with columns, types and rows, or with error: its
    name and message. Decimals and floats are text, timestamps 2024-01-02T03:04:05.000, structs
    lists, bytes hex. Exits 3 if the gate refuses a single statement, 4 if the engine does.
    """
    from querymend.cli import statements
    from querymend.cli.run_rows import Runner, run_lines, run_one

    source, given = statements.take(arguments or [], source=source, jsonl=jsonl)
    most = rows or (None if jsonl else DEFAULT_ROWS)
    with Runner.open(
        source, dialect=dialect, database=database, rows=most, seconds=seconds
    ) as runner:
        if jsonl:
            run_lines(runner, statements.read_jsonl(jsonl))
        else:
            run_one(runner, statements.read_statement(given), as_json=as_json)
