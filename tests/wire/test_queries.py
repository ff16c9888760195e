"""The real pyathena and boto3 run queries on the stand-in: states, pages, stops, reuse."""

import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from pyathena.aio.cursor import AioCursor
from pyathena.cursor import DictCursor
from pyathena.error import DatabaseError, OperationalError
from pyathena.s3fs.cursor import S3FSCursor

from querymend.testing import AthenaStandIn, Fault

Make = Callable[..., Any]
FOR_EVER = (
    "SELECT count(*) FROM "
    + ", ".join(f"sales.orders {x}" for x in "abcdef")
    + " WHERE a.id + b.id + c.id + d.id + e.id + f.id <> 7"
)


def start(athena: Any, server: AthenaStandIn, sql: str, **more: Any) -> str:
    """Start a query on the sales database."""
    asked = {
        "QueryString": sql,
        "QueryExecutionContext": {"Database": "sales"},
        "ResultConfiguration": {"OutputLocation": server.output},
        **more,
    }
    return str(athena.start_query_execution(**asked)["QueryExecutionId"])


def ended(server: AthenaStandIn, identifier: str) -> Any:
    """Return a query of the server once it has ended."""
    execution = next(e for e in server.executions() if e.id == identifier)
    assert execution.ended.wait(10)
    return execution


def test_pyathena_reads_rows_with_names_and_types(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server).cursor()
    cursor.execute("SELECT id, amount, status AS what FROM orders ORDER BY id LIMIT 2")
    assert cursor.fetchall() == [(0, Decimal("0.00"), "ok"), (1, Decimal("1.50"), "bad")]
    assert [(d[0], d[1], d[4], d[5]) for d in cursor.description] == [
        ("id", "integer", 10, 0),
        ("amount", "decimal", 10, 2),
        ("what", "varchar", 2147483647, 0),
    ]
    assert cursor.statement_type == "DML"
    assert cursor.data_scanned_in_bytes > 0
    assert cursor.output_location == f"{server.output}{cursor.query_id}.csv"


def test_null_and_the_empty_text_stay_apart(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server).cursor(DictCursor)
    cursor.execute("SELECT name FROM customers ORDER BY id")
    assert cursor.fetchall() == [{"name": "Ann"}, {"name": ""}, {"name": None}]


def test_the_file_in_s3_holds_the_same_rows(
    server: AthenaStandIn, connect: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.endpoint_url)
    cursor = connect(server, cursor_class=S3FSCursor).cursor()
    cursor.execute("SELECT id, name, born FROM customers ORDER BY id")
    assert [row[:2] for row in cursor.fetchall()] == [(1, "Ann"), (2, ""), (3, None)]


async def test_an_async_cursor_runs_too(server: AthenaStandIn, connect: Make) -> None:
    import pyathena

    async with await pyathena.aio_connect(
        **server.client,
        schema_name="sales",
        s3_staging_dir=server.output,
        poll_interval=0.005,
        cursor_class=AioCursor,
    ) as connection:
        cursor = connection.cursor()
        await cursor.execute("SELECT count(*) FROM customers")
        assert await cursor.fetchall() == [(3,)]


def test_a_long_result_comes_in_pages(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server).cursor()
    before = len(server.calls)
    cursor.execute("SELECT id, dt FROM orders UNION ALL SELECT id, dt FROM orders")
    assert len(cursor.fetchall()) == 2_000
    pages = [c.operation for c in server.calls[before:]].count("GetQueryResults")
    assert pages == 3, "a thousand rows a page, and the header is one"


def test_a_page_begins_with_the_header_and_no_other_does(
    server: AthenaStandIn, clients: Make
) -> None:
    athena = clients(server, "athena")
    query = start(athena, server, "SELECT id FROM customers ORDER BY id")
    ended(server, query)
    pages = athena.get_paginator("get_query_results").paginate(
        QueryExecutionId=query, PaginationConfig={"PageSize": 2}
    )
    shown = [[r["Data"][0]["VarCharValue"] for r in p["ResultSet"]["Rows"]] for p in pages]
    assert shown == [["id", "1"], ["2", "3"]]


def test_a_query_waits_runs_and_succeeds_and_tells_its_times(
    server: AthenaStandIn, clients: Make
) -> None:
    athena = clients(server, "athena")
    query = start(athena, server, "SELECT 1")
    ended(server, query)
    told = athena.get_query_execution(QueryExecutionId=query)["QueryExecution"]
    assert told["Status"]["State"] == "SUCCEEDED"
    assert told["Status"]["CompletionDateTime"] >= told["Status"]["SubmissionDateTime"]
    assert told["Statistics"]["TotalExecutionTimeInMillis"] >= 0
    assert told["EngineVersion"]["EffectiveEngineVersion"] == "Athena engine version 3"
    assert told["QueryExecutionContext"] == {"Database": "sales", "Catalog": "AwsDataCatalog"}


