"""What joins repeat: every case of tests/grain, by the statement, by the probe, and mended."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from querymend.fewshot import load_pack
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.findings import Finding
from querymend.tools.grain import check_grain, resolve
from querymend.tools.results.compare import same_rows
from querymend.tools.sql.gate import admit

HERE = Path(__file__).parent / "grain"
CASES = yaml.safe_load((HERE / "shop.yaml").read_text(encoding="utf-8"))
PACK = load_pack("retail").notes
Shop = tuple[duckdb.DuckDBPyConnection, Catalog]


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(s) for s in (HERE / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    path = tmp_path_factory.mktemp("shop") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute((HERE / "shop.sql").read_text(encoding="utf-8"))
    engine = open_duckdb(path)
    catalog = engine.catalog()
    engine.close()
    with duckdb.connect(str(path), read_only=True) as connection:
        yield connection, catalog


def found(case: dict[str, Any], catalog: Catalog) -> list[Finding]:
    question = case.get("question", "")
    findings = check_grain(case["sql"], dialect="duckdb", catalog=catalog, question=question)
    return [f for f in findings if f.severity != "note"]


def proved(case: dict[str, Any], shop: Shop) -> list[Finding]:
    connection, catalog = shop

    def run(sql: str) -> list[tuple[object, ...]]:
        verdict = admit(sql, dialect="duckdb", catalog=catalog)
        assert verdict.sql is not None, verdict.findings
        return connection.execute(verdict.sql).fetchall()

    return resolve(
        found(case, catalog),
        run,
        sql=case["sql"],
        dialect="duckdb",
        catalog=catalog,
        question=case.get("question", ""),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_the_statement_alone_tells_what_is_repeated(case: dict[str, Any], shop: Shop) -> None:
    findings = found(case, shop[1])
    assert [f.code for f in findings] == case["found"]
    assert all(f.kind == "join" and f.clause in case["sql"] for f in findings)
    assert case.get("repeated", "") in "".join(f.evidence for f in findings)
    if findings:
        assert findings[0].severity == case.get("severity", "repair")


@pytest.mark.parametrize("case", [c for c in CASES if c["found"]], ids=lambda c: c["name"])
def test_the_probe_confirms_with_numbers_or_clears(case: dict[str, Any], shop: Shop) -> None:
    severities = {f.severity for f in proved(case, shop)}
    assert severities == ({"note"} if case.get("cleared") else {"repair"})


@pytest.mark.parametrize("case", [c for c in CASES if "rows" in c], ids=lambda c: c["name"])
def test_the_fix_returns_what_was_meant(case: dict[str, Any], shop: Shop) -> None:
    fixes = {f.fix for f in proved(case, shop)}
    assert len(fixes) == 1
    fix = fixes.pop()
    assert fix is not None
    assert admit(fix, dialect="duckdb", catalog=shop[1]).sql is not None
    rows = [tuple(r) for r in shop[0].execute(fix).fetchall()]
    assert same_rows(rows, [tuple(r) for r in case["rows"]]), fix


@pytest.mark.parametrize("case", lines("repeated.jsonl"), ids=lambda c: c["question"][:60])
def test_a_query_over_the_pack_that_repeats_rows_is_flagged(case: dict[str, Any]) -> None:
    assert any(f.severity == "repair" for f in found(case, PACK))


@pytest.mark.parametrize("case", lines("legitimate.jsonl"), ids=lambda c: c["question"][:60])
def test_a_query_over_the_pack_that_is_right_is_left_alone(case: dict[str, Any]) -> None:
    """``probe``: that nothing is repeated is known from the data alone."""
    assert bool(found(case, PACK)) == case.get("probe", False)
