"""Build a pack's demo warehouse: its ``warehouse.sql``, run inside DuckDB, once."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from querymend.fewshot.pack import PARTS, Pack
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[int, int], None]
"""Called with the statements done and their number."""


def warehouse_path(pack: Pack, cache: Path, progress: Progress | None = None) -> Path:
    """Return the pack's warehouse as a DuckDB file, built on first use.

    The name carries a hash of what it is built from, so a changed script builds anew.

    Raises:
        SetupError: the pack has no ``warehouse.sql``, or it fails.
    """
    target = cache / f"{pack.name}-{_fingerprint(pack)}.duckdb"
    if not target.is_file():
        build_warehouse(pack, target, progress)
    return target


def build_warehouse(pack: Pack, target: Path, progress: Progress | None = None) -> None:
    """Build the pack's warehouse at the target path; a failure leaves nothing behind.

    The script may read files of the pack's folder, and nothing else.

    Raises:
        SetupError: the pack has no ``warehouse.sql``, or it fails.
    """
    script = _script(pack)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    unfinished.unlink(missing_ok=True)
    try:
        _run(script, unfinished, pack.folder, progress or _silent)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
        unfinished.with_name(f"{unfinished.name}.wal").unlink(missing_ok=True)


def _silent(done: int, total: int) -> None:
    """Show nothing."""


def _script(pack: Pack) -> Path:
    if pack.warehouse_sql is None:
        raise SetupError(
            f"The pack {pack.name!r} has no warehouse.sql to build data from;"
            " name a database of your own instead.",
            setting="QUERYMEND_SOURCE",
        )
    return pack.warehouse_sql


def _fingerprint(pack: Pack) -> str:
    import duckdb

    made_of = [p for p in pack.folder.iterdir() if p.is_file() and p.name not in PARTS]
    digest = hashlib.sha256(duckdb.__version__.encode())
    for path in sorted([*made_of, _script(pack)]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _run(script: Path, target: Path, folder: Path, progress: Progress) -> None:
    import duckdb

    try:
        with duckdb.connect(str(target)) as connection:
            _seal(connection, folder, target.parent)
            statements = connection.extract_statements(script.read_text(encoding="utf-8"))
            for done, statement in enumerate(statements):
                progress(done, len(statements))
                connection.execute(statement)
            progress(len(statements), len(statements))
    except duckdb.Error as error:
        raise SetupError(f"{script} fails: {error}") from error


def _seal(connection: "duckdb.DuckDBPyConnection", *folders: Path) -> None:
    allowed = [f"{folder.resolve()}{os.sep}" for folder in folders]
    connection.execute("SET allowed_directories = $1", [allowed])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