@pytest.mark.parametrize(("fault", "state"), [("slow", "RUNNING"), ("queued", "QUEUED")])
def test_a_query_that_does_not_end_can_be_stopped(
    server: AthenaStandIn, clients: Make, fault: Any, state: str
) -> None:
    athena = clients(server, "athena")
    server.fault(Fault(fault))
    query = start(athena, server, "SELECT 1")
    assert server.running() == [query]
    execution = next(e for e in server.executions() if e.id == query)
    if fault == "slow":
        assert execution.began.wait(10)
    told = athena.get_query_execution(QueryExecutionId=query)["QueryExecution"]
    assert told["Status"]["State"] == state
    with pytest.raises(ClientError, match=f"has not yet finished. Current state: {state}"):
        athena.get_query_results(QueryExecutionId=query)
    athena.stop_query_execution(QueryExecutionId=query)
    assert server.running() == []
    told = athena.get_query_execution(QueryExecutionId=query)["QueryExecution"]
    assert told["Status"]["State"] == "CANCELLED"
    assert told["Status"]["StateChangeReason"] == "Query cancelled by user"


def test_a_stop_reaches_the_engine_that_works(server: AthenaStandIn, clients: Make) -> None:
    athena = clients(server, "athena")
    query = start(athena, server, FOR_EVER)
    execution = next(e for e in server.executions() if e.id == query)
    assert execution.began.wait(10)
    athena.stop_query_execution(QueryExecutionId=query)
    assert execution.finished.is_set()
    assert execution.state == "CANCELLED"


def test_stopping_one_query_leaves_the_others_alone(server: AthenaStandIn, clients: Make) -> None:
    athena = clients(server, "athena")
    server.fault(Fault("slow", times=2))
    first, second = (start(athena, server, f"SELECT {n}") for n in (1, 2))
    athena.stop_query_execution(QueryExecutionId=first)
    assert server.running() == [second]
    athena.stop_query_execution(QueryExecutionId=second)


def test_pyathena_cancels_from_another_thread(server: AthenaStandIn, connect: Make) -> None:
    server.fault(Fault("slow"))
    begun = threading.Event()
    cursor = connect(server).cursor(on_poll=lambda execution: begun.set())
    failed: list[str] = []

    def run() -> None:
        try:
            cursor.execute("SELECT 1")
        except OperationalError as error:
            failed.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(10)
    cursor.cancel()
    thread.join()
    assert failed == ["Query cancelled by user"]


def test_the_same_token_is_the_same_query(server: AthenaStandIn, clients: Make) -> None:
    athena = clients(server, "athena")
    token = "a-token-of-at-least-thirty-two-letters"
    first = start(athena, server, "SELECT 1", ClientRequestToken=token)
    assert start(athena, server, "SELECT 1", ClientRequestToken=token) == first
    with pytest.raises(ClientError, match="Idempotent parameters do not match"):
        start(athena, server, "SELECT 2", ClientRequestToken=token)
    ended(server, first)


def test_parameters_fill_question_marks(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server).cursor()
    cursor.execute(
        "SELECT name FROM customers WHERE id = ? AND name = ?",
        parameters=["1", "'Ann'"],
        paramstyle="qmark",
    )
    assert cursor.fetchall() == [("Ann",)]
    with pytest.raises(OperationalError, match="expected 2 but found 1"):
        cursor.execute("SELECT ? + ?", parameters=["1"], paramstyle="qmark")


def test_a_bare_name_belongs_to_the_database_of_the_call(
    server: AthenaStandIn, connect: Make
) -> None:
    cursor = connect(server, schema_name="web").cursor()
    cursor.execute("SELECT count(*) FROM visits WHERE visitor = 'v1'")
    assert cursor.fetchall() == [(1,)]
    cursor.execute('SELECT count(*) FROM "awsdatacatalog"."sales"."customers"')
    assert cursor.fetchall() == [(3,)]
    with pytest.raises(OperationalError, match=r"Table 'awsdatacatalog.web.orders' does not exist"):
        cursor.execute("SELECT * FROM orders")


def test_a_table_without_a_schema_is_in_the_servers_database(
    shop: Any, serve: Make, connect: Make
) -> None:
    server = serve(shop, database="shop", tables={})
    cursor = connect(server, schema_name="shop").cursor()
    cursor.execute("SELECT count(*) FROM shop.orders o JOIN customers c ON c.id = o.customer_id")
    assert cursor.fetchall() == [(4,)]


def test_explain_answers_without_running(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server).cursor()
    cursor.execute("EXPLAIN (TYPE VALIDATE) SELECT id FROM orders")
    assert cursor.fetchall() == [(True,)]
    cursor.execute("EXPLAIN SELECT id FROM orders")
    assert len(cursor.fetchall()) > 1
    assert (cursor.statement_type, cursor.data_scanned_in_bytes) == ("UTILITY", 0)
    with pytest.raises(OperationalError, match=r"COLUMN_NOT_FOUND: .*Column 'nope'"):
        cursor.execute("EXPLAIN SELECT nope FROM orders")


