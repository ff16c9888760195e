"""The statements that one engine runs right now, so that all of them can be stopped."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Stoppable(Protocol):
    """A statement that can be stopped from any thread."""

    def stop(self, reason: str) -> None:
        """Stop it now; its caller is told the reason."""
        ...


class UnderWay:
    """Knows each statement from its beginning to its end, for many threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: set[Stoppable] = set()

    @contextmanager
    def holding(self, one: Stoppable) -> Iterator[None]:
        """Know a statement while the block lasts."""
        with self._lock:
            self._all.add(one)
        try:
            yield
        finally:
            with self._lock:
                self._all.discard(one)

    def stop(self) -> None:
        """Stop all; their callers get BudgetExceeded."""
        with self._lock:
            running = tuple(self._all)
        for one in running:
            one.stop("The query was cancelled.")
