"""Speak to any OpenAI-compatible endpoint, with a deadline that holds whatever the server does.

Nothing but the arguments decides what is sent where: keys, organisations, proxies and headers that
the environment holds for other programs are neither read nor sent.
"""

import asyncio
import json
import time
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from querymend.model import background
from querymend.model.client import chat_model, fault_of
from querymend.model.faults import BASE_URL, NAME, as_ours
from querymend.model.writer import Prompt, Writer, Written
from querymend.tools.errors import BudgetExceeded, ModelUnavailable, SetupError

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk
    from langchain_openai import ChatOpenAI

__all__ = ["ChatWriter", "Endpoint", "Prompt", "Sampling", "Writer", "Written"]

_TICK = 0.05
"""Seconds between two looks at whether the caller has cancelled."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is, and what opens the door."""

    base_url: str = field(repr=False)
    """The address up to ``/v1``; it may hold a password, so it is not shown."""
    model: str
    """The model's name at that address; with Azure, the deployment's."""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with each request: ``{"api-key": …}`` for Azure."""
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Added to each address: ``{"api-version": …}`` for Azure."""

    @property
    def host(self) -> str:
        """Name the host, and the port where one is given; never a user or a password."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def check(self) -> None:
        """Raise where the address or the name cannot be meant.

        Raises:
            SetupError: names the setting.
        """
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SetupError(f"{self.base_url!r} is no http(s) address.", setting=BASE_URL)
        if not self.model:
            raise SetupError(f"Which model at {self.host}?", setting=NAME)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How the model picks its words."""

    temperature: float = 0.0
    seed: int | None = 7
    max_tokens: int = 400
    stop: tuple[str, ...] = ()
    """Texts that end the reply; the endpoint leaves them out of it."""
    body: Mapping[str, object] = field(default_factory=dict)
    """Further fields of the request that this endpoint knows."""

    def identity(self, model: str) -> str:
        """Tell all that decides a reply but the prompt: the model, and how it writes."""
        how = [self.temperature, self.seed, self.max_tokens, self.stop, sorted(self.body.items())]
        return json.dumps([model, *how], default=str)


