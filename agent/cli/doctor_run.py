"""Look at everything, print a table of it, and exit by what is missing."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from querymend.cli import looks
from querymend.cli.exits import SETUP
from querymend.cli.looks import Look, State
from querymend.cli.opening import settings_from
from querymend.cli.show import clean
from querymend.settings import Settings

LOOKS: tuple[Callable[[Settings], Look | None], ...] = (
    looks.python,
    looks.packages,
    looks.cache,
    looks.source,
    looks.pack,
    looks.index,
    looks.embedding,
    looks.model,
    looks.weights,
)
"""In the order in which a person would mend things."""
MARKS: dict[State, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "missing": ("missing", "bold red"),
    "unset": ("not set", "yellow"),
}


def doctor_and_show(*, source: str, pack: str, as_json: bool) -> None:
    """Look at everything, print it, and exit 5 if something needed is missing."""
    found = list(look_at_all(settings_from(source=source, pack=pack)))
    if as_json:
        typer.echo(json.dumps([asdict(look) for look in found], ensure_ascii=False, indent=2))
    else:
        _show(Console(), found)
    if any(look.state == "missing" for look in found):
        raise typer.Exit(SETUP)


def look_at_all(settings: Settings) -> Iterator[Look]:
    """Yield what each look finds; a package that cannot be imported ends none but its own."""
    for look in LOOKS:
        try:
            if found := look(settings):
                yield found
        except ImportError as error:
            cure = "Install QueryMend again: its packages are not all there."
            yield Look(what=look.__name__, state="missing", detail=str(error), cure=cure)


def _show(console: Console, found: list[Look]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for look in found:
        mark, style = MARKS[look.state]
        said = Text(clean(look.detail, keep="\n"))
        if look.cure:
            said.append(f"\n→ {look.cure}", style="bold")
        table.add_row(look.what, Text(mark, style=style), said)
    console.print(table)
