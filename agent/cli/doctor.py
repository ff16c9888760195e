"""``querymend doctor``."""

import typer


def doctor() -> None:
    """Come soon."""
    raise typer.Exit(2)
