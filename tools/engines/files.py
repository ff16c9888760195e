"""Finds Parquet, CSV and JSON files, groups them into tables, and loads them into DuckDB."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from sqlglot import exp

from querymend.tools.engines.encodings import as_utf8
from querymend.tools.engines.errors_duckdb import RAISED, clean, is_full
from querymend.tools.errors import SetupError

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
PACKED = (".gz", ".zst")
Progress = Callable[[str, float], None]
_PARTITION = re.compile(r"[^=]+=.*")
_PART_FILE = re.compile(r"(part|data)?[-_.]?\d.*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class FileTable:
    """One table: its name and the files that hold its rows."""

    name: str
    format: str
    files: tuple[Path, ...]


def data_format(path: Path) -> str | None:
    """Return ``parquet``, ``csv`` or ``json`` by the file's name, or None for another kind."""
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return FORMATS.get(suffixes[-1]) if suffixes else None


def find_files(source: Path) -> list[Path]:
    """List the data files of a file, a folder (searched through) or a glob, sorted.

    Files and folders whose names begin with a dot or an underscore are left out: they are
    other programs' notes.

    Raises:
        SetupError: none is there.
    """
    root = root_of(source)
    found = [source] if source.is_file() else sorted(root.glob(_pattern(source, root)))
    files = [p for f in found for p in (sorted(f.rglob("*")) if f.is_dir() else [f])]
    kept = [p for p in dict.fromkeys(files) if p.is_file() and _wanted(p, root)]
    if not kept:
        raise SetupError(
            f"There are no Parquet, CSV or JSON files in {source}. "
            f"Names must end in {', '.join(FORMATS)}, also packed as {' or '.join(PACKED)}."
        )
    return kept


def root_of(source: Path) -> Path:
    """Return the folder that a source lies in: itself, or the part before a glob's first star."""
    root = source
    while not root.is_dir() and root != root.parent:
        root = root.parent
    return root


def group(files: Sequence[Path], root: Path) -> list[FileTable]:
    """Make tables of files: each its own, but one of a partitioned folder or of numbered parts."""
    grouped: defaultdict[tuple[Path, str], list[Path]] = defaultdict(list)
    for path in files:
        grouped[_table_path(path, root), data_format(path) or ""].append(path)
    names = _unique_names([place for place, _ in grouped], root)
    return [
        FileTable(name=name, format=kind, files=tuple(paths))
        for name, ((_, kind), paths) in zip(names, grouped.items(), strict=True)
    ]


def load_files(
    tables: Sequence[FileTable],
    target: duckdb.DuckDBPyConnection,
    progress: Progress | None = None,
) -> None:
    """Load each table into an open DuckDB database.

    Raises:
        SetupError: a file cannot be read; names it and the reason.
    """
    for done, table in enumerate(tables, start=1):
        try:
            _load(table, target)
        except RAISED as error:
            if is_full(error):
                raise
            raise SetupError(f"{_title(table)} cannot be read: {clean(error)}") from error
        if progress:
            progress(table.name, done / len(tables))


def _pattern(source: Path, root: Path) -> str:
    return "**/*" if source == root else str(source.relative_to(root))


def _wanted(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts if path.is_relative_to(root) else (path.name,)
    return data_format(path) is not None and not any(p[0] in "._" for p in parts)


def _table_path(path: Path, root: Path) -> Path:
    """Return the file, or the folder whose files are one table."""
    parts = path.relative_to(root).parts
    for depth, part in enumerate(parts[:-1]):
        if _PARTITION.fullmatch(part):
            return root.joinpath(*parts[:depth])
    folder = path.parent
    is_part = _PART_FILE.fullmatch(path.name) is not None
    return folder if folder != root and (is_part or data_format(folder)) else path


def _unique_names(places: Iterable[Path], root: Path) -> list[str]:
    """Name tables after files; equal names get their folder in front, then a number."""
    names: list[str] = []
    for place in places:
        parts = place.relative_to(root).parts if place != root else (root.absolute().name,)
        taken = {n.lower() for n in names}
        names.append(next(n for n in _candidates(parts) if n.lower() not in taken))
    return names


def _candidates(parts: Sequence[str]) -> Iterable[str]:
    stem = parts[-1].split(".")[0] or parts[-1]
    name = ""
    for part in (stem, *reversed(parts[:-1])):
        name = f"{part}_{name}" if name else part
        yield _clean(name)
    number = 2
    while True:
        yield f"{_clean(name)}_{number}"
        number += 1


def _clean(name: str) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_") or "data"
    return f"t_{plain}" if plain[0].isdigit() else plain


def _load(table: FileTable, target: duckdb.DuckDBPyConnection) -> None:
    for path in table.files:
        if not path.stat().st_size:
            raise SetupError(f"{path.name} cannot be read: it is empty.")
    try:
        _create(table, table.files, target)
    except duckdb.InvalidInputException as error:
        if table.format != "csv" or "not utf-8" not in str(error):
            raise
        with TemporaryDirectory() as folder:
            files = [_plain(p, Path(folder)) for p in table.files]
            _create(table, files, target)


def _plain(path: Path, folder: Path) -> Path:
    return path if path.suffix.lower() in PACKED else as_utf8(path, folder)


def _create(table: FileTable, files: Sequence[Path], target: duckdb.DuckDBPyConnection) -> None:
    options: dict[str, exp.Expr] = {"union_by_name": exp.true(), "hive_partitioning": exp.true()}
    if table.format != "parquet":
        options["sample_size"] = exp.Literal.number(-1)
    reader = exp.Anonymous(
        this=f"read_{table.format}",
        expressions=[
            exp.array(*(exp.Literal.string(_literal(p)) for p in files)),
            *(exp.EQ(this=exp.to_identifier(k), expression=v) for k, v in options.items()),
        ],
    )
    query = exp.select("*").from_(exp.Table(this=reader))
    target.execute(query.ctas(exp.table_(table.name, quoted=True)).sql("duckdb"))


def _literal(path: Path) -> str:
    """Keep DuckDB from reading a file's own name as a pattern."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _title(table: FileTable) -> str:
    return table.files[0].name if len(table.files) == 1 else f"{table.name} (folder)"
