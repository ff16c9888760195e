"""The doctor's looks, one function each, and their table."""

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from querymend.cli.endpoint import plain_url
from querymend.cli.exits import SETUP
from querymend.cli.opening import settings_from
from querymend.cli.show import clean
from querymend.settings import Settings
from querymend.tools.errors import QuerymendError, SetupError

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack

State = Literal["ok", "missing", "unset"]
MARKS: dict[State, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "missing": ("missing", "bold red"),
    "unset": ("not set", "yellow"),
}
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
    detail: str
    cure: str = ""
    """How to mend it; empty where it is fine."""


def doctor_and_show(*, source: str, pack: str, as_json: bool) -> None:
    """Look at everything, print it, and exit 5 if something needed is missing."""
    looks = list(looks_of(settings_from(source=source, pack=pack)))
    if as_json:
        typer.echo(json.dumps([asdict(look) for look in looks], ensure_ascii=False, indent=2))
    else:
        _show(Console(), looks)
    if any(look.state == "missing" for look in looks):
        raise typer.Exit(SETUP)


def looks_of(settings: Settings) -> Iterator[Look]:
    """Yield the looks, in the order in which a person would mend things."""
    yield python()
    yield packages()
    yield cache(settings)
    yield data(settings)
    yield pack_of(settings)
    yield index(settings)
    yield embedding(settings)
    yield from model(settings)


def python() -> Look:
    """Look at the interpreter."""
    fine = sys.version_info >= OLDEST
    return Look(
        what="Python",
        state="ok" if fine else "missing",
        detail=platform.python_version(),
        cure="" if fine else "QueryMend needs Python 3.11 or newer.",
    )


def packages() -> Look:
    """Look at the packages that do the work."""
    found = {name: _version(name) for name in PACKAGES}
    absent = [name for name, number in found.items() if not number]
    return Look(
        what="packages",
        state="missing" if absent else "ok",
        detail=", ".join(f"{name} {number or 'is missing'}" for name, number in found.items()),
        cure=f"pip install {' '.join(absent)}" if absent else "",
    )


def cache(settings: Settings) -> Look:
    """Look at the folder for copies, indexes and the local model."""
    folder = settings.cache_dir
    existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    free = shutil.disk_usage(existing).free
    detail = f"{folder}, {free / 1e9:.1f} GB free"
    if not os.access(existing, os.W_OK):
        cure = "Nothing can be written there: set QUERYMEND_CACHE_DIR to another folder."
        return Look(what="cache", state="missing", detail=detail, cure=cure)
    if free < ROOM:
        cure = "Make room, or set QUERYMEND_CACHE_DIR to a folder on another disk."
        return Look(what="cache", state="missing", detail=detail, cure=cure)
    return Look(what="cache", state="ok", detail=detail)


def data(settings: Settings) -> Look:
    """Look at the source, by opening it."""
    from querymend.tools.engines.sources import open_source
    from querymend.warehouse import source_of

    if not (settings.source or settings.pack):
        cure = "Set QUERYMEND_SOURCE or give --source; `querymend demo` needs none."
        return Look(what="source", state="unset", detail="no source named", cure=cure)
    try:
        source = source_of(settings, _pack(settings))
        with closing(open_source(source, cache_dir=settings.cache_dir / "sources")) as engine:
            detail = f"{engine.name}, {len(engine.catalog().tables)} tables ({engine.dialect} SQL)"
    except QuerymendError as error:
        return _missing("source", error)
    return Look(what="source", state="ok", detail=detail)


def pack_of(settings: Settings) -> Look:
    """Look at the pack, by loading it."""
    if not settings.pack:
        cure = "Optional: QUERYMEND_PACK names a folder with descriptions, facts and examples."
        return Look(what="pack", state="unset", detail="none: names alone must explain", cure=cure)
    from querymend.fewshot.pack import load_pack

    try:
        pack = load_pack(settings.pack)
    except SetupError as error:
        return _missing("pack", error)
    counts = f"{len(pack.facts)} facts, {len(pack.examples_in('duckdb'))} examples"
    return Look(what="pack", state="ok", detail=f"{pack.name}: {counts}")


def index(settings: Settings) -> Look:
    """Look at where the index is kept."""
    place = settings.index
    if place.url:
        return reachable("index", place.url, "QUERYMEND_INDEX__URL")
    folder = place.path or settings.cache_dir / "index"
    if folder.is_dir() and any(folder.iterdir()):
        return Look(what="index", state="ok", detail=str(folder))
    cure = "The first question builds it, or `querymend index`."
    return Look(what="index", state="unset", detail=f"none yet in {folder}", cure=cure)


def embedding(settings: Settings) -> Look:
    """Look at what turns texts into vectors."""
    if settings.embedding.base_url:
        return reachable("embedding", settings.embedding.base_url, "QUERYMEND_EMBEDDING__BASE_URL")
    if not _version("wordllama"):
        return Look(
            what="embedding", state="missing", detail="wordllama", cure="pip install wordllama"
        )
    return Look(what="embedding", state="ok", detail="wordllama (in this process, offline)")


def model(settings: Settings) -> Iterator[Look]:
    """Look at the model: which endpoint will see the data, and whether it is there."""
    if settings.model.base_url:
        yield reachable("model", settings.model.base_url, "QUERYMEND_MODEL__BASE_URL")
        if not settings.model.name:
            cure = "Set QUERYMEND_MODEL__NAME to a model of that endpoint."
            yield Look(what="model name", state="missing", detail="none", cure=cure)
        return
    yield from local_model(settings)


def local_model(settings: Settings) -> Iterator[Look]:
    """Look at what the local model runs on, and at its weights."""
    runtime = _version("xllamacpp")
    yield Look(
        what="model",
        state="ok" if runtime else "missing",
        detail=f"local model, in this process: xllamacpp {runtime or 'is missing'}",
        cure="" if runtime else "pip install 'querymend[local]', or set QUERYMEND_MODEL__BASE_URL.",
    )


def reachable(what: str, url: str, setting: str) -> Look:
    """Look whether something answers at a URL; whatever it answers, it is there."""
    import httpx

    try:
        with httpx.Client(timeout=REACH_SECONDS, trust_env=True) as client:
            status = client.get(url).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        cure = f"Start it, or correct {setting}."
        detail = f"{plain_url(url)}: {type(error).__name__}"
        return Look(what=what, state="missing", detail=detail, cure=cure)
    return Look(what=what, state="ok", detail=f"{plain_url(url)} (answers {status})")


def _missing(what: str, error: QuerymendError) -> Look:
    setting = getattr(error, "setting", "")
    cure = f"Set {setting} right." if setting else "See the message."
    return Look(what=what, state="missing", detail=str(error), cure=cure)


def _pack(settings: Settings) -> "Pack | None":
    from querymend.fewshot.pack import load_pack

    return load_pack(settings.pack) if settings.pack else None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _show(console: Console, looks: list[Look]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for look in looks:
        mark, style = MARKS[look.state]
        said = Text(clean(look.detail))
        if look.cure:
            said.append(f"\n→ {look.cure}", style="bold")
        table.add_row(look.what, Text(mark, style=style), said)
    console.print(table)
