"""What goes wrong on purpose: a script of faults, each for one operation and so many times."""

import threading
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

Kind = Literal[
    "throttle",
    "too_many",
    "concurrency",
    "expired",
    "invalid_token",
    "access_denied",
    "internal",
    "slow",
    "queued",
    "exhausted",
    "timeout",
    "permission",
    "lake_formation",
    "internal_query",
    "slow_down",
    "moving_files",
    "bad_data",
    "cutoff",
    "cancelled",
    "fail",
]
AT_THE_CALL: frozenset[str] = frozenset(
    {
        "throttle",
        "too_many",
        "concurrency",
        "expired",
        "invalid_token",
        "access_denied",
        "internal",
    }
)
"""These are answers to an API call; the others befall a query that has begun."""


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong: ``Fault("throttle", times=2, on="StartQueryExecution")``."""

    kind: Kind
    _: KW_ONLY
    times: int | None = 1
    """How often it happens; None for every time."""
    on: str = ""
    """The API operation; empty for any. Faults of a query look at ``sql`` alone."""
    sql: str = ""
    """Only queries whose text holds this, in any case."""
    text: str = ""
    """What to say instead of Athena's usual text: ``CODE: line 1:1: …``."""
    type: int | None = None
    """AthenaError's ErrorType instead of the usual one."""
    retryable: bool | None = None
    """AthenaError's Retryable instead of the usual one."""


@dataclass(kw_only=True)
class _Armed:
    fault: Fault
    left: int | None


@dataclass
class Faults:
    """The faults that are still to come; asked from many threads."""

    _armed: list[_Armed] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *faults: Fault) -> None:
        """Arm faults; the first that fits a call or a query befalls it."""
        with self._lock:
            self._armed += [_Armed(fault=f, left=f.times) for f in faults]

    def clear(self) -> None:
        """Disarm all."""
        with self._lock:
            self._armed.clear()

    def at_call(self, operation: str, sql: str = "") -> Fault | None:
        """Take the fault that befalls this API call, if one is armed."""
        return self._take(sql, lambda f: f.kind in AT_THE_CALL and f.on in {"", operation})

    def in_query(self, sql: str) -> Fault | None:
        """Take the fault that befalls this query once it has begun, if one is armed."""
        return self._take(sql, lambda f: f.kind not in AT_THE_CALL)

    def _take(self, sql: str, fits: Callable[[Fault], bool]) -> Fault | None:
        with self._lock:
            for armed in self._armed:
                if fits(armed.fault) and armed.fault.sql.lower() in sql.lower():
                    self._spend(armed)
                    return armed.fault
        return None

    def _spend(self, armed: _Armed) -> None:
        if armed.left is None:
            return
        armed.left -= 1
        if armed.left <= 0:
            self._armed.remove(armed)
