"""The doctor's looks: one function each, from settings to what was found."""

import os
import platform
import shutil
import sys
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from querymend.cli.endpoint import plain_url
from querymend.settings import Settings
from querymend.tools.errors import QuerymendError, SetupError

State = Literal["ok", "missing", "unset"]
PACKAGES = ("duckdb", "sqlglot", "chromadb", "langgraph", "langchain-openai", "wordllama")
OLDEST = (3, 11)
ROOM = 500_000_000
"""Bytes that copies of sources and indexes should find free."""
REACH_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class Look:
    """One thing that was looked at."""

    what: str
    state: State
    """``unset``: not there, and not needed."""
    detail: str
    cure: str = ""
    """How to mend it; empty where it is fine."""


def python(settings: Settings) -> Look:
    """Look at the interpreter."""
    fine = sys.version_info >= OLDEST
    cure = "" if fine else "QueryMend needs Python 3.11 or newer."
    return _needed("Python", platform.python_version(), cure)


def packages(settings: Settings) -> Look:
    """Look at the packages that do the work."""
    found = {name: version_of(name) for name in PACKAGES}
    absent = [name for name, number in found.items() if not number]
    detail = ", ".join(f"{name} {number or 'is missing'}" for name, number in found.items())
    return _needed("packages", detail, f"pip install {' '.join(absent)}" if absent else "")


def cache(settings: Settings) -> Look:
    """Look at the folder for copies, indexes and the local model."""
    folder = settings.cache_dir
    existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    free = shutil.disk_usage(existing).free
    cure = ""
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        cure = "Nothing can be written there: set QUERYMEND_CACHE_DIR to another folder."
    elif free < ROOM:
        cure = "Make room, or set QUERYMEND_CACHE_DIR to a folder on another disk."
    return _needed("cache", f"{folder}, {free / 1e9:.1f} GB free", cure)


def source(settings: Settings) -> Look:
    """Look at the data, by opening it."""
    from querymend.engines import open_engine

    if not (settings.source or settings.pack):
        cure = "Set QUERYMEND_SOURCE or give --source; `querymend demo` needs none."
        return Look(what="source", state="unset", detail="no source named", cure=cure)
    try:
        where = settings.source or _own_warehouse(settings)
        with closing(open_engine(where, settings)) as engine:
            count = len(engine.catalog().tables)
            return _needed("source", f"{engine.name}, {count} tables ({engine.dialect} SQL)", "")
    except QuerymendError as error:
        return _refused("source", error)


def pack(settings: Settings) -> Look:
    """Look at the pack, by loading it."""
    from querymend.fewshot.pack import load_pack

    if not settings.pack:
        cure = "Optional: QUERYMEND_PACK names a folder with descriptions, facts and examples."
        return Look(what="pack", state="unset", detail="none: names must explain", cure=cure)
    try:
        found = load_pack(settings.pack)
    except SetupError as error:
        return _refused("pack", error)
    counts = f"{len(found.facts)} facts, {len(found.examples_in('duckdb'))} examples"
    return _needed("pack", f"{found.name}: {counts}", "")


def index(settings: Settings) -> Look:
    """Look at where the index is kept."""
    place = settings.index
    if place.url:
        return reachable("index", place.url, "QUERYMEND_INDEX__URL")
    folder = place.path or settings.cache_dir / "index"
    if folder.is_dir() and any(folder.iterdir()):
        return _needed("index", str(folder), "")
    cure = "The first question builds it, or `querymend index`."
    return Look(what="index", state="unset", detail=f"none yet in {folder}", cure=cure)


def embedding(settings: Settings) -> Look:
    """Look at what turns texts into vectors."""
    if settings.embedding.base_url:
        return reachable("embedding", settings.embedding.base_url, "QUERYMEND_EMBEDDING__BASE_URL")
    cure = "" if version_of("wordllama") else "pip install wordllama"
    return _needed("embedding", "wordllama (in this process, offline)", cure)


def model(settings: Settings) -> Look:
    """Look at what writes the SQL: whether the endpoint that will see the data is there."""
    chosen = settings.model
    if not chosen.base_url:
        return _local_runtime()
    if not chosen.name:
        cure = "Set QUERYMEND_MODEL__NAME to a model of that endpoint."
        return _needed("model", f"{plain_url(chosen.base_url)}: no model named", cure)
    found = reachable("model", chosen.base_url, "QUERYMEND_MODEL__BASE_URL")
    return Look(
        what="model",
        state=found.state,
        detail=f"{chosen.name} at {found.detail}, sees schema and sample rows",
        cure=found.cure,
    )


def weights(settings: Settings) -> Look | None:
    """Look for the local model's file; None where a hosted model is set."""
    from querymend.model.weights import WEIGHTS, is_here

    chosen = settings.model
    if chosen.base_url:
        return None
    if is_here(path=chosen.weights, cache_dir=settings.cache_dir):
        return _needed("weights", str(chosen.weights or WEIGHTS.file), "")
    if chosen.weights is not None:
        cure = "Correct QUERYMEND_MODEL__WEIGHTS, or leave it out to have them fetched."
        return _needed("weights", f"{chosen.weights} is not there", cure)
    detail = f"{WEIGHTS.file}, {WEIGHTS.size / 1e9:.1f} GB: not on this machine yet"
    cure = "The first question fetches them; QUERYMEND_MODEL__WEIGHTS names a file you have."
    return Look(what="weights", state="unset", detail=detail, cure=cure)


def reachable(what: str, url: str, setting: str) -> Look:
    """Look whether something answers at a URL; whatever it answers, it is there."""
    import httpx

    try:
        with httpx.Client(timeout=REACH_SECONDS) as client:
            status = client.get(url).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        detail = f"{plain_url(url)}: {type(error).__name__}"
        return _needed(what, detail, f"Start it, or correct {setting}.")
    return _needed(what, f"{plain_url(url)} (answers {status})", "")


def version_of(package: str) -> str:
    """Return an installed package's version, or an empty text."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _local_runtime() -> Look:
    number = version_of("xllamacpp")
    cure = "" if number else "pip install 'querymend[local]', or set QUERYMEND_MODEL__BASE_URL."
    detail = f"local model, in this process: xllamacpp {number or 'is missing'}"
    return _needed("model", detail, cure)


def _own_warehouse(settings: Settings) -> str:
    """Return the pack's own warehouse, built if it is not there yet."""
    from querymend.fewshot.build import warehouse_path
    from querymend.fewshot.pack import load_pack

    return str(warehouse_path(load_pack(settings.pack), settings.sources_dir))


def _needed(what: str, detail: str, cure: str) -> Look:
    """Return a look at what no question goes without: fine exactly if it needs no cure."""
    return Look(what=what, state="missing" if cure else "ok", detail=detail, cure=cure)


def _refused(what: str, error: QuerymendError) -> Look:
    setting = getattr(error, "setting", "")
    return _needed(what, str(error), f"Correct {setting or f'--{what}'}.")
