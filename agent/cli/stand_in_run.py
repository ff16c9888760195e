"""Builds the stand-in's warehouse from a set-up script, and serves it."""

import tempfile
from pathlib import Path

import typer


def build_or_serve(source: str, *, setup: str, save: str, database: str, port: int) -> None:
    """Build a warehouse where a set-up is given; serve it unless it is to be saved.

    Raises:
        SetupError: the set-up cannot be run, or the source cannot be served.
    """
    if bool(source) == bool(setup):
        raise typer.BadParameter("Name a source, or --setup.", param_hint="SOURCE")
    if save and not setup:
        raise typer.BadParameter("--save wants --setup.", param_hint="--save")
    from querymend.tools.engines.stand_in.setup import build

    if save:
        typer.echo(f"Built {build(Path(setup).expanduser(), Path(save).expanduser())}.")
    elif setup:
        with tempfile.TemporaryDirectory(prefix="querymend-stand-in-") as folder:
            file = build(Path(setup).expanduser(), Path(folder) / f"{Path(setup).stem}.duckdb")
            _serve(str(file), database=database, port=port)
    else:
        _serve(source, database=database, port=port)


def _serve(source: str, *, database: str, port: int) -> None:
    from querymend.cli.stand_in_serve import serve

    serve(source, database=database, port=port, say=typer.echo)
