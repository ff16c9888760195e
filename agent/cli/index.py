"""``querymend index``: build the index, or bring it in step with the data."""

from typing import Annotated

import typer

from querymend.cli.ask import Pack
from querymend.cli.check import Source


def index(
    source: Source = "",
    pack: Pack = "",
    table: Annotated[
        list[str] | None,
        typer.Option(help="Read this table's newest partition too, where scans cost money."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Read the data's catalog again and write what changed to the index. No model is asked.

    `ask` does the same by itself when the data's files changed. Where scans cost money, as on
    Athena, no data is read but that of the tables named by --table: what that may scan is said
    first, and a table is not read again while its newest partition is the same.
    """
    from querymend.cli.index_run import index_and_show

    index_and_show(source=source, pack=pack, tables=tuple(table or ()), as_json=as_json)
