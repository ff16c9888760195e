"""The statements of a data folder's ``athena``, each set with the script that makes its tables."""

import json
from collections.abc import Iterator
from pathlib import Path

from cases import Case

SETS = {
    "fixture.sql": ("sales", ("fixture_golden.jsonl", "valid.jsonl", "faulty.jsonl")),
    "shop/setup.sql": ("shop", ("shop/golden.jsonl", "shop/faulty.jsonl")),
}
"""Set-up → the schema of unqualified names, and the files of statements."""


def data_sets(data: Path) -> Iterator[tuple[Path, list[Case]]]:
    """Yield each set-up script that is there with its statements, each statement once."""
    home = data / "athena" if (data / "athena").is_dir() else data
    for setup, (schema, files) in SETS.items():
        if (home / setup).is_file():
            yield home / setup, list(_cases(home, schema, files))


def _cases(home: Path, schema: str, files: tuple[str, ...]) -> Iterator[Case]:
    seen: set[str] = set()
    for name in files:
        for line in (home / name).read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            if kept["sql"] not in seen:
                seen.add(kept["sql"])
                kind = str(kept.get("fault") or kept.get("topic") or "statements")
                yield Case(
                    list=name.removesuffix(".jsonl"), kind=kind, sql=kept["sql"], schema=schema
                )
