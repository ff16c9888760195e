"""``querymend demo``."""

import typer


def demo() -> None:
    """Come soon."""
    raise typer.Exit(2)
