"""``querymend ask``: one question, its stages as they happen, and the answer."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from querymend.cli.check import Source

Pack = Annotated[
    str, typer.Option(help="Descriptions, facts and examples: a folder, or one that ships.")
]


def ask(
    question: Annotated[str, typer.Argument(help="In plain English.", show_default=False)],
    source: Source = "",
    pack: Pack = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole answer as JSON, and nothing else.")
    ] = False,
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Stop before anything runs: SQL and findings.")
    ] = False,
    approve: Annotated[
        bool, typer.Option("--approve", help="Give leave for a scan above the approval threshold.")
    ] = False,
    trace: Annotated[
        Path | None, typer.Option(help="Add a JSON line a stage to this file.")
    ] = None,
    max_repairs: Annotated[
        int | None, typer.Option(min=0, max=10, help="Repairs at most; 0 is a single pass.")
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Rows fetched and shown at most.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.001, help="Time in all at most.")] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="Use only these: table or table.column, by commas or repeated."),
    ] = None,
    now: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help='What "today" means.')
    ] = None,
) -> None:
    """Ask one question of the database, and see the checked answer.

    The first line says which model sees the data. Exits 0 if there is an answer, with warnings
    too; 3 if the question is refused, 4 if there is no answer, 5 if something must be set up.
    """
    from querymend.cli.ask_run import Asked, ask_and_show

    ask_and_show(
        Asked(
            question=question,
            source=source,
            pack=pack,
            as_json=as_json,
            no_run=no_run,
            approve=approve,
            trace=trace,
            max_repairs=max_repairs,
            rows=rows,
            seconds=seconds,
            scope=tuple(scope or ()),
            now=now.date() if now else None,
        )
    )
