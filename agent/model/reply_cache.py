"""Keep replies by prompt and model in LangChain's SQLite cache, with what they first cost.

LangChain asks its cache for whole answers only, never for streamed ones: it is asked here.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from querymend.model.writer import Prompt, Writer, Written
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from langchain_community.cache import SQLiteCache


class _Identified(Writer, Protocol):
    @property
    def identity(self) -> str: ...


class CachedWriter:
    """A writer that answers what it has seen from a file, with the first call's time and tokens.

    The key is both texts of the prompt and the writer's ``identity`` (the weights or the model and
    its host, and how it samples). Failures are not kept, nor is a reply without text.

    Args:
        writer: answers what is not in the file.
        path: the SQLite file; it is created, and any number of processes may share it.
    """

    def __init__(self, writer: _Identified, path: Path) -> None:
        self._writer = writer
        self._cache = _open(path)
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Name the model behind the file."""
        return self._writer.name

    @property
    def identity(self) -> str:
        """Tell what decides a reply besides the prompt."""
        return self._writer.identity

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 60.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Answer from the file, or ask the writer and keep what it says."""
        key = json.dumps([prompt.system, prompt.user], ensure_ascii=False)
        kept = self._read(key)
        if kept:
            return kept
        written = self._writer.write(
            prompt, seconds=seconds, cancelled=cancelled, on_token=on_token
        )
        if written.text.strip():
            self._keep(key, written)
        return written

    def _read(self, key: str) -> Written | None:
        with self._lock, _without_warnings():
            found = self._cache.lookup(key, self.identity)
        if not found:
            return None
        cost = found[0].generation_info or {}
        return Written(text=found[0].text, cached=True, **cost)

    def _keep(self, key: str, written: Written) -> None:
        from langchain_core.outputs import Generation

        cost = {
            "seconds": written.seconds,
            "tokens_in": written.tokens_in,
            "tokens_out": written.tokens_out,
            "model": written.model,
            "finished": written.finished,
        }
        with self._lock:
            self._cache.update(
                key, self.identity, [Generation(text=written.text, generation_info=cost)]
            )


def _open(path: Path) -> "SQLiteCache":
    try:
        with _without_warnings():
            from langchain_community.cache import SQLiteCache
    except ImportError:
        raise SetupError(
            "Keeping replies needs langchain-community: pip install 'querymend[eval]'."
        ) from None
    from sqlalchemy.exc import DatabaseError

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return SQLiteCache(str(path))
    except DatabaseError as error:
        raise SetupError(
            f"{path} cannot be used to keep replies ({error.orig}); move it away.",
            setting="QUERYMEND_CACHE_DIR",
        ) from error


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Hide that the package is in maintenance and that loading will ask for a list of classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
