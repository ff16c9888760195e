"""Progress of long work: a bar on a terminal, plain lines elsewhere. Always on stderr."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from querymend.evaluation.records import Record

SHORT = {
    "right": "right",
    "cautious": "cautious",
    "silently_wrong": "silently wrong",
    "said_so": "said so",
    "withheld": "withheld",
    None: "no gold",
}


class EvalProgress(Protocol):
    """Shows how an evaluation gets on."""

    def say(self, line: str) -> None:
        """Print a line."""
        ...

    def step(self, what: str, share: float) -> None:
        """Show how far something long is, between 0 and 1."""
        ...

    def add(self, record: Record) -> None:
        """Count one finished question."""
        ...


class StepLines:
    """Says how far a long step is, in lines: the first after a second, then one in ten."""

    def __init__(
        self, say: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._clock = clock
        self._next: float | None = None

    def step(self, what: str, share: float) -> None:
        """Take note of how far a step is; print a line when it is time for one."""
        now = self._clock()
        if self._next is None:
            self._next = now + 1
        if now >= self._next:
            self._next = now + 10
            self._say(f"{what}: {share:.0%}")


@contextmanager
def eval_progress(
    total: int, *, done: int = 0, console: Console | None = None
) -> Iterator[EvalProgress]:
    """Show the progress of an evaluation of so many questions."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(total, done, console)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=total, completed=done)
        yield _Bar(bar, task)


class _Tally:
    """Running shares."""

    def __init__(self) -> None:
        self.counts: Counter[str | None] = Counter()

    def add(self, record: Record) -> None:
        self.counts[record.score] += 1

    @property
    def text(self) -> str:
        n = max(self.counts.total(), 1)
        shares = {name: round(100 * count / n) for name, count in self.counts.items()}
        return " · ".join(f"{label} {shares[k]} %" for k, label in SHORT.items() if k in shares)


class _Bar:
    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task, self._tally = bar, task, _Tally()

    def say(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False)

    def step(self, what: str, share: float) -> None:
        said = f"{what} {share:.0%}" if share < 1 else self._tally.text
        self._bar.update(self._task, description=escape(said))

    def add(self, record: Record) -> None:
        self._tally.add(record)
        self._bar.update(self._task, advance=1, description=escape(self._tally.text))


class _Lines:
    """A line a question: logs of runs in the background stay readable."""

    def __init__(self, total: int, done: int, console: Console) -> None:
        self._total, self._done, self._console = total, done, console
        self._tally = _Tally()
        self.step = StepLines(self.say).step
        self._asked = 0
        self._started = time.monotonic()

    def say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def add(self, record: Record) -> None:
        self._tally.add(record)
        self._done += 1
        self._asked += 1
        pace = (time.monotonic() - self._started) / self._asked
        left = pace * (self._total - self._done)
        self.say(
            f"{self._done}/{self._total} {SHORT[record.score]} {record.number('seconds'):.1f} s"
            f" [{record.key}] {record.question}"
        )
        if self._done % 10 == 0 or self._done == self._total:
            self.say(f"  so far: {self._tally.text}; about {left / 60:.0f} min left")
