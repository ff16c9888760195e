"""``querymend index``: build the index, or bring it in step with the data."""

from typing import Annotated

import typer

from querymend.cli.ask import Pack
from querymend.cli.check import Source


def index(
    source: Source = "",
    pack: Pack = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Read the data's catalog again and write what changed to the index. No model is asked.

    `ask` does the same by itself when the data's files changed.
    """
    from querymend.cli.index_run import index_and_show

    index_and_show(source=source, pack=pack, as_json=as_json)
