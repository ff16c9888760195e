"""Opens the engine that a source names: by its URL's scheme, else as local data.

A new kind of engine is one function and its line in ``SCHEMES``.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from querymend.settings import Settings
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import SetupError

Progress = Callable[[str, float], None]
"""Told what takes long: a text, and the share done between 0 and 1."""
Opener = Callable[[str, Settings], Engine]


def open_engine(source: str, settings: Settings, *, progress: Progress | None = None) -> Engine:
    """Open what the source names: a URL with one of the ``SCHEMES``, or a path to local data.

    Raises:
        SetupError: it cannot be opened, or no engine has that scheme; says the cure.
    """
    scheme = scheme_of(source)
    if scheme:
        return _opener(scheme)(source, settings)
    if settings.dialect not in ("", "duckdb", "athena"):
        raise SetupError(
            f"Local data is asked in duckdb or athena SQL, not in {settings.dialect}.",
            setting="QUERYMEND_DIALECT",
        )
    if settings.dialect == "athena":
        return _stand_in(source, settings, progress)
    from querymend.tools.engines.sources import open_source

    return open_source(source, cache_dir=settings.sources_dir, progress=progress)


def scheme_of(source: str) -> str:
    """Return a URL's scheme, or an empty text for a path."""
    scheme, separator, _ = source.partition("://")
    return scheme.lower() if separator and scheme.isascii() and scheme.isalnum() else ""


def _stand_in(source: str, settings: Settings, progress: Progress | None) -> Engine:
    """Let DuckDB stand in for Athena: local data, asked in Athena's SQL."""
    from querymend.tools.engines.sources import local_file
    from querymend.tools.engines.stand_in.engine import open_stand_in

    path = local_file(source, cache_dir=settings.sources_dir, progress=progress)
    databases = settings.athena.databases
    return open_stand_in(path, database=databases[0] if databases else "", name=Path(source).name)


def _opener(scheme: str) -> Opener:
    try:
        return SCHEMES[scheme]
    except KeyError:
        raise SetupError(
            f"No engine is reached by {scheme}://. There are {', '.join(sorted(SCHEMES))}, and"
            " paths to local data.",
            setting="QUERYMEND_SOURCE",
        ) from None


def _trino(source: str, settings: Settings) -> Engine:
    from querymend.tools.engines.trino.opening import open_trino

    return open_trino(source, password=settings.source_password.get_secret_value())


def _athena(source: str, settings: Settings) -> Engine:
    from querymend.tools.engines.athena.engine import open_athena
    from querymend.tools.engines.athena.place import AthenaPlace, read_url

    given = settings.athena
    base = AthenaPlace(
        region=given.region,
        databases=tuple(given.databases),
        workgroup=given.workgroup,
        catalog=given.catalog,
        output=given.output,
        managed=given.managed_results,
        role=given.role_arn,
        external_id=given.external_id,
        session_name=given.session_name,
        profile=given.profile,
        endpoint=given.endpoint_url,
        reuse_minutes=given.reuse_minutes,
        poll_seconds=given.poll_seconds,
        usd_per_tb=given.usd_per_tb,
    )
    return open_athena(read_url(source, base))


SCHEMES: Mapping[str, Opener] = MappingProxyType({"athena": _athena, "trino": _trino})
