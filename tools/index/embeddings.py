"""Texts to vectors: a static model that ships in its package, or an OpenAI-compatible endpoint."""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from querymend.tools.errors import ModelUnavailable, SetupError

if TYPE_CHECKING:
    import numpy as np
    from langchain_openai import OpenAIEmbeddings
    from numpy.typing import NDArray

_IMPORTING = threading.Lock()


class Embedder(Protocol):
    """Turns texts into vectors. Serves many threads at once."""

    @property
    def fingerprint(self) -> str:
        """Names the model and its dimensions: vectors of two fingerprints never mix."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order, to be compared by cosine."""
        ...


class _Model(Protocol):
    """What is used of wordllama, which ships no types."""

    def embed(self, texts: list[str], norm: bool) -> "NDArray[np.float32]": ...


class StaticEmbedder:
    """WordLlama's 256 dimensions: offline, no GPU, thousands of texts a second on one core."""

    fingerprint = "wordllama/l2_supercat/256"

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector a text, in order; the first call loads the model (0.2 s)."""
        if not texts:
            return []
        with self._lock:
            model = self._model
        # A text without a known token would divide by zero.
        vectors = model.embed([text.strip() or "-" for text in texts], norm=True)
        return cast(list[list[float]], vectors.tolist())

    @cached_property
    def _model(self) -> _Model:
        with _root_logger_untouched():
            import wordllama  # type: ignore[import-untyped]  # it ships no types
        # It looks for its tokenizer under `tokenizer`, but ships it under `tokenizers`,
        # which it only finds as a cache folder.
        home = Path(wordllama.__file__).parent
        try:
            model = wordllama.WordLlama.load(cache_dir=home, dim=256, disable_download=True)
        except FileNotFoundError as error:
            raise SetupError(f"wordllama lacks its model: reinstall it ({error})") from error
        return cast(_Model, model)


@contextmanager
def _root_logger_untouched() -> Iterator[None]:
    """Undo what an import does to the root logger (wordllama calls basicConfig)."""
    with _IMPORTING:
        root = logging.getLogger()
        handlers, level = list(root.handlers), root.level
        try:
            yield
        finally:
            root.handlers[:] = handlers
            root.setLevel(level)


class OpenAIEmbedder:
    """Any endpoint that speaks OpenAI's embeddings protocol, chosen by its arguments alone."""

    def __init__(
        self, *, base_url: str, api_key: str, model: str, seconds: float = 30.0, retries: int = 1
    ) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._model = model
        self._seconds = seconds
        self._retries = retries
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Name the model; the endpoint that serves it does not change its vectors."""
        return f"openai/{self._model}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order (compare by cosine: not every model normalises).

        Raises:
            ModelUnavailable: the endpoint refused, failed or timed out.
        """
        import openai

        if not texts:
            return []
        with self._lock:
            client = self._client
        try:
            return client.embed_documents(list(texts))
        except (openai.OpenAIError, LookupError, TypeError) as error:
            kind = type(error).__name__
            raise ModelUnavailable(f"The embeddings endpoint failed: {kind}") from error

    @cached_property
    def _client(self) -> "OpenAIEmbeddings":
        import openai
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        key = self._api_key or "none"
        endpoint = openai.OpenAI(
            api_key=key, base_url=self._base_url, timeout=self._seconds, max_retries=self._retries
        )
        # Both come from the environment of whoever else uses OpenAI in this process.
        endpoint.organization = endpoint.project = None
        return OpenAIEmbeddings(
            client=endpoint.embeddings,
            model=self._model,
            base_url=self._base_url,
            api_key=SecretStr(key),
            openai_api_type=None,
            openai_proxy=None,
            organization=None,
            check_embedding_ctx_length=False,
        )
