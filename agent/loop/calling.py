"""Calling the model within the question's budget; transient faults are retried as they are."""

import random
from collections.abc import Callable
from typing import TypeVar

from querymend.budget import Meter
from querymend.events import Token
from querymend.loop.trip import Trip
from querymend.model.writer import Prompt, Written
from querymend.tools.errors import (
    AccessDenied,
    BrokenData,
    BudgetExceeded,
    EngineUnavailable,
    ModelUnavailable,
    QuerymendError,
    Unavailable,
)
from querymend.tools.findings import Finding

T = TypeVar("T")

CODES: dict[type[QuerymendError], str] = {
    ModelUnavailable: "model_unavailable",
    EngineUnavailable: "engine_unavailable",
    AccessDenied: "access_denied",
    BudgetExceeded: "budget_exceeded",
    BrokenData: "broken_data",
}

RETRIES = 2
FIRST_WAIT = 0.5


def call_model(trip: Trip, prompt: Prompt) -> Written:
    """Ask the model once, within what is left of the budget, and count it.

    Raises:
        ModelUnavailable: it stayed away after the retries.
        BudgetExceeded: no call or no time is left.
        SetupError: the endpoint is not set up right.
    """
    meter = trip.meter
    if not meter.may_call_model():
        raise BudgetExceeded(
            f"The budget of {meter.budget.model_calls} model calls is spent "
            "(QUERYMEND_BUDGET__MODEL_CALLS)."
        )
    written = retried(
        lambda: trip.deps.writer.write(
            prompt,
            seconds=meter.seconds_left(),
            cancelled=meter.cancelled.is_set,
            on_token=lambda text: trip.emit(Token(text=text)),
        ),
        meter=meter,
    )
    trip.note(
        prompt.kind,
        prompt=prompt.fingerprint,
        model=written.model,
        seconds=round(written.seconds, 3),
        tokens_in=written.tokens_in,
        tokens_out=written.tokens_out,
        cached=written.cached,
        reply=written.text,
    )
    meter.count_call(
        seconds=written.seconds,
        tokens_in=written.tokens_in,
        tokens_out=written.tokens_out,
        replayed=written.cached,
    )
    return written


def ended_by(error: QuerymendError) -> Finding:
    """Make a finding of an error that ends the trip, so that hosts can tell the causes apart."""
    code = next((c for kind, c in CODES.items() if isinstance(error, kind)), "ended")
    return Finding(code=code, kind="engine", severity="block", message=str(error))


def retried(call: Callable[[], T], *, meter: Meter) -> T:
    """Make a call, and make it again where the other side was briefly not there.

    Waits between tries are jittered, count against the deadline and end when the caller cancels.
    """
    for tried in range(RETRIES):
        try:
            return call()
        except Unavailable as error:
            if error.retries is not None and tried >= error.retries:
                raise
            wait = max(FIRST_WAIT * 2**tried, _asked_for(error)) * random.uniform(0.8, 1.2)
            meter.cancelled.wait(min(wait, meter.seconds_left()))
    return call()


def _asked_for(error: Unavailable) -> float:
    """Return how long an engine asked to wait."""
    return (error.retry_after or 0.0) if isinstance(error, EngineUnavailable) else 0.0
