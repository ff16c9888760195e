"""Engines, each lent to one query at a time, so that one query can be stopped alone."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from querymend.tools.engines.engine import Engine

AGAIN_SECONDS = 0.02
Open = Callable[[], Engine]
"""Opens another engine on the same data."""


class Pool:
    """Lends engines; opens another while fewer than ``most`` are out.

    Args:
        first: an engine that is open already.
        opener: opens another, if there may be more than one.
        most: how many there may be.
    """

    def __init__(self, first: Engine, *, opener: Open | None, most: int) -> None:
        self._open = opener
        self._most = most if opener is not None else 1
        self._all = [first]
        self._free = [first]
        self._changed = threading.Condition()

    @contextmanager
    def lend(self, stopped: threading.Event) -> Iterator[Engine | None]:
        """Lend an engine, waiting for one if need be; None if stopped before there was one."""
        engine = self._take(stopped)
        try:
            yield engine
        finally:
            if engine is not None:
                self._give_back(engine)

    def wake(self) -> None:
        """Let those who wait see that they were stopped."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Close every engine."""
        with self._changed:
            engines, self._all, self._free = self._all, [], []
        for engine in engines:
            engine.close()

    def _take(self, stopped: threading.Event) -> Engine | None:
        with self._changed:
            self._changed.wait_for(lambda: stopped.is_set() or self._may_take())
            if stopped.is_set():
                return None
            if not self._free and self._open is not None:
                self._free.append(self._open())
                self._all += self._free
            return self._free.pop()

    def _may_take(self) -> bool:
        return bool(self._free) or len(self._all) < self._most

    def _give_back(self, engine: Engine) -> None:
        with self._changed:
            if engine in self._all:
                self._free.append(engine)
            self._changed.notify_all()


class Lent:
    """An engine at work for one query, and the way to stop just that."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._over = threading.Event()

    def over(self) -> None:
        """Say that the engine works for this query no more."""
        with self._lock:
            self._over.set()

    def cancel(self, *, seconds: float) -> None:
        """Cancel until the engine lets go; a cancel before it has begun is lost on it."""
        tries = max(int(seconds / AGAIN_SECONDS), 1)
        for _ in range(tries):
            with self._lock:
                if self._over.is_set():
                    return
                self._engine.cancel()
            if self._over.wait(AGAIN_SECONDS):
                return
