"""Engines by database, each lent to one query at a time, so that one query can be stopped alone."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from querymend.tools.engines.engine import Engine

AGAIN_SECONDS = 0.02
Open = Callable[[str], Engine]
"""Given a database, opens the engine whose bare names belong to it."""


class Pool:
    """Lends engines; opens another while fewer than ``most`` of a database are out."""

    def __init__(self, open_engine: Open, *, most: int) -> None:
        self._open = open_engine
        self._most = most
        self._free: defaultdict[str, list[Engine]] = defaultdict(list)
        self._all: defaultdict[str, list[Engine]] = defaultdict(list)
        self._changed = threading.Condition()

    def add(self, database: str, engine: Engine) -> None:
        """Take in an engine that is open already."""
        with self._changed:
            self._all[database].append(engine)
            self._free[database].append(engine)

    @contextmanager
    def lend(self, database: str, stopped: threading.Event) -> Iterator[Engine | None]:
        """Lend an engine, waiting for one if need be; None if stopped before there was one."""
        engine = self._take(database, stopped)
        try:
            yield engine
        finally:
            if engine is not None:
                self._give_back(database, engine)

    def wake(self) -> None:
        """Let those who wait see that they were stopped."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Close every engine."""
        with self._changed:
            engines = [e for opened in self._all.values() for e in opened]
            self._all.clear()
            self._free.clear()
        for engine in engines:
            engine.close()

    def _take(self, database: str, stopped: threading.Event) -> Engine | None:
        with self._changed:
            self._changed.wait_for(lambda: stopped.is_set() or self._may_take(database))
            if stopped.is_set():
                return None
            if self._free[database]:
                return self._free[database].pop()
            engine = self._open(database)
            self._all[database].append(engine)
            return engine

    def _may_take(self, database: str) -> bool:
        return bool(self._free[database]) or len(self._all[database]) < self._most

    def _give_back(self, database: str, engine: Engine) -> None:
        with self._changed:
            if engine in self._all[database]:
                self._free[database].append(engine)
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
