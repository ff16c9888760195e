"""Public stand-ins for a model and for Athena, so that a host product can test offline."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from querymend.model.stand_in import OpenAIStandIn, Seen, Turn
from querymend.model.writer import Prompt, Written

if TYPE_CHECKING:
    from querymend.fixtures import athena_stand_in
    from querymend.tools.engines.wire.faults import Fault
    from querymend.tools.engines.wire.glue import GlueTable
    from querymend.tools.engines.wire.server import AthenaStandIn
    from querymend.tools.engines.wire.workgroups import Workgroup

__all__ = [
    "AthenaStandIn",
    "Fault",
    "GlueTable",
    "OpenAIStandIn",
    "Scripted",
    "ScriptedModel",
    "Seen",
    "Turn",
    "Workgroup",
    "athena_stand_in",
]

_HOMES = {
    "AthenaStandIn": "tools.engines.wire.server",
    "Fault": "tools.engines.wire.faults",
    "GlueTable": "tools.engines.wire.glue",
    "Workgroup": "tools.engines.wire.workgroups",
    "athena_stand_in": "fixtures",
}
Scripted = str | Written | BaseException | Callable[[Prompt], str]


@dataclass(kw_only=True)
class _Pace:
    delay: float = 0.0
    advance: Callable[[float], None] | None = None


class ScriptedModel:
    """A writer that answers from a script and keeps what it was shown.

    Each reply is a text, a `Written`, an exception to raise, or a function of the prompt. With
    ``delay`` each call claims to have taken so many seconds; ``advance`` is told of them, so that
    a test's clock moves without anyone sleeping.
    """

    def __init__(
        self,
        *replies: Scripted,
        delay: float = 0.0,
        advance: Callable[[float], None] | None = None,
    ) -> None:
        self.prompts: list[Prompt] = []
        """Every prompt shown, in order."""
        self._replies = list(replies)
        self._for_ever: Scripted | None = None
        self._pace = _Pace(delay=delay, advance=advance)
        self._lock = Lock()

    @classmethod
    def forever(
        cls,
        reply: Scripted,
        *,
        delay: float = 0.0,
        advance: Callable[[float], None] | None = None,
    ) -> "ScriptedModel":
        """Build a model that gives the same reply however often it is asked."""
        model = cls(delay=delay, advance=advance)
        model._for_ever = reply
        return model

    @property
    def name(self) -> str:
        """Name it as a model is named to people."""
        return "scripted model"

    @property
    def identity(self) -> str:
        """Tell one scripted model from none; every script has the same."""
        return "scripted"

    @property
    def left(self) -> int:
        """Count the replies that nobody has asked for yet."""
        return len(self._replies)

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 60.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Give the next reply of the script.

        Raises:
            AssertionError: the script has run out.
        """
        reply = self._next(prompt)
        if self._pace.advance:
            self._pace.advance(self._pace.delay)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, Written):
            return reply
        return self._written(prompt, reply if isinstance(reply, str) else reply(prompt))

    def _next(self, prompt: Prompt) -> Scripted:
        with self._lock:
            self.prompts.append(prompt)
            if self._for_ever is not None:
                return self._for_ever
            if self._replies:
                return self._replies.pop(0)
        raise AssertionError(
            f"the script has run out: call {len(self.prompts)} ({prompt.kind}) has no reply"
        )

    def _written(self, prompt: Prompt, text: str) -> Written:
        return Written(
            text=text,
            seconds=self._pace.delay,
            tokens_in=_rough_tokens(prompt.system + prompt.user),
            tokens_out=_rough_tokens(text),
            model="scripted",
        )


def _rough_tokens(text: str) -> int:
    return max(1, len(text) // 4)


def __getattr__(name: str) -> object:
    """Bring Athena's stand-in only where it is asked for: a scripted model needs none of it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"querymend.{_HOMES[name]}"), name)
    return value
