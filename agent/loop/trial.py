"""Rule fixes in the loop: candidates are tried on the engine, within the budget."""

from querymend.answer import Attempt
from querymend.loop.state import State
from querymend.loop.trip import Trip


def mend(attempt: Attempt, state: State, trip: Trip) -> Attempt | None:
    """Return the attempt that the rules make of this one, or None."""
    return None
