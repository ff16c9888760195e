"""Probes and fixes around the cases: dialects, what is unknown, what cannot be asked."""

import pytest

from querymend.tools.catalog.model import Catalog, Column, Key, Profile, Table
from querymend.tools.findings import Finding
from querymend.tools.grain import Cleared, Confirmed, check_grain, probes_for, resolve
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import DIALECTS

ORDERS = Table(
    name="orders",
    columns=(Column(name="id", type="INTEGER"), Column(name="amount", type="DOUBLE")),
    primary_key=("id",),
)
ITEMS = Table(
    name="items",
    columns=(Column(name="item_id", type="INTEGER"), Column(name="order_id", type="INTEGER")),
    primary_key=("item_id",),
    keys=(Key(columns=("order_id",), table="orders", target_columns=("id",)),),
)
SHOP = Catalog(tables=(ORDERS, ITEMS))
TOTAL = "SELECT SUM(o.amount) FROM orders AS o JOIN items AS i ON i.order_id = o.id"
BEFORE_AND_AFTER = [(1, 1, 1, 3, 3, 100.0, 300.0)]


def never(sql: str) -> list[tuple[object, ...]]:
    raise AssertionError(sql)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_probe_and_fix_pass_the_gate_in_every_dialect(dialect: str) -> None:
    sql = (
        "WITH j AS (SELECT o.amount, i.item_id FROM orders o JOIN items i ON i.order_id = o.id) "
        "SELECT item_id % 2, SUM(CASE WHEN item_id > 1 THEN amount END) FROM j GROUP BY item_id % 2"
    )
    probes = probes_for(sql, dialect=dialect, catalog=SHOP)
    assert len(probes) == 1
    assert admit(probes[0][1].sql, dialect=dialect, catalog=SHOP).findings == ()
    fixed = resolve(
        check_grain(TOTAL, dialect=dialect, catalog=SHOP),
        lambda _: BEFORE_AND_AFTER,
        sql=TOTAL,
        dialect=dialect,
        catalog=SHOP,
    )
    assert fixed[0].fix is not None
    assert admit(fixed[0].fix, dialect=dialect, catalog=SHOP).findings == ()


def test_a_confirmed_finding_carries_the_numbers() -> None:
    ((_, probe),) = probes_for(TOTAL, dialect="duckdb", catalog=SHOP)
    verdict = probe.decide(BEFORE_AND_AFTER)
    assert isinstance(verdict, Confirmed)
    assert "1 rows of o become 3" in verdict.evidence
    assert "sum 100.00 without repeats, 300.00 with them" in verdict.evidence


@pytest.mark.parametrize(
    "rows",
    [[], [(0, None, None, None, None, None, None)], [(1, 0, 5, 5, 1, 9.0, 9.0)], [(1, 0)]],
    ids=["no row", "nothing joined", "nothing repeated", "not a probe's row"],
)
def test_what_shows_no_change_is_cleared(rows: list[tuple[object, ...]]) -> None:
    ((_, probe),) = probes_for(TOTAL, dialect="duckdb", catalog=SHOP)
    assert isinstance(probe.decide(rows), Cleared)


def test_a_cleared_finding_becomes_a_note_without_hint() -> None:
    findings = check_grain(TOTAL, dialect="duckdb", catalog=SHOP)
    (left,) = resolve(
        findings,
        lambda _: [(1, 0, 5, 5, 1, 9.0, 9.0)],
        sql=TOTAL,
        dialect="duckdb",
        catalog=SHOP,
    )
    assert (left.severity, left.hint, left.fix) == ("note", "", None)
    assert "no row of o is repeated" in left.evidence


def test_other_findings_stay_and_run_no_probe() -> None:
    other = Finding(code="empty", kind="shape", severity="warn", message="Nothing came back.")
    assert resolve([other], never, sql=TOTAL, dialect="duckdb", catalog=SHOP) == [other]


def test_a_note_runs_no_probe() -> None:
    sql = TOTAL.replace("SUM(o.amount)", "COUNT(o.id)")
    findings = check_grain(sql, dialect="duckdb", catalog=SHOP)
    assert [f.severity for f in findings] == ["note"]
    assert resolve(findings, never, sql=sql, dialect="duckdb", catalog=SHOP) == findings


def test_a_text_that_does_not_parse_has_no_findings() -> None:
    assert check_grain("SELECT SUM(", dialect="duckdb", catalog=SHOP) == []
    assert probes_for("SELECT SUM(", dialect="duckdb", catalog=SHOP) == []


def test_rows_that_no_key_tells_apart_are_not_probed() -> None:
    bare = Catalog(
        tables=(
            Table(name="orders", columns=ORDERS.columns),
            Table(name="items", columns=ITEMS.columns),
        )
    )
    findings = check_grain(TOTAL, dialect="duckdb", catalog=bare)
    assert [f.severity for f in findings] == ["warn"]
    assert probes_for(TOTAL, dialect="duckdb", catalog=bare) == []
    assert resolve(findings, never, sql=TOTAL, dialect="duckdb", catalog=bare) == findings


def test_a_profile_that_shows_no_value_twice_is_a_key() -> None:
    one_to_one = Table(
        name="items",
        columns=(
            Column(name="item_id", type="INTEGER"),
            Column(name="order_id", type="INTEGER", profile=Profile(distinct=5, null_share=0.0)),
        ),
        primary_key=("item_id",),
        rows=5,
    )
    catalog = Catalog(tables=(ORDERS, one_to_one))
    assert check_grain(TOTAL, dialect="duckdb", catalog=catalog) == []


def test_what_a_key_points_to_is_unique() -> None:
    bare = Catalog(tables=(Table(name="orders", columns=ORDERS.columns), ITEMS))
    sql = "SELECT COUNT(i.item_id) FROM items i JOIN orders o ON o.id = i.order_id"
    assert check_grain(sql, dialect="duckdb", catalog=bare) == []


def test_many_uses_of_nested_ctes_end() -> None:
    steps = ["a0 AS (SELECT o.amount, o.id FROM orders o)"]
    steps += [
        f"a{n} AS (SELECT x.amount, x.id FROM a{n - 1} x JOIN a{n - 1} y ON y.id = x.id)"
        for n in range(1, 16)
    ]
    sql = f"WITH {', '.join(steps)} SELECT SUM(amount) FROM a15"
    assert all(
        f.code in ("fan_out", "chasm") for f in check_grain(sql, dialect="duckdb", catalog=SHOP)
    )
