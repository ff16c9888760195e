"""The contract with a model: one prompt in, one reply out, its time and tokens told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is shown."""

    system: str
    """The stable part, the same for every question: the server's prompt cache serves it."""
    user: str
    kind: str = "generate"
    """Which stage asks: ``generate``, ``repair``, ``route``, ``answer``."""
    fingerprint: str = ""
    """Name, version and hash of the prompt file, for traces."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a model answered, and what it cost."""

    text: str = field(repr=False)
    seconds: float = 0.0
    """Wall time of the call; of the first one, where the answer comes from the reply cache."""
    tokens_in: int = 0
    tokens_out: int = 0
    cached: bool = False
    model: str = ""
    finished: bool | None = None
    """True if the model ended by itself, False if ``max_tokens`` cut it, None if nobody said."""


class Writer(Protocol):
    """Whatever writes replies: a chat endpoint, or a script in tests."""

    @property
    def name(self) -> str:
        """Name the model and where it runs, as shown to people: ``gpt-x at api.openai.com``."""
        ...

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 60.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Answer one prompt within so many seconds.

        Args:
            prompt: what the model is shown.
            seconds: what is left of the question's budget.
            cancelled: asked meanwhile; once true, the call ends.
            on_token: is given the reply piece by piece, where it comes in pieces.

        Raises:
            ModelUnavailable: the endpoint is briefly not there; the same call may succeed later.
            BudgetExceeded: the seconds are over, or ``cancelled()`` turned true.
            SetupError: the endpoint will never take this call as it is set up.
        """
        ...
