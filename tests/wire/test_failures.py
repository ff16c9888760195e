"""How Athena says no, by fault and by statement: texts, codes, types, in every service's form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from botocore.exceptions import ClientError
from pyathena.error import DatabaseError, OperationalError
from pyathena.util import RetryConfig

from querymend.testing import AthenaStandIn, Fault
from querymend.tools.engines.wire.faults import AT_THE_CALL, Kind

HERE = Path(__file__).parent
Make = Callable[..., Any]


def cases(name: str) -> list[Any]:
    return list(yaml.safe_load((HERE / name).read_text(encoding="utf-8")))


def last(server: AthenaStandIn, clients: Make) -> Any:
    """Return what GetQueryExecution tells of the newest query."""
    query = server.executions()[-1].id
    return clients(server, "athena").get_query_execution(QueryExecutionId=query)["QueryExecution"]


@pytest.mark.parametrize("case", cases("failures.yaml"), ids=lambda c: str(c["kind"]))
def test_a_query_fails_as_scripted(
    server: AthenaStandIn, connect: Make, clients: Make, case: dict[str, Any]
) -> None:
    server.fault(Fault(case["kind"]))
    cursor = connect(server).cursor()
    with pytest.raises(OperationalError) as caught:
        cursor.execute("SELECT 1")
    assert str(caught.value).startswith(case["reason"])
    status = last(server, clients)["Status"]
    error = status["AthenaError"]
    assert (status["State"], error["ErrorType"]) == (case["state"], case["type"])
    assert error["Retryable"] is case["retryable"]
    assert error["ErrorMessage"] == status["StateChangeReason"]
    cursor.execute("SELECT 1")
    assert cursor.fetchall() == [(1,)], "it befalls one query"


@pytest.mark.parametrize("case", cases("calls.yaml"), ids=lambda c: str(c["kind"]))
def test_a_call_fails_as_scripted(
    server: AthenaStandIn, connect: Make, case: dict[str, Any]
) -> None:
    server.fault(Fault(case["kind"], on="StartQueryExecution"))
    cursor = connect(server).cursor()
    with pytest.raises(DatabaseError) as caught:
        cursor.execute("SELECT 1")
    cause = caught.value.__cause__
    assert isinstance(cause, ClientError)
    error = cause.response["Error"]
    assert error["Code"] == case["code"]
    assert error["Message"].startswith(case["text"])
    assert server.running() == []


def test_every_kind_of_fault_has_a_case() -> None:
    told = {c["kind"] for c in [*cases("failures.yaml"), *cases("calls.yaml")]}
    assert told | {"slow", "queued"} == set(get_args(Kind))
    assert {c["kind"] for c in cases("calls.yaml")} == AT_THE_CALL


@pytest.mark.parametrize("case", cases("refusals.yaml"), ids=lambda c: str(c["sql"])[:40])
@pytest.mark.parametrize("engine", ["plain", "shared"])
def test_a_statement_is_refused_in_athenas_words(
    request: pytest.FixtureRequest,
    connect: Make,
    clients: Make,
    case: dict[str, Any],
    engine: str,
) -> None:
    server = request.getfixturevalue(engine)
    with pytest.raises(OperationalError) as caught:
        connect(server).cursor().execute(case["sql"])
    assert str(caught.value).startswith(case["says"])
    assert last(server, clients)["Status"]["AthenaError"]["ErrorType"] == case["type"]


def test_dividing_by_zero_is_refused_in_athenas_words(shared: AthenaStandIn, connect: Make) -> None:
    with pytest.raises(OperationalError, match=r"^DIVISION_BY_ZERO: .*Division by zero"):
        connect(shared).cursor().execute("SELECT id / 0 FROM sales.orders")


def test_a_fault_befalls_only_what_it_is_armed_for(server: AthenaStandIn, connect: Make) -> None:
    server.fault(Fault("exhausted", sql="customers", times=None), Fault("throttle", on="GetTables"))
    cursor = connect(server).cursor()
    cursor.execute("SELECT count(*) FROM orders")
    for _ in range(2):
        with pytest.raises(OperationalError, match="exhausted"):
            cursor.execute("SELECT count(*) FROM CUSTOMERS")
    server.clear_faults()
    cursor.execute("SELECT count(*) FROM customers")


def test_a_fault_may_bring_its_own_words(
    server: AthenaStandIn, connect: Make, clients: Make
) -> None:
    said = "HIVE_METASTORE_ERROR: Table orders is missing its storage descriptor"
    server.fault(Fault("fail", text=said, type=1005, retryable=True))
    with pytest.raises(OperationalError, match=said):
        connect(server).cursor().execute("SELECT 1")
    error = last(server, clients)["Status"]["AthenaError"]
    assert (error["ErrorType"], error["Retryable"]) == (1005, True)


def test_pyathena_gets_over_two_throttles_by_itself(server: AthenaStandIn, connect: Make) -> None:
    server.fault(Fault("throttle", times=2, on="GetQueryExecution"))
    patient = RetryConfig(attempt=3, multiplier=0.001, max_delay=0.001)
    cursor = connect(server, retry_config=patient).cursor()
    cursor.execute("SELECT 1")
    assert cursor.fetchall() == [(1,)]


def test_glue_and_sts_and_s3_fail_in_their_own_form(server: AthenaStandIn, clients: Make) -> None:
    role = {"RoleArn": "arn:aws:iam::123456789012:role/reader", "RoleSessionName": "test"}
    asked = [
        (clients(server, "glue").get_tables, {"DatabaseName": "sales"}),
        (clients(server, "sts").assume_role, role),
        (clients(server, "s3").list_buckets, {}),
    ]
    for call, fields in asked:
        server.fault(Fault("access_denied"))
        with pytest.raises(ClientError) as caught:
            call(**fields)
        assert caught.value.response["Error"]["Code"].startswith("AccessDenied")
        call(**fields)


def test_expired_keys_are_refused_until_new_ones_come(serve: Make, clients: Make) -> None:
    server = serve()
    role = {"RoleArn": "arn:aws:iam::123456789012:role/reader", "RoleSessionName": "test"}
    first = clients(server, "sts").assume_role(**role)["Credentials"]
    keys = {
        "aws_access_key_id": first["AccessKeyId"],
        "aws_secret_access_key": first["SecretAccessKey"],
        "aws_session_token": first["SessionToken"],
    }
    glue = clients(server, "glue", **keys)
    glue.get_databases()
    server.expire_credentials()
    with pytest.raises(ClientError, match="ExpiredTokenException"):
        glue.get_databases()
    fresh = {**keys, "aws_access_key_id": "AKIAANOTHER000000000"}
    assert clients(server, "glue", **fresh).get_databases()["DatabaseList"]
