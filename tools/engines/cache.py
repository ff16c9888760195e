"""Private DuckDB copies of other sources, kept in a cache folder and built once."""

import errno
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from querymend.tools.engines.errors_duckdb import RAISED, clean, is_full
from querymend.tools.errors import SetupError

FORMAT = 1
"""Raise it when a copy's layout changes: older copies are then built anew."""
WAIT_SECONDS = 1_800.0

Build = Callable[[duckdb.DuckDBPyConnection], None]


def private_copy(source: Path, files: Sequence[Path], *, cache_dir: Path, build: Build) -> Path:
    """Return the DuckDB copy of a source, building it if there is none of these very files.

    The key is the path, size and time of every file. Two processes do not build the same copy
    twice, a half-built one is never seen, and older copies of the source are removed.

    Raises:
        SetupError: the source cannot be read, or the cache folder cannot be written.
    """
    stem = f"{_slug(source.name)}-{_digest(str(source.absolute()))[:12]}"
    target = cache_dir / f"{stem}-{_fingerprint(files)}.duckdb"
    if not target.is_file():
        with _told(cache_dir), _locked(cache_dir, stem):
            if not target.is_file():
                _build(target, build)
                _remove_others(target, stem)
    return target


def _build(target: Path, build: Build) -> None:
    scratch = target.with_suffix(".building")
    try:
        scratch.unlink(missing_ok=True)
        with duckdb.connect(str(scratch), config={"autoinstall_known_extensions": "false"}) as db:
            build(db)
        scratch.replace(target)
    finally:
        for left in target.parent.glob(f"{scratch.name}*"):
            left.unlink()


def _remove_others(target: Path, stem: str) -> None:
    for other in target.parent.glob(f"{stem}-*"):
        if other != target:
            other.unlink(missing_ok=True)


@contextmanager
def _locked(cache_dir: Path, stem: str) -> Iterator[None]:
    cache_dir.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(cache_dir / f"{stem}.lock", timeout=WAIT_SECONDS):
            yield
    except Timeout as error:
        raise SetupError(
            f"Another process has been loading the same data into {cache_dir} for more than "
            f"{WAIT_SECONDS / 60:g} minutes. End it, or choose another cache folder."
        ) from error


@contextmanager
def _told(cache_dir: Path) -> Iterator[None]:
    """Turn the faults of writing a copy into what the developer can do about them."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _full(cache_dir) from error
        raise SetupError(
            f"The cache folder {cache_dir} cannot be used: {error.strerror}. "
            "Choose another one, or change its permissions."
        ) from error
    except RAISED as error:
        if is_full(error):
            raise _full(cache_dir) from error
        raise SetupError(f"The data cannot be loaded: {clean(error)}") from error


def _full(cache_dir: Path) -> SetupError:
    return SetupError(
        f"The disk of the cache folder {cache_dir} is full. Free some space, "
        "or choose a cache folder on another disk."
    )


def _fingerprint(files: Sequence[Path]) -> str:
    facts = [f"{FORMAT} {duckdb.__version__}"]
    for path in files:
        try:
            stat = path.stat()
        except OSError as error:
            raise SetupError(f"{path.name} cannot be read: {error.strerror}.") from error
        facts.append(f"{path.absolute()} {stat.st_size} {stat.st_mtime_ns}")
    return _digest("\n".join(facts))[:16]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or "source"
