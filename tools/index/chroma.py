"""Getting hold of Chroma without its habits: telemetry, ``.env``, the environment."""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from querymend.tools.errors import EngineUnavailable, SetupError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.config import Settings

SETTING = "QUERYMEND_INDEX__URL"
_OPENING = threading.Lock()


def connect(place: str | Path) -> "ClientAPI":
    """Open a folder, or a Chroma server by URL. Safe from several threads and processes.

    Raises:
        SetupError: it cannot be opened.
    """
    with _OPENING:
        failures = _failures()
        try:
            return _server(str(place)) if _is_url(place) else _folder(Path(place))
        except failures as error:
            raise SetupError(
                f"The index at {shown(place)} cannot be opened: {_said(error)}", setting=SETTING
            ) from error


def local_folder(place: str | Path, folder: Path | None) -> Path:
    """Return where files beside the index go, made where it is missing."""
    if folder is None and _is_url(place):
        raise SetupError("A Chroma server needs a local folder beside it", setting=SETTING)
    home = folder or Path(place)
    home.mkdir(parents=True, exist_ok=True)
    return home


def shown(place: str | Path) -> str:
    """Return the place as messages may show it: no credentials."""
    if not _is_url(place):
        return str(place)
    url = urlsplit(str(place))
    return f"{url.scheme}://{url.hostname or ''}:{_port(url.scheme, url.port)}"


def slug(warehouse: str) -> str:
    """Return a name that Chroma and file systems take, one for each warehouse."""
    plain = re.sub(r"[^a-zA-Z0-9]+", "-", warehouse).strip("-")[-40:].strip("-") or "warehouse"
    mark = hashlib.sha256(warehouse.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain}-{mark}"


@contextmanager
def chroma_errors(place: str) -> Iterator[None]:
    """Say in our own classes what Chroma raises; its NotFoundError passes."""
    from chromadb.errors import ChromaError, NotFoundError

    try:
        yield
    except NotFoundError:
        raise
    except ChromaError as error:
        raise EngineUnavailable(f"The index at {place} failed: {_said(error)}") from error


def _folder(path: Path) -> "ClientAPI":
    import chromadb

    path.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(path.resolve()), settings=_settings())


def _server(place: str) -> "ClientAPI":
    import chromadb

    url = urlsplit(place)
    tls = url.scheme == "https"
    return chromadb.HttpClient(
        host=url.hostname or "localhost",
        port=_port(url.scheme, url.port),
        ssl=tls,
        settings=_settings(),
    )


def _settings() -> "Settings":
    """Return Chroma's settings as given here: neither environment nor ``.env`` changes them."""
    return _sealed()(anonymized_telemetry=False)


@cache
def _sealed() -> "type[Settings]":
    """Return one class for all: Chroma shares a folder only among equal settings."""
    from chromadb.config import Settings
    from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

    class Sealed(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return (init_settings,)

    return Sealed


def _failures() -> tuple[type[Exception], ...]:
    """Import Chroma, and return what it raises where it cannot open a place.

    Its import reads the environment and ``.env`` whatever it is given later.
    """
    from pydantic import ValidationError

    try:
        from chromadb.errors import ChromaError
    except ValidationError as error:
        names = ", ".join(str(part) for fault in error.errors() for part in fault["loc"])
        raise SetupError(
            f"Chroma cannot be loaded: {names} in the environment or in .env is not what it takes"
        ) from None
    return (OSError, ValueError, ChromaError)


def _is_url(place: str | Path) -> bool:
    return isinstance(place, str) and re.match(r"https?://", place) is not None


def _port(scheme: str, port: int | None) -> int:
    return port or (443 if scheme == "https" else 8000)


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
