"""Choose the writer that the settings name: a hosted endpoint, or else the local model."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from querymend.model.chat import ChatWriter, Endpoint, Sampling
from querymend.model.weights import find_weights, fingerprint
from querymend.model.writer import Prompt, Writer, Written

if TYPE_CHECKING:
    from querymend.settings import ModelSettings


def writer_for(
    model: "ModelSettings",
    cache_dir: Path,
    *,
    progress: Callable[[str, float], None] | None = None,
    log: Callable[[str], None] | None = None,
    keep: bool = False,
) -> Writer:
    """Return what writes the SQL.

    Args:
        model: the settings. Without a ``base_url`` the local model serves; its weights are
            fetched here if they are not on this machine, and loaded with the first call.
        cache_dir: the folder for weights and kept replies.
        progress: is told a text and the share done while weights are fetched.
        log: is told what a person should know, one line each.
        keep: keep replies by prompt and model, so that the same call costs nothing again.

    Raises:
        SetupError: the settings name no usable endpoint, or weights cannot be had.
    """
    sampling = Sampling(max_tokens=model.max_tokens)
    writer: ChatWriter | LocalWriter
    if model.base_url:
        writer = ChatWriter(_hosted(model), sampling=sampling)
    else:
        weights = find_weights(path=model.weights, cache_dir=cache_dir, progress=progress, log=log)
        writer = LocalWriter(weights, sampling=sampling, threads=model.threads)
    if not keep:
        return writer
    from querymend.model.reply_cache import CachedWriter

    return CachedWriter(writer, cache_dir / "replies.sqlite")


def _hosted(model: "ModelSettings") -> Endpoint:
    return Endpoint(
        base_url=model.base_url,
        model=model.name,
        api_key=model.api_key.get_secret_value(),
        headers=model.headers,
        query=model.query,
    )


class LocalWriter:
    """The local model as a writer; it is loaded with the first call, in about five seconds."""

    def __init__(
        self, weights: Path, *, sampling: Sampling | None = None, threads: int | None = None
    ) -> None:
        self._weights = weights
        self._sampling = sampling or Sampling()
        self._threads = threads
        self._chat: ChatWriter | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Name the file; no data leaves this machine."""
        return f"{self._weights.stem} on this machine"

    @property
    def identity(self) -> str:
        """Tell the weights and the sampling, whatever the port."""
        return self._sampling.identity(fingerprint(self._weights))

    def start(self) -> ChatWriter:
        """Load the model if this process has not done so.

        Raises:
            SetupError: the weights cannot be loaded.
        """
        from querymend.model.server import local_endpoint

        endpoint = local_endpoint(self._weights, threads=self._threads)
        with self._lock:
            if self._chat is None or self._chat.endpoint != endpoint:
                self._chat = ChatWriter(endpoint, sampling=self._sampling)
            return self._chat

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 180.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Answer one prompt; see `ChatWriter.write`."""
        return self.start().write(prompt, seconds=seconds, cancelled=cancelled, on_token=on_token)
