"""Opening a warehouse: source, catalog, index and model, each once, kept between processes.

What was profiled and indexed is kept beside the index with a stamp of what it was made from; an
unchanged warehouse opens without reading its data again.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from querymend.dialect_examples import examples_for
from querymend.engines import Progress, open_engine, scheme_of
from querymend.loop.trip import Deps
from querymend.model.endpoint import writer_for
from querymend.model.writer import Writer
from querymend.settings import Settings
from querymend.tools.catalog.describe import describe
from querymend.tools.catalog.inferred import infer_keys
from querymend.tools.catalog.looked import LookedAt
from querymend.tools.catalog.model import Catalog
from querymend.tools.catalog.named_keys import keys_by_name
from querymend.tools.catalog.profile import profile
from querymend.tools.catalog.stored import dump_catalog, load_catalog
from querymend.tools.engines.engine import Engine
from querymend.tools.engines.estimate import Charges
from querymend.tools.errors import SetupError
from querymend.tools.index.embeddings import Embedder, OpenAIEmbedder, StaticEmbedder
from querymend.tools.index.read_values import read_values
from querymend.tools.index.retrieve import Retriever
from querymend.tools.index.store import Store, open_store
from querymend.tools.index.sync import SyncReport, sync
from querymend.tools.index.values import ColumnValues, ValueIndex

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack

LAYOUT = 1
"""Raise it when what is kept changes its form or its meaning."""


@dataclass(frozen=True, kw_only=True)
class Warehouse:
    """What an agent stands on."""

    deps: Deps
    store: Store
    pack: "Pack | None" = None
    pinned_today: date | None = None
    local_model: bool = False
    report: SyncReport | None = None
    """What indexing wrote; None where nothing had changed."""

    def today(self) -> date:
        """Return what "today" means: the settings', the pack's, or the clock's date."""
        return self.pinned_today or date.today()

    def close(self) -> None:
        """Give back the engine."""
        self.deps.engine.close()


def open_warehouse(
    settings: Settings,
    *,
    writer: Writer | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    fresh: bool = False,
) -> Warehouse:
    """Open what the settings name.

    Args:
        settings: source, pack, index, model.
        writer: writes the SQL instead of the model that the settings choose.
        progress: is told what takes long.
        log: is told what a person should know, one line each.
        fresh: read data and index again even if nothing seems to have changed.

    Raises:
        SetupError: something is not as it must be; names the setting that cures it.
    """
    say = log or _silent
    pack = _pack(settings)
    source = source_of(settings, pack)
    engine = open_engine(source, settings, progress=progress)
    embedder = _embedder(settings)
    store = open_store(
        settings.index.url or settings.index_dir,
        warehouse=_identity(source, pack, settings.dialect),
        fingerprint=embedder.fingerprint,
        folder=settings.index_dir,
    )
    kept = _Kept(store, stamp_of(source, pack, settings, embedder, engine))
    looked = looked_at(store)
    catalog, report = None if fresh else kept.catalog(), None
    if catalog is None:
        catalog = read(engine, pack, settings, progress=progress, log=say, looked=looked)
        report = index(store, embedder, engine, catalog, pack, looked, log=say)
        kept.keep(catalog)
    values = ValueIndex(store.values_path)
    deps = Deps(
        engine=engine,
        writer=writer or writer_for(settings.model, settings.cache_dir, progress=progress, log=say),
        catalog=catalog,
        retriever=Retriever(store, embedder, values),
        values=values,
        embedder=embedder,
        settings=settings,
        facts=pack.facts if pack else (),
    )
    return Warehouse(
        deps=deps,
        store=store,
        pack=pack,
        pinned_today=settings.today or (pack.today if pack else None),
        local_model=writer is None and not settings.model.base_url,
        report=report,
    )


def source_of(settings: Settings, pack: "Pack | None") -> str:
    """Return what to ask: the settings' source, else the pack's own warehouse.

    Raises:
        SetupError: neither is there.
    """
    if settings.source:
        return settings.source
    if pack is None or pack.warehouse_sql is None:
        raise SetupError(
            "Nothing says which data to ask: give a .duckdb or .sqlite file, or a folder of"
            " Parquet, CSV or JSON, or the pack 'retail' for a try.",
            setting="QUERYMEND_SOURCE",
        )
    from querymend.fewshot.build import warehouse_path

    return str(warehouse_path(pack, settings.sources_dir))


