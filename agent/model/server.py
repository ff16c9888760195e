"""Serve the local model: llama.cpp inside this process, behind a loopback port and a random key.

A second question with the same beginning costs only its own tokens: the slot keeps the last
prompt, and a cache in memory those before it, so that a repair or another database's prompt in
between does not push the first out.
"""

import atexit
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from querymend.model import background
from querymend.model.chat import Endpoint
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from xllamacpp import CommonParams, Server  # type: ignore[import-untyped]

CONTEXT = 4096
_STEP = 128
"""Prompt tokens read between two looks at whether the caller is still there (about 3 s)."""
_PROMPT_CACHE_MIB = 512
"""Room for the states of past prompts; 1,500 tokens of this model take 42 MiB."""


@dataclass(frozen=True, kw_only=True)
class _Key:
    weights: Path
    threads: int
    context: int


@dataclass(kw_only=True)
class _Running:
    server: "Server"
    endpoint: Endpoint


_lock = Lock()
_running: dict[_Key, _Running] = {}
_of_parent: list[_Running] = []


def local_endpoint(
    weights: Path, *, threads: int | None = None, context: int = CONTEXT
) -> Endpoint:
    """Return the endpoint that serves these weights, starting it with the first call.

    One server a process and file serves every agent and thread; questions wait for each other,
    since the model uses all cores for one. It ends with the process. A forked child starts its own.

    Args:
        weights: the GGUF file.
        threads: how many compute; every core without it.
        context: the most tokens of a prompt and its reply together.

    Raises:
        SetupError: the package is missing, or the file cannot be loaded.
    """
    key = _Key(weights=weights.resolve(), threads=threads or _cores(), context=context)
    with _lock:
        if key not in _running:
            _running[key] = _start(key)
        return _running[key].endpoint


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(key: _Key) -> _Running:
    try:
        from xllamacpp import Server
    except ImportError:
        raise SetupError(
            "The local model needs xllamacpp: pip install 'querymend[local]', or name an endpoint.",
            setting="QUERYMEND_MODEL__BASE_URL",
        ) from None
    if not key.weights.is_file():
        raise SetupError(f"No such file: {key.weights}", setting="QUERYMEND_MODEL__WEIGHTS")
    password = secrets.token_urlsafe(24)
    try:
        server = Server(_parameters(key, password))
    except RuntimeError as error:
        raise SetupError(
            f"{key.weights} cannot be loaded ({error}).", setting="QUERYMEND_MODEL__WEIGHTS"
        ) from error
    endpoint = Endpoint(
        base_url=f"{server.listening_address}/v1",
        model=key.weights.stem,
        api_key=password,
    )
    return _Running(server=server, endpoint=endpoint)


def _parameters(key: _Key, password: str) -> "CommonParams":
    from xllamacpp import CommonParams

    params = CommonParams()
    params.model.path = str(key.weights)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [password]
    params.n_ctx = key.context
    params.n_parallel = 1
    params.cpuparams.n_threads = key.threads
    params.n_batch = params.n_ubatch = _STEP
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.warmup = False
    params.verbosity = 0
    params.ui = False
    params.endpoint_slots = False
    return params


def stop() -> None:
    """End every server; a call under way is ended first. Runs by itself when the process ends."""
    background.cancel_all()
    with _lock:
        _running.clear()


def _forget() -> None:
    """Leave the parent's servers alone in a forked child.

    Their threads do not exist here, so even their destructors would wait for ever: one reference
    too many keeps those from running.
    """
    global _lock
    import ctypes

    _lock = Lock()
    for running in _running.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(running.server))
    _of_parent.extend(_running.values())
    _running.clear()


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
