"""Settings from the command line, and what opening a warehouse shows meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from querymend.cli.progress import StepLines
from querymend.settings import Settings, load_settings


def settings_from(**given: object) -> Settings:
    """Read the settings, with what the command line gives before the environment.

    Raises:
        SetupError: a value does not fit, or a variable names no setting.
    """
    return load_settings(**{name: value for name, value in given.items() if value})


class Opening(Protocol):
    """Takes what opening has to say."""

    def log(self, line: str) -> None:
        """Print a line that a person should know."""
        ...

    def progress(self, what: str, share: float) -> None:
        """Show how far something long is, between 0 and 1."""
        ...


@contextmanager
def opening(console: Console) -> Iterator[Opening]:
    """Show bars on a terminal, and a line for each long step elsewhere."""
    if not console.is_terminal:
        yield _Plain(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bars(bar)


class _Bars:
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def log(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False)

    def progress(self, what: str, share: float) -> None:
        for name in [n for n in self._tasks if n != what]:
            self._bar.remove_task(self._tasks.pop(name))
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(escape(what), total=1.0)
        self._bar.update(self._tasks[what], completed=share)


class _Plain:
    """Lines, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.progress = StepLines(self.log).step

    def log(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
