"""``querymend ask``."""

import typer


def ask() -> None:
    """Come soon."""
    raise typer.Exit(2)