def read(
    engine: Engine,
    pack: "Pack | None",
    settings: Settings,
    *,
    progress: Progress | None,
    log: Callable[[str], None],
    looked: LookedAt | None = None,
) -> Catalog:
    """Read the engine's catalog, add the pack's notes, look at the data, and infer keys.

    Where scans cost money nothing is looked at: what was seen of tables that somebody asked for
    is taken from ``looked``, and keys are told by names alone.
    """
    catalog = engine.catalog()
    if pack is not None:
        catalog, strays = describe(catalog, pack.notes)
        for stray in strays:
            log(f"{pack.name}/catalog.yaml: {stray}")
    if isinstance(engine, Charges):
        return keys_by_name(looked.onto(catalog) if looked else catalog)
    seen = profile(engine, catalog, sample_rows=settings.retrieval.sample_rows, progress=progress)
    return infer_keys(engine, seen)


def looked_at(store: Store) -> LookedAt:
    """Return what was seen of tables whose data are read only on demand."""
    return LookedAt(store.values_path.with_suffix(".looked.json"))


def index(
    store: Store,
    embedder: Embedder,
    engine: Engine,
    catalog: Catalog,
    pack: "Pack | None",
    looked: LookedAt | None = None,
    *,
    log: Callable[[str], None] | None = None,
) -> SyncReport:
    """Bring the index in step with catalog, pack and data; write only what changed."""
    say = log or _silent
    return sync(
        store,
        embedder,
        catalog=catalog,
        examples=examples_for(pack, engine.dialect, catalog, log=say) if pack else (),
        facts=pack.facts if pack else (),
        values=_values(engine, catalog, looked),
    )


def _values(engine: Engine, catalog: Catalog, looked: LookedAt | None) -> Iterable[ColumnValues]:
    if isinstance(engine, Charges):
        return looked.values(catalog) if looked else ()
    return read_values(engine, catalog)


def stamp_of(
    source: str, pack: "Pack | None", settings: Settings, embedder: Embedder, engine: Engine
) -> str:
    """Return a text that changes whenever the warehouse must be read again.

    Files tell it by size and time; a server by its tables, columns and types.
    """
    parts = [str(LAYOUT), embedder.fingerprint, str(settings.retrieval.sample_rows)]
    parts += [engine.dialect] if settings.dialect else []
    parts += [dump_catalog(engine.catalog())] if scheme_of(source) else _marks(_files(source))
    if pack is not None:
        parts += [p.read_text(encoding="utf-8") for p in sorted(pack.folder.glob("*.yaml"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _files(source: str) -> list[Path]:
    path = Path(source).expanduser()
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.is_file())
    if path.exists():
        return [path]
    return sorted(p for p in path.parent.glob(path.name) if p.is_file())


def _marks(files: Iterable[Path]) -> list[str]:
    stats = ((f, f.stat()) for f in files)
    return [f"{f.absolute()} {s.st_size} {s.st_mtime_ns}" for f, s in stats]


def _identity(source: str, pack: "Pack | None", dialect: str) -> str:
    where = source if scheme_of(source) else Path(source).expanduser().absolute()
    whole = f"{where} {pack.folder if pack else ''}{dialect}"
    return f"{Path(source).stem}-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def _pack(settings: Settings) -> "Pack | None":
    if not settings.pack:
        return None
    from querymend.fewshot.pack import load_pack

    return load_pack(settings.pack)


def _embedder(settings: Settings) -> Embedder:
    chosen = settings.embedding
    if not chosen.base_url:
        return StaticEmbedder()
    return OpenAIEmbedder(
        base_url=chosen.base_url, api_key=chosen.api_key.get_secret_value(), model=chosen.name
    )


def _silent(line: str) -> None:
    """Say nothing."""


class _Kept:
    """The catalog as it was when the index was last brought in step."""

    def __init__(self, store: Store, stamp: str) -> None:
        self._file = store.values_path.with_suffix(".catalog.json")
        self._stamp = stamp

    def catalog(self) -> Catalog | None:
        """Return it, if it was made from what is there now."""
        try:
            stamp, _, text = self._file.read_text(encoding="utf-8").partition("\n")
            return load_catalog(text) if stamp == self._stamp else None
        except (OSError, ValueError):
            return None

    def keep(self, catalog: Catalog) -> None:
        """Write it, whole or not at all."""
        unfinished = self._file.with_suffix(".part")
        unfinished.write_text(f"{self._stamp}\n{dump_catalog(catalog)}", encoding="utf-8")
        unfinished.replace(self._file)
