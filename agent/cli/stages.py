"""The stages of a question as they happen: one line each, with its seconds."""

import time
from collections.abc import Callable, Iterable

from rich.console import Console
from rich.status import Status
from rich.text import Text

from querymend.answer import Answer
from querymend.cli.show import MARKS, clean
from querymend.events import (
    Answered,
    Event,
    FindingMade,
    RowsReturned,
    SqlWritten,
    StageStarted,
    StepRan,
    Token,
)


class Stages:
    """Prints a line when a stage ends; on a terminal the one that runs is shown meanwhile."""

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._stage = ""
        self._began = 0.0
        self._notes: list[Text] = []
        self._status: Status | None = None

    def follow(self, events: Iterable[Event]) -> Answer | None:
        """Show events until the last one, and return its answer."""
        answer = None
        try:
            for event in events:
                self._show(event)
                answer = event.answer if isinstance(event, Answered) else answer
        finally:
            self._end()
        return answer

    def _show(self, event: Event) -> None:
        match event:
            case StageStarted():
                self._end()
                self._begin(event.stage)
            case SqlWritten() if event.reason:
                self._note(f"{event.author}: {event.reason}")
            case FindingMade():
                mark, style = MARKS[event.finding.severity]
                self._note(f"{mark} {event.finding.message}", style)
            case RowsReturned():
                count = len(event.rows) if event.row_count is None else event.row_count
                more = "more than " if event.row_count is None else ""
                self._note(f"{more}{count:,} row{'' if count == 1 else 's'}")
            case StepRan():
                many = "many" if event.row_count is None else f"{event.row_count:,}"
                self._note(f"step {event.step}: {many} row{'' if event.row_count == 1 else 's'}")
            case Token() | SqlWritten() | Answered():
                return

    def _begin(self, stage: str) -> None:
        self._stage, self._began = stage, self._clock()
        if self._console.is_terminal:
            self._status = self._console.status(stage, spinner="dots")
            self._status.start()

    def _end(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
        if self._stage:
            took = self._clock() - self._began
            line = Text(f"{self._stage:<9} {took:6.2f} s", style="cyan")
            first = self._notes.pop(0) if self._notes else Text()
            self._console.print(Text.assemble(line, "  ", first), soft_wrap=True)
            for note in self._notes:
                self._console.print(Text.assemble(" " * 20, note), soft_wrap=True)
        self._stage, self._notes = "", []

    def _note(self, text: str, style: str = "dim") -> None:
        self._notes.append(Text(clean(text), style=style))
