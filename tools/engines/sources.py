"""Opens whatever local data a user points at, as one DuckDB engine."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from querymend.tools.engines.cache import private_copy
from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.engines.files import data_format, find_files, group, load_files, root_of
from querymend.tools.engines.sqlite import MAGIC, copy_sqlite, sqlite_files
from querymend.tools.errors import SetupError

DUCKDB_SUFFIXES = (".duckdb", ".ddb")
SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
Progress = Callable[[str, float], None]


def open_source(
    source: str | Path,
    *,
    cache_dir: Path,
    progress: Progress | None = None,
    memory: str = "2GB",
    threads: int = 2,
) -> DuckDBEngine:
    """Open a DuckDB file, a SQLite file, or a file, folder or glob of Parquet, CSV or JSON.

    A DuckDB file is opened where it is. Anything else is loaded once into a private copy in
    ``cache_dir`` and loaded again when a file's size or time has changed.

    Args:
        source: the path; a glob if it holds ``*``, ``?`` or ``[`` and no such file exists.
        cache_dir: the folder for private copies; made if it is not there.
        progress: called with a table's name and the share of tables done, while loading.
        memory: what a query may use, in DuckDB's spelling.
        threads: how many cores a query may use.

    Raises:
        SetupError: missing, unreadable or of an unknown kind; names the file and the cure.
    """
    path = local_file(source, cache_dir=cache_dir, progress=progress)
    return open_duckdb(path, memory=memory, threads=threads, name=Path(source).name)


def local_file(source: str | Path, *, cache_dir: Path, progress: Progress | None = None) -> Path:
    """Return the DuckDB file that holds a source: itself, or the private copy, made if need be.

    Raises:
        SetupError: missing, unreadable or of an unknown kind; names the file and the cure.
    """
    path = Path(source).expanduser()
    kind = _kind(path)
    if kind == "duckdb":
        return path
    if kind == "sqlite":
        return _sqlite(path, cache_dir, progress)
    return _files(path, cache_dir, progress)


def _kind(path: Path) -> str:
    """Tell by a file's first bytes what it is, and only then by its name."""
    if path.is_dir() or (not path.exists() and any(c in str(path) for c in "*?[")):
        return "files"
    head = _head(path)
    if head.startswith(MAGIC):
        return "sqlite"
    if head[8:12] == b"DUCK" or path.suffix.lower() in DUCKDB_SUFFIXES:
        return "duckdb"
    if data_format(path):
        return "files"
    if path.suffix.lower() in SQLITE_SUFFIXES and head:
        raise SetupError(
            f"{path.name} is neither a SQLite nor a DuckDB database, or it is damaged."
        )
    fault = "no kind of data that can be opened" if head else "empty"
    raise SetupError(
        f"{path.name} is {fault}. Give a DuckDB or SQLite file, "
        "or a file, folder or glob of Parquet, CSV or JSON."
    )


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except FileNotFoundError as error:
        raise SetupError(f"There is no file or folder {path}. Check the path.") from error
    except OSError as error:
        raise SetupError(f"{path.name} cannot be read: {error.strerror}.") from error


def _sqlite(path: Path, cache_dir: Path, progress: Progress | None) -> Path:
    return private_copy(
        path,
        sqlite_files(path),
        cache_dir=cache_dir,
        build=partial(copy_sqlite, path, progress=progress),
    )


def _files(source: Path, cache_dir: Path, progress: Progress | None) -> Path:
    files = find_files(source)
    tables = group(files, root_of(source))
    return private_copy(
        source, files, cache_dir=cache_dir, build=partial(load_files, tables, progress=progress)
    )
