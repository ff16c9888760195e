"""One event loop on a daemon thread, on which every call to a model runs.

A call on an event loop can be ended at any moment, whatever the server does; one that blocks a
thread in ``recv`` cannot. The callers are ordinary threads, with or without a loop of their own.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TypeVar

T = TypeVar("T")

_lock = Lock()
_loop: asyncio.AbstractEventLoop | None = None


def submit(work: Coroutine[object, object, T]) -> "Future[T]":
    """Start the coroutine on the background loop; cancelling the future cancels it there."""
    return asyncio.run_coroutine_threadsafe(work, loop())


def start(work: Callable[[], Coroutine[object, object, None]]) -> None:
    """Start the work and leave it alone."""
    submit(work())


def loop() -> asyncio.AbstractEventLoop:
    """Return the process's background loop; it starts with the first call."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            Thread(target=_loop.run_forever, name="querymend-model", daemon=True).start()
        return _loop


def cancel_all() -> None:
    """End every call under way, so that the servers hear of it."""
    with _lock:
        running = _loop
    if running is None:
        return

    def cancel() -> None:
        for task in asyncio.all_tasks(running):
            task.cancel()

    running.call_soon_threadsafe(cancel)


def _forget() -> None:
    """Drop the parent's loop in a forked child, where its thread does not exist."""
    global _loop, _lock
    _loop, _lock = None, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
