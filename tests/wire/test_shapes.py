"""Athena's spelling of types and values."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from querymend.testing import AthenaStandIn
from querymend.tools.engines.wire.shapes import cell_text, shape

HERE = Path(__file__).parent
Make = Callable[..., Any]
ZONED = "timestamp(3) with time zone"
PLACE = "row(city varchar, geo row(lat double, lon double))"
HALF_PAST = timezone(timedelta(hours=-5, minutes=-30))
BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timezone(timedelta(hours=1))


def cases(name: str) -> list[Any]:
    return list(yaml.safe_load((HERE / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", cases("cells.yaml"), ids=lambda c: str(c["sql"]))
def test_a_duckdb_value_comes_as_athena_writes_it(
    plain: AthenaStandIn, clients: Make, case: dict[str, Any]
) -> None:
    athena = clients(plain, "athena")
    query = athena.start_query_execution(
        QueryString=f"SELECT {case['sql']} AS x",
        ResultConfiguration={"OutputLocation": plain.output},
    )["QueryExecutionId"]
    execution = plain.executions()[-1]
    assert execution.ended.wait(10)
    assert execution.failure is None
    shown = athena.get_query_results(QueryExecutionId=query)["ResultSet"]
    (column,) = shown["ResultSetMetadata"]["ColumnInfo"]
    assert shown["Rows"][1]["Data"][0].get("VarCharValue") == case["text"]
    assert column["Type"] == case["type"]
    assert column["Precision"] == case.get("precision", column["Precision"])
    assert column["Scale"] == case.get("scale", 0)


@pytest.mark.parametrize(
    "case", cases("types.yaml"), ids=lambda c: str(c.get("duckdb") or c["trino"])
)
def test_a_type_is_read_from_either_spelling(case: dict[str, Any]) -> None:
    dialect = "duckdb" if "duckdb" in case else "trino"
    read = shape(case[dialect], dialect)
    assert (read.name, read.hive()) == (case["athena"], case["hive"])
    assert read.precision == case.get("precision", read.precision)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (("Paris", (48.8, None)), PLACE, "{city=Paris, geo={lat=48.8, lon=null}}"),
        ((1, "a"), "row(integer, varchar)", "{field0=1, field1=a}"),
        ([(1, Decimal("2.50"))], "array(row(n integer, p decimal(4, 2)))", "[{n=1, p=2.50}]"),
        ({"a": [1, 2]}, "map(varchar, array(integer))", "{a=[1, 2]}"),
        ({"a": 1}, "json", '{"a":1}'),
        ('{"a": 1}', "json", '{"a": 1}'),
        (datetime(2024, 1, 2, 3, 4, tzinfo=UTC), ZONED, "2024-01-02 03:04:00.000 UTC"),
        (datetime(2024, 1, 2, 3, 4, tzinfo=BERLIN), ZONED, "2024-01-02 03:04:00.000 Europe/Berlin"),
        (datetime(2024, 1, 2, tzinfo=HALF_PAST), ZONED, "2024-01-02 00:00:00.000 -05:30"),
        (datetime(2024, 1, 2), "timestamp(6)", "2024-01-02 00:00:00.000000"),
        (datetime(24, 1, 2), "timestamp(3)", "0024-01-02 00:00:00.000"),
        (time(1, 2, 3, 4_000, HOUR), "time(3) with time zone", "01:02:03.004+01:00"),
        (timedelta(days=-1, hours=-2), "interval day to second", "-1 02:00:00.000"),
        (True, "boolean", "true"),
        (None, "varchar", None),
        ([None], "array(varchar)", "[null]"),
    ],
)  # fmt: skip
def test_a_value_is_written_by_its_type(value: object, kind: str, text: str | None) -> None:
    assert cell_text(value, shape(kind, "trino")) == text
