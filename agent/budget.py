"""What one question may spend, and the clock that holds it to that."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from querymend.tools.errors import BudgetExceeded


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one question may spend. None of a field means: what the settings say."""

    max_repairs: int | None = None
    model_calls: int | None = None
    seconds: float | None = None
    """Wall-clock, model calls included."""
    rows: int | None = None
    bytes: int | None = None
    """Bytes scanned, all attempts together."""
    approval_bytes: int | None = None
    """A scan that is estimated to be larger than this waits for leave."""

    def over(self, other: "Budget") -> "Budget":
        """Return this budget, with what it leaves open taken from another."""
        return Budget(
            max_repairs=other.max_repairs if self.max_repairs is None else self.max_repairs,
            model_calls=other.model_calls if self.model_calls is None else self.model_calls,
            seconds=other.seconds if self.seconds is None else self.seconds,
            rows=other.rows if self.rows is None else self.rows,
            bytes=other.bytes if self.bytes is None else self.bytes,
            approval_bytes=(
                other.approval_bytes if self.approval_bytes is None else self.approval_bytes
            ),
        )


@dataclass(kw_only=True)
class Meter:
    """Counts what one question spends, from any thread."""

    budget: Budget
    clock: Callable[[], float] = time.monotonic
    model_calls: int = 0
    model_seconds: float = 0.0
    engine_seconds: float = 0.0
    replayed_seconds: float = 0.0
    """Seconds of model calls that a reply cache served: told, but not waited for."""
    tokens_in: int = 0
    tokens_out: int = 0
    queries: int = 0
    bytes_scanned: int | None = None
    usd: float | None = None
    reused: int = 0
    query_ids: list[str] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the question was asked."""
        return self.clock() - self.started

    def seconds_left(self) -> float:
        """Return what is left until the deadline.

        Raises:
            BudgetExceeded: nothing is left, or the caller cancelled.
        """
        if self.cancelled.is_set():
            raise BudgetExceeded("The question was cancelled.")
        allowed = self.budget.seconds
        left = float("inf") if allowed is None else allowed - self.elapsed
        if left <= 0:
            raise BudgetExceeded(
                f"The time budget of {allowed:g} s is spent "
                "(QUERYMEND_BUDGET__SECONDS, or Budget(seconds=…) for one question)."
            )
        return left

    def check_bytes(self) -> None:
        """Stop the next statement when the byte budget is already spent.

        Raises:
            BudgetExceeded: all bytes of the budget are scanned.
        """
        spent, allowed = self.bytes_scanned or 0, self.budget.bytes
        if allowed is not None and spent >= allowed:
            raise BudgetExceeded(
                f"The byte budget is spent: {spent:,} of {allowed:,} bytes scanned "
                "(QUERYMEND_BUDGET__BYTES)."
            )

    def may_call_model(self) -> bool:
        """Tell whether another model call fits in the budget."""
        return self.budget.model_calls is None or self.model_calls < self.budget.model_calls

    def count_call(
        self, *, seconds: float, tokens_in: int, tokens_out: int, replayed: bool = False
    ) -> None:
        """Note one model call."""
        self.replayed_seconds += seconds if replayed else 0.0
        self.model_calls += 1
        self.model_seconds += seconds
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def count_query(
        self,
        *,
        seconds: float,
        scanned: int | None,
        query_id: str,
        usd: float | None = None,
        reused: bool = False,
    ) -> None:
        """Note one statement that ran, with rows or without."""
        self.queries += 1
        self.reused += reused
        self.engine_seconds += seconds
        if scanned is not None:
            self.bytes_scanned = (self.bytes_scanned or 0) + scanned
        if usd is not None:
            self.usd = (self.usd or 0.0) + usd
        if query_id:
            self.query_ids.append(query_id)
