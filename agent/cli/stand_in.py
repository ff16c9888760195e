"""``querymend stand-in``: Athena without Athena, as a file or on the wire."""

from typing import Annotated

import typer


def stand_in(
    source: Annotated[
        str, typer.Argument(help="A DuckDB file, or a Trino by URL; none with --setup.")
    ] = "",
    setup: Annotated[
        str, typer.Option(help="DDL and INSERTs in Trino's SQL that the warehouse is built from.")
    ] = "",
    save: Annotated[
        str, typer.Option(help="Write the warehouse to this DuckDB file, and end.")
    ] = "",
    database: Annotated[str, typer.Option(help="The database of tables that have no schema.")] = "",
    port: Annotated[int, typer.Option(min=0, help="Port on loopback; 0: any free one.")] = 0,
) -> None:
    """Stand in for Athena over a DuckDB file: serve its API on loopback until Ctrl-C.

    With --setup the file is built first, types kept; with --save it is written and nothing is
    served: `querymend run --dialect athena FILE` then runs Athena's SQL on it.
    """
    from querymend.cli.stand_in_run import build_or_serve

    build_or_serve(source, setup=setup, save=save, database=database, port=port)
