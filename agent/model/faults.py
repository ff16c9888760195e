"""What an endpoint's fault means to whoever must act, without a key in any text."""

import re
from dataclasses import dataclass, field

from querymend.tools.errors import ModelUnavailable, QuerymendError, SetupError

KEY = "QUERYMEND_MODEL__API_KEY"
BASE_URL = "QUERYMEND_MODEL__BASE_URL"
NAME = "QUERYMEND_MODEL__NAME"
PROMPT_SIZE = "QUERYMEND_RETRIEVAL__TOKENS"

_TRANSIENT = frozenset({408, 409, 425, 429})
_TOO_LONG = re.compile(
    r"context.{0,10}(?:length|size|window)|prompt is too long|maximum context|too many tokens"
    r"|input tokens exceed",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(r"\bmodel\b|\bdeployment\b", re.IGNORECASE)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LONGEST = 300
_SHORTEST_SECRET = 4


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One failed call, as far as the client library told."""

    text: str
    """What the endpoint or the client said."""
    kind: str = ""
    """The client's name of it: ``APITimeoutError``."""
    status: int | None = None
    """The HTTP status, where there was an answer at all."""
    code: str = ""
    """The endpoint's own code: ``insufficient_quota``."""
    retry_after: str = ""
    """The header of that name."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that must not be shown."""


def as_ours(fault: Fault, host: str) -> QuerymendError:
    """Sort a fault by who must act: one waits, or the developer changes a setting."""
    said = _shown(fault)
    if fault.status is None:
        return ModelUnavailable(f"{host}: {_without_answer(fault, said)}")
    told = f"{host} answered {fault.status}" + (f": {said}" if said else "")
    if _will_pass(fault):
        return ModelUnavailable(told, retry_after=_seconds(fault.retry_after))
    return _setup(fault, told)


def _will_pass(fault: Fault) -> bool:
    if fault.code == "insufficient_quota":
        return False
    return fault.status is not None and (fault.status in _TRANSIENT or fault.status >= 500)


def _without_answer(fault: Fault, said: str) -> str:
    if "Timeout" in fault.kind:
        return "no connection in time"
    if "Connection" in fault.kind or "Connect" in fault.kind:
        return f"no connection ({said or fault.kind}); is {BASE_URL} right and the server running?"
    return f"the answer broke off or made no sense ({said or fault.kind})"


def _setup(fault: Fault, told: str) -> SetupError:
    if _TOO_LONG.search(fault.text):
        return SetupError(f"The prompt is too long for the model. {told}", setting=PROMPT_SIZE)
    if fault.status in (401, 403) or fault.code == "insufficient_quota":
        return SetupError(f"The model's endpoint refuses the key. {told}", setting=KEY)
    if fault.status == 404 and _NO_MODEL.search(fault.text):
        return SetupError(f"The endpoint has no model of that name. {told}", setting=NAME)
    if fault.status == 404 or (fault.status or 0) < 400:
        return SetupError(f"Nothing answers chats at that address. {told}", setting=BASE_URL)
    return SetupError(f"The endpoint does not take the request. {told}", setting=NAME)


def _shown(fault: Fault) -> str:
    text = _ANSI.sub("", fault.text)
    for secret in fault.secrets:
        text = text.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else text
    text = " ".join(text.split()).removeprefix(f"Error code: {fault.status}").strip(" -:")
    return text[:_LONGEST]


def _seconds(header: str) -> float | None:
    return float(header) if re.fullmatch(r"\d+(?:\.\d+)?", header.strip()) else None
