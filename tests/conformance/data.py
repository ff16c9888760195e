"""What is asked besides this folder's own cases: the pack, and the statements of a data folder.

A data folder's ``athena`` holds scripts and warehouses with statements, and what a Trino once said
of each; the warehouses are SQLite files in the folders beside it.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cases import Case, Said
from loading import Trino, load_duckdb, load_script, load_sqlite

from querymend.fewshot import load_pack
from querymend.fewshot.build import warehouse_path
from querymend.tools.engines.sources import local_file
from querymend.tools.engines.stand_in.engine import StandInEngine, open_stand_in
from querymend.tools.engines.stand_in.setup import build

Line = Mapping[str, object]
Pairs = list[tuple[Case, Said | None]]
"""Statements, with what was said of them before, where that is known."""
SCRIPTS = {
    "fixture.sql": ("sales", ("fixture_golden", "valid", "faulty")),
    "shop/setup.sql": ("shop", ("shop/golden", "shop/valid", "shop/faulty")),
}
"""Set-up → the schema of unqualified names, and the files of statements."""
GOLDENS, VERDICTS = "warehouse_golden", "verdicts"
WAREHOUSES = ("spider", "bird", "defog")
PACK = "pack"


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The tables of one schema, and how each of the two gets them."""

    schema: str
    into_trino: Callable[[Trino], None]
    stand_in: Callable[[Path], StandInEngine]
    """Opens it on them; takes a scratch folder."""


@dataclass(frozen=True, kw_only=True)
class Statements:
    """Statements over some tables."""

    tables: Tables
    pairs: Pairs
    run: bool = True
    """Whether rows are compared; if not, only what is refused before it runs."""


def from_script(script: Path, schema: str) -> Tables:
    """Take the tables that a script of Trino's SQL makes."""
    return Tables(
        schema=schema,
        into_trino=lambda server: load_script(server, script.read_text(encoding="utf-8")),
        stand_in=lambda scratch: open_stand_in(build(script, scratch / f"{schema}.duckdb")),
    )


def pack_statements(scratch: Path) -> Statements:
    """Return the demo pack's golds and examples in Athena's SQL."""
    pack = load_pack("retail")
    path = warehouse_path(pack, scratch)
    golds = [("golds", sql) for q in pack.questions for sql in q.gold("athena")]
    texts = [*golds, *(("examples", e.sql) for e in pack.examples_in("athena"))]
    tables = Tables(
        schema=pack.name,
        into_trino=lambda server: load_duckdb(server, path, pack.name),
        stand_in=lambda _: open_stand_in(path),
    )
    cases = [Case(list=PACK, kind=kind, sql=sql, schema=pack.name) for kind, sql in texts]
    return Statements(tables=tables, pairs=[(case, None) for case in cases])


def data_statements(data: Path, scratch: Path) -> Iterator[Statements]:
    """Yield what a data folder holds, or its ``athena``: whatever of it is there."""
    home = data / "athena" if (data / "athena").is_dir() else data
    for script, (schema, files) in SCRIPTS.items():
        if (home / script).is_file():
            pairs = _distinct(_pairs(home / f"{name}.jsonl", schema) for name in files)
            yield Statements(tables=from_script(home / script, schema), pairs=pairs)
    yield from _warehouses(home, scratch)


def _warehouses(home: Path, scratch: Path) -> Iterator[Statements]:
    goldens, verdicts = (_by_schema(home / f"{name}.jsonl") for name in (GOLDENS, VERDICTS))
    types = home / "warehouse_types.json"
    for schema, columns in json.loads(types.read_text("utf-8")).items() if types.is_file() else ():
        found = [f for s in WAREHOUSES for f in (home.parent / s).rglob(f"{schema}.sqlite")]
        if not found:
            continue
        tables = _warehouse(found[0], schema, columns, scratch)
        yield Statements(tables=tables, pairs=goldens[schema])
        yield Statements(tables=tables, pairs=verdicts[schema], run=False)


def _warehouse(
    path: Path, schema: str, types: Mapping[str, Mapping[str, str]], scratch: Path
) -> Tables:
    return Tables(
        schema=schema.lower(),
        into_trino=lambda server: load_sqlite(server, path, schema.lower(), types),
        stand_in=lambda _: open_stand_in(local_file(path, cache_dir=scratch)),
    )


def _by_schema(path: Path) -> dict[str, Pairs]:
    found: dict[str, Pairs] = defaultdict(list)
    for line in _lines(path):
        schema = str(line["db"])
        found[schema].append(_pair(path.stem, line, schema.lower()))
    return found


def _pairs(path: Path, schema: str) -> Pairs:
    name = "/".join(path.with_suffix("").parts[-2:]) if schema == "shop" else path.stem
    return [_pair(name, line, schema) for line in _lines(path)]


def _lines(path: Path) -> Iterator[Line]:
    if path.is_file():
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def _distinct(lists: Iterator[Pairs]) -> Pairs:
    """Take each statement once, from the first file that has it."""
    found: dict[str, tuple[Case, Said | None]] = {}
    for pairs in lists:
        for case, said in pairs:
            found.setdefault(case.sql, (case, said))
    return list(found.values())


def _pair(name: str, line: Line, schema: str) -> tuple[Case, Said | None]:
    kind = str(line.get("fault") or line.get("topic") or _error(line) or "statements")
    case = Case(list=name, kind=kind, sql=str(line["sql"]), schema=schema)
    if line.get("error"):
        return case, Said(error=_error(line))
    if "rows" in line:
        told = {k: line[k] for k in ("columns", "types", "rows")}
        return case, Said(**told)  # type: ignore[arg-type]
    return case, Said() if "error" in line else None


def _error(line: Line) -> str:
    error = line.get("error")
    return str(error["name"]) if isinstance(error, dict) else ""