class ChatWriter:
    """A model behind an OpenAI-compatible endpoint. Thread-safe; retries nothing.

    Args:
        endpoint: where and which.
        sampling: how it writes.
        timeout: seconds one call may take, even if more are left of the question's budget.

    Raises:
        SetupError: the endpoint's address or model name is not usable.
    """

    def __init__(
        self, endpoint: Endpoint, *, sampling: Sampling | None = None, timeout: float = 180.0
    ) -> None:
        endpoint.check()
        self.endpoint = endpoint
        self._sampling = sampling or Sampling()
        self._timeout = timeout
        self._counts_tokens = True

    @property
    def name(self) -> str:
        """Name the model and the host that will see the data."""
        return f"{self.endpoint.model} at {self.endpoint.host}"

    @property
    def identity(self) -> str:
        """Tell what decides a reply besides the prompt; holds no key."""
        return self._sampling.identity(f"{self.endpoint.model}@{self.endpoint.host}")

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 60.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Answer one prompt within so many seconds, however slowly the endpoint drips.

        Args:
            prompt: what the model is shown.
            seconds: what is left of the question's budget.
            cancelled: asked every 50 ms; once true, the request is closed, so that a server of
                one's own stops working on it.
            on_token: is given the reply piece by piece, in the caller's thread.

        Raises:
            ModelUnavailable: no connection, a fault of the server, or the call's own time-out.
            BudgetExceeded: the seconds are over, or the caller cancelled.
            SetupError: the endpoint will not take this; names the setting.
        """
        if seconds <= 0:
            raise BudgetExceeded("No time is left to ask the model.")
        arrived = time.monotonic()
        pieces: SimpleQueue[str] = SimpleQueue()
        model = self._model
        started = time.monotonic()
        limit = min(seconds - (started - arrived), self._timeout)
        future = background.submit(self._call(model, prompt, limit, pieces))
        try:
            _watch(future, pieces, cancelled, on_token)
            reply = self._outcome(future, seconds)
        finally:
            future.cancel()
        return self._written(reply, time.monotonic() - started)

    @cached_property
    def _model(self) -> "ChatOpenAI":
        model = chat_model(
            base_url=self.endpoint.base_url,
            name=self.endpoint.model,
            api_key=self.endpoint.api_key,
            headers=self.endpoint.headers,
            query=self.endpoint.query,
            temperature=self._sampling.temperature,
            seed=self._sampling.seed,
            max_tokens=self._sampling.max_tokens,
            stop=self._sampling.stop,
            body=self._sampling.body,
        )
        # Its connections live on the background loop, so that is where they must be closed.
        weakref.finalize(self, background.start, model.root_async_client.close).atexit = False
        return model

    async def _call(
        self, model: "ChatOpenAI", prompt: Prompt, limit: float, pieces: "SimpleQueue[str]"
    ) -> "AIMessageChunk":
        async with asyncio.timeout(limit):
            try:
                return await _stream(model, prompt, pieces, usage=self._counts_tokens)
            except Exception as error:
                if not (self._counts_tokens and _refuses_usage(error)):
                    raise
                self._counts_tokens = False
            return await _stream(model, prompt, pieces, usage=False)

    def _outcome(self, future: "Future[AIMessageChunk]", seconds: float) -> "AIMessageChunk":
        """Return the reply, or raise what its failure means to whoever must act."""
        error = future.exception()
        if error is None:
            return future.result()
        if isinstance(error, TimeoutError):
            raise self._late(seconds)
        fault = fault_of(error, secrets=(self.endpoint.api_key, *self.endpoint.headers.values()))
        if fault is None:
            raise error
        # The client's own exception may quote the key, so it is not chained.
        raise as_ours(fault, self.endpoint.host) from None

    def _late(self, seconds: float) -> Exception:
        if seconds <= self._timeout:
            return BudgetExceeded(
                f"The {seconds:.1f} s left of the budget ended before {self.endpoint.host} did."
            )
        return ModelUnavailable(f"{self.endpoint.host}: no answer within {self._timeout:.0f} s")

    def _written(self, reply: "AIMessageChunk", seconds: float) -> Written:
        usage = reply.usage_metadata
        ending = reply.response_metadata.get("finish_reason")
        return Written(
            text=reply.text,
            seconds=seconds,
            tokens_in=usage["input_tokens"] if usage else 0,
            tokens_out=usage["output_tokens"] if usage else 0,
            model=self.endpoint.model,
            finished=None if ending is None else ending != "length",
        )


async def _stream(
    model: "ChatOpenAI", prompt: Prompt, pieces: "SimpleQueue[str]", *, usage: bool
) -> "AIMessageChunk":
    from langsmith import tracing_context

    whole: AIMessageChunk | None = None
    messages = [("system", prompt.system), ("user", prompt.user)]
    with tracing_context(enabled=False):
        async for chunk in model.astream([m for m in messages if m[1]], stream_usage=usage):
            pieces.put(chunk.text)
            whole = chunk if whole is None else whole + chunk
    if whole is None:
        raise ValueError("an empty stream")
    return whole


def _refuses_usage(error: Exception) -> bool:
    fault = fault_of(error)
    return fault is not None and fault.status in (400, 422) and "stream_options" in fault.text


def _watch(
    future: "Future[AIMessageChunk]",
    pieces: "SimpleQueue[str]",
    cancelled: Callable[[], bool] | None,
    on_token: Callable[[str], None] | None,
) -> None:
    """Wait for the call's end, handing on its pieces; end it when the caller cancels."""
    while not future.done():
        wait([future], timeout=_TICK)
        _hand_on(pieces, on_token)
        if cancelled and not future.done() and cancelled():
            raise BudgetExceeded("The question was cancelled while the model was writing.")


def _hand_on(pieces: "SimpleQueue[str]", on_token: Callable[[str], None] | None) -> None:
    try:
        while on_token:
            on_token(pieces.get_nowait())
    except Empty:
        return
