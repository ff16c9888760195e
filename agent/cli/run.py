"""``querymend run``."""

import typer


def run() -> None:
    """Come soon."""
    raise typer.Exit(2)