def test_explain_io_tells_the_tables_and_the_partition_predicates(
    server: AthenaStandIn, connect: Make
) -> None:
    cursor = connect(server).cursor()
    cursor.execute("EXPLAIN (TYPE IO, FORMAT JSON) SELECT id FROM orders WHERE dt = '2024-01-01'")
    plan = "".join(row[0] for row in cursor.fetchall())
    assert '"table": "orders"' in plan
    assert "dt = '2024-01-01'" in plan


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT FROM WHERE", r"line 1:\d+: mismatched input"),
        ("SELECT 1; SELECT 2", "Only one sql statement is allowed"),
        ("SELECT 'x" + "x" * 262_144 + "'", "less than or equal to 262144"),
    ],
)
def test_a_text_that_is_no_statement_is_refused_at_once(
    server: AthenaStandIn, connect: Make, sql: str, says: str
) -> None:
    with pytest.raises(DatabaseError, match=says) as caught:
        connect(server).cursor().execute(sql)
    assert isinstance(caught.value.__cause__, ClientError)
    if "262144" not in says:
        assert caught.value.__cause__.response["AthenaErrorCode"] == "MALFORMED_QUERY"


def test_a_query_needs_a_workgroup_a_place_and_a_bucket_that_exist(
    server: AthenaStandIn, clients: Make
) -> None:
    athena = clients(server, "athena")
    with pytest.raises(ClientError, match="WorkGroup none is not found"):
        start(athena, server, "SELECT 1", WorkGroup="none")
    with pytest.raises(ClientError, match="No output location provided"):
        start(athena, server, "SELECT 1", ResultConfiguration={})
    with pytest.raises(ClientError, match="Unable to verify/create output bucket nowhere"):
        start(athena, server, "SELECT 1", ResultConfiguration={"OutputLocation": "s3://nowhere/x/"})


def test_queries_are_listed_newest_first_and_told_in_batches(
    server: AthenaStandIn, clients: Make
) -> None:
    athena = clients(server, "athena")
    _, first, second = (start(athena, server, f"SELECT {n}") for n in (0, 1, 2))
    listed = athena.list_query_executions(MaxResults=2)
    assert listed["QueryExecutionIds"] == [second, first]
    assert listed["NextToken"] == "2"
    told = athena.batch_get_query_execution(QueryExecutionIds=[first, "x"])
    assert [q["Query"] for q in told["QueryExecutions"]] == ["SELECT 1"]
    assert [q["QueryExecutionId"] for q in told["UnprocessedQueryExecutionIds"]] == ["x"]
    for query in (first, second):
        ended(server, query)


def test_one_engine_runs_one_query_at_a_time(sales: Any, serve: Make, clients: Make) -> None:
    from querymend.tools.engines.duckdb import open_duckdb

    server = serve(open_duckdb(sales))
    athena = clients(server, "athena")
    first = start(athena, server, FOR_EVER)
    executions = {e.id: e for e in server.executions()}
    assert executions[first].began.wait(10)
    second = start(athena, server, "SELECT 1")
    waiting = next(e for e in server.executions() if e.id == second)
    assert waiting.state == "QUEUED"
    athena.stop_query_execution(QueryExecutionId=first)
    assert waiting.ended.wait(10)
    assert waiting.state == "SUCCEEDED"


def test_one_query_too_many_is_refused(serve: Make, clients: Make) -> None:
    server = serve(most_active=1)
    server.fault(Fault("slow"))
    athena = clients(server, "athena")
    first = start(athena, server, "SELECT 1")
    with pytest.raises(ClientError) as caught:
        start(athena, server, "SELECT 2")
    assert caught.value.response["Error"]["Code"] == "TooManyRequestsException"
    assert caught.value.response["Reason"] == "CONCURRENT_QUERY_LIMIT_EXCEEDED"
    athena.stop_query_execution(QueryExecutionId=first)


def test_closing_stops_what_runs(serve: Make, clients: Make) -> None:
    server = serve()
    athena = clients(server, "athena")
    start(athena, server, FOR_EVER)
    server.close()
    assert [e.state for e in server.executions()] == ["CANCELLED"]
    assert all(e.finished.is_set() for e in server.executions())


def test_an_operation_that_is_missing_is_said_to_be(server: AthenaStandIn, clients: Make) -> None:
    with pytest.raises(ClientError, match="The stand-in has no ListNamedQueries"):
        clients(server, "athena").list_named_queries()


def test_many_threads_ask_at_once(serve: Make, connect: Make) -> None:
    server = serve()
    connection = connect(server)
    got: list[int] = []

    def ask(number: int) -> None:
        cursor = connection.cursor()
        for _ in range(3):
            cursor.execute(f"SELECT count(*) FROM orders WHERE id < {number}")
            got.append(cursor.fetchall()[0][0])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted([*range(12)] * 3)
    assert server.running() == []
    assert len(server.executions()) == 36


def test_a_result_of_five_thousand_rows_arrives_whole_and_in_order(
    server: AthenaStandIn, connect: Make
) -> None:
    cursor = connect(server).cursor()
    cursor.execute(
        "SELECT o.id * 5 + t.n AS i FROM orders o CROSS JOIN UNNEST(sequence(0, 4)) AS t(n)"
        " ORDER BY 1"
    )
    assert [row[0] for row in cursor.fetchall()] == list(range(5_000))
