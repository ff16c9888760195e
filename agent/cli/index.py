"""``querymend index``."""

import typer


def index() -> None:
    """Come soon."""
    raise typer.Exit(2)
