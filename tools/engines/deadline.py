"""One running statement's watch: stops it when its time is up or when someone cancels it."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from querymend.tools.errors import BudgetExceeded

AGAIN_SECONDS = 0.05
LOOK_SECONDS = 0.1
"""Between two looks whether the answer is still wanted."""


class Watch:
    """Stops one statement at its deadline or on request, and remembers why.

    ``interrupt`` is called again and again until the block is left: an interrupt that arrives
    before the engine has begun is forgotten by it.
    """

    def __init__(
        self,
        interrupt: Callable[[], None],
        *,
        seconds: float | None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._interrupt = interrupt
        self._cancelled = cancelled
        self._seconds = seconds
        self._wake = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._wait, name="querymend-watch", daemon=True)
        self._reason = ""

    def stop(self, reason: str) -> None:
        """Stop the statement now, from any thread."""
        self._reason = self._reason or reason
        self._wake.set()

    def check(self) -> None:
        """Raise BudgetExceeded if the statement was stopped."""
        if self._reason:
            raise BudgetExceeded(self._reason)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._wake.set()
        self._thread.join()

    def _until_something(self) -> None:
        """Wait for the end, a stop, the deadline, or whoever asked to lose interest."""
        if self._cancelled is None:
            self._wake.wait(self._seconds)
            return
        end = None if self._seconds is None else time.monotonic() + self._seconds
        while not self._wake.wait(LOOK_SECONDS if end is None else _step(end)):
            if self._cancelled.is_set():
                self._reason = self._reason or "The question was cancelled."
                return
            if end is not None and time.monotonic() >= end:
                return

    def _wait(self) -> None:
        self._until_something()
        if not self._done.is_set():
            self._reason = self._reason or f"The query did not finish in {self._seconds:g} seconds."
        while not self._done.is_set():
            self._interrupt()
            self._done.wait(AGAIN_SECONDS)


def _step(end: float) -> float:
    """Return how long to wait before the next look, not beyond the deadline."""
    return max(0.0, min(LOOK_SECONDS, end - time.monotonic()))
