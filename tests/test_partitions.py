"""Predicates on partition keys, by a file of cases."""

from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml

from querymend.tools.catalog.model import Catalog, Column, PartitionKey, Table
from querymend.tools.sql.checks import check
from querymend.tools.sql.parse import parse
from querymend.tools.sql.partition_terms import scans
from querymend.tools.sql.partitions import check_partitions
from querymend.tools.sql.subject import Subject

DATA = yaml.safe_load(
    (Path(__file__).parent / "sql" / "partitions.yaml").read_text(encoding="utf-8")
)
CASES = DATA["cases"]


def table(name: str, told: dict[str, Any]) -> Table:
    keys = {k: {**v, "values": tuple(v.get("values", ()))} for k, v in told["keys"].items()}
    return Table(
        name=name,
        columns=tuple(Column(name=c, type=t) for c, t in told["columns"].items()),
        partitions=tuple(keys),
        partition_keys=tuple(PartitionKey(name=k, **v) for k, v in keys.items()),
    )


CATALOG = Catalog(tables=tuple(table(n, t) for n, t in DATA["tables"].items()))


def subject(sql: str) -> Subject:
    return Subject(parsed=parse(sql, "athena"), catalog=CATALOG)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["sql"])
def test_a_statement_has_just_these_findings(case: dict[str, Any]) -> None:
    found = list(check_partitions(subject(case["sql"])))
    assert sorted(f.code for f in found) == sorted(case.get("codes", []))
    said = " ".join(f"{f.hint} {f.evidence}" for f in found)
    assert case.get("cure", "") in said
    assert any(f.fix for f in found) == case.get("fix", False)


@pytest.mark.parametrize("case", [c for c in CASES if c.get("fix")], ids=lambda c: c["sql"])
def test_a_mended_statement_has_no_finding_of_its_kind(case: dict[str, Any]) -> None:
    fix = next(f.fix for f in check_partitions(subject(case["sql"])) if f.fix)
    assert list(check_partitions(subject(fix))) == []
    assert sqlglot.parse_one(fix, read="athena").sql("athena") == fix


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["sql"])
def test_what_is_found_is_a_warning_but_for_what_the_engine_must_have(case: dict[str, Any]) -> None:
    for finding in check_partitions(subject(case["sql"])):
        wanted = "block" if finding.code == "partition_injected" else "warn"
        assert finding.severity == wanted
        assert finding.clause
        assert finding.position is not None


def test_the_check_is_one_of_all_checks_and_for_engines_that_prune() -> None:
    sql = "SELECT SUM(amount) FROM orders"
    assert [f.code for f in check(sql, dialect="athena", catalog=CATALOG)] == ["partition_scan"]
    assert check(sql, dialect="duckdb", catalog=CATALOG) == ()


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ("dt = '2026-07-01'", ["dt = '2026-07-01'"]),
        ("'2026-07-01' < dt", ["dt > '2026-07-01'"]),
        ("dt IN ('a', 'b') AND region = 'eu'", ["dt IN ('a', 'b')", "region = 'eu'"]),
        ("dt BETWEEN 'a' AND 'b'", ["dt BETWEEN 'a' AND 'b'"]),
        ("dt = 'a' OR dt = 'b'", ["(dt = 'a') OR (dt = 'b')"]),
        ("dt = 'it''s'", ["dt = 'it''s'"]),
        ("dt >= date_format(current_date, '%Y')", [""]),
    ],
)
def test_predicates_are_written_as_a_catalogs_filter(where: str, asked: list[str]) -> None:
    (scan,) = scans(subject(f"SELECT id FROM orders WHERE {where}"))
    assert [t.where for t in scan.usable] == asked


def test_a_scope_without_the_key_asks_for_nothing() -> None:
    from querymend.tools.catalog.model import Scope

    scope = Scope(tables={"orders": ("id", "amount")})
    found = check("SELECT SUM(amount) FROM orders", dialect="athena", catalog=CATALOG, scope=scope)
    assert found == ()
