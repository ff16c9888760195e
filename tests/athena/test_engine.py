"""The engine: what comes back, what is kept, what is stopped."""

import signal
import threading
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from querymend.tools.engines.athena.normal import normal
from querymend.tools.engines.athena.price import price
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.wire.faults import Fault
from querymend.tools.errors import AccessDenied, BudgetExceeded, EngineUnavailable, QueryError


def test_nested_columns_decimals_and_times_come_back_as_values(on: Any) -> None:
    result = on.run(
        "SELECT amount, ordered_at, tags, items, traits FROM orders"
        " WHERE dt = '2026-07-02' AND order_id = 1"
    )
    (row,) = result.rows
    assert row == (
        Decimal("0.25"),
        datetime(2026, 7, 2, 10, 0),
        ["a, b", None],
        [{"sku": "x=1, y", "qty": 2, "price": Decimal("9.50")}],
        {"k=1": "v, w"},
    )
    assert [c.type for c in result.columns] == [
        "decimal(12, 2)",
        "timestamp(3)",
        "array(varchar)",
        "array(row(sku varchar, qty integer, price decimal(10, 2)))",
        "map(varchar, varchar)",
    ]


def test_a_star_brings_nested_columns_too(on: Any) -> None:
    result = on.run("SELECT * FROM orders WHERE dt = '2026-07-02' ORDER BY order_id LIMIT 1")
    values = dict(zip((c.name for c in result.columns), result.rows[0], strict=True))
    assert values["tags"] == ["a, b", None]
    assert (values["dt"], values["region"]) == ("2026-07-02", "us")


def test_an_order_by_a_nested_column_is_left_as_it_is(on: Any) -> None:
    result = on.run("SELECT tags FROM orders WHERE dt = '2026-07-02' ORDER BY tags LIMIT 1")
    assert isinstance(result.rows[0][0], str)


def test_null_and_the_empty_text_are_kept_apart(on: Any) -> None:
    rows = on.run("SELECT customer_id, name FROM customers ORDER BY customer_id").rows
    assert rows == ((1, "Ann"), (2, ""), (3, None))


def test_a_time_with_a_zone_stays_that_instant(on: Any) -> None:
    value = on.run("SELECT TIMESTAMP '2026-07-01 10:00:00 UTC' AS t").rows[0][0]
    assert value.isoformat() == "2026-07-01T10:00:00+00:00"


def test_duplicate_columns_are_kept_apart(on: Any) -> None:
    result = on.run("SELECT segment, segment FROM customers WHERE customer_id = 1")
    assert [c.name for c in result.columns] == ["segment", "segment"]
    assert result.rows == (("gold", "gold"),)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT name FROM customers WHERE name LIKE 'A%'", (("Ann",),)),
        ("SELECT customer_id FROM customers WHERE customer_id % 2 = 0", ((2,),)),
        ("SELECT '100%' AS share, '%(x)s' AS form", (("100%", "%(x)s"),)),
    ],
)
def test_a_percent_sign_is_just_a_percent_sign(
    on: Any, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    """Peer report: PyAthena 14, 275, 186, 56."""
    assert on.run(sql).rows == rows


def test_the_row_cap_cuts_behind_the_order(on: Any) -> None:
    result = on.run("SELECT order_id FROM orders ORDER BY order_id DESC", rows=3)
    assert result.rows == ((5999,), (5998,), (5997,))
    assert (result.truncated, result.row_count) == (True, None)


def test_rows_of_several_pages_come_in_their_order(on: Any) -> None:
    result = on.run("SELECT order_id FROM orders ORDER BY order_id", rows=None)
    assert [r[0] for r in result.rows] == list(range(6000))


def test_as_many_rows_as_the_cap_are_not_cut(on: Any) -> None:
    result = on.run("SELECT order_id FROM orders WHERE order_id < 1000", rows=1000)
    assert (len(result.rows), result.truncated) == (1000, False)


def test_a_run_keeps_id_bytes_cost_and_times(on: Any) -> None:
    result = on.run("SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-02'")
    told = result.execution
    assert told.query_id == result.query_id == on.server.executions()[-1].id
    assert told.state == "SUCCEEDED"
    assert told.bytes_scanned == result.bytes_scanned > 0
    assert told.usd == price(told.bytes_scanned, usd_per_tb=5.0)
    assert told.total_seconds >= told.engine_seconds >= 0


def test_fewer_partitions_scan_fewer_bytes(on: Any) -> None:
    every = on.run("SELECT SUM(amount) AS total FROM orders").bytes_scanned
    one = on.run("SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-02'").bytes_scanned
    assert one * 10 == every


def test_a_failure_keeps_id_state_and_category(on: Any) -> None:
    with pytest.raises(QueryError) as caught:
        on.run("SELECT 1 / (order_id - order_id) AS x FROM orders")
    told = caught.value.execution
    assert told is not None
    assert (told.query_id, told.state) == (on.server.executions()[-1].id, "FAILED")
    assert told.error_category == 2
    assert told.usd == 0


def test_a_place_at_fault_is_that_of_the_text_as_it_was_given(on: Any) -> None:
    text = "COLUMN_NOT_FOUND: line 1:18: Column 'worth' cannot be resolved"
    on.server.fault(Fault("fail", text=text))
    with pytest.raises(QueryError) as caught:
        on.run("SELECT order_id, -- the key\n\n       worth\nFROM   orders")
    assert caught.value.position == (3, 8)


def test_explain_judges_without_scanning(on: Any) -> None:
    assert on.engine.explain(on.admitted("SELECT order_id FROM orders"))
    with pytest.raises(QueryError) as caught:
        on.engine.explain(on.admitted("SELECT order_id\nFROM orders\nWHERE worth > 1"))
    assert caught.value.position == (3, 7)
    assert on.server.executions()[-1].bytes_scanned == 0


def test_a_deadline_stops_the_query_on_the_server(on: Any) -> None:
    """Peer report: PyAthena 28, 153, 19."""
    on.server.fault(Fault("slow"))
    before = on.server.operations().count("StopQueryExecution")
    with pytest.raises(BudgetExceeded, match=r"did not finish in 0\.2 seconds") as caught:
        on.run("SELECT COUNT(*) AS n FROM orders", seconds=0.2)
    assert on.server.operations().count("StopQueryExecution") == before + 1
    assert caught.value.execution is not None
    assert caught.value.execution.query_id == on.server.executions()[-1].id
    assert caught.value.execution.state == "CANCELLED"
    assert on.server.running() == []


def test_whoever_asked_may_cancel(on: Any, wait: Callable[..., None]) -> None:
    on.server.fault(Fault("slow"))
    cancelled = threading.Event()
    threading.Thread(target=lambda: (wait(on.server.running), cancelled.set())).start()
    with pytest.raises(BudgetExceeded, match="cancelled"):
        on.run("SELECT COUNT(*) AS n FROM orders", cancelled=cancelled)
    assert on.server.running() == []


def test_cancel_stops_all_that_runs(on: Any, wait: Callable[..., None]) -> None:
    on.server.fault(Fault("slow", times=None))
    ended: list[BaseException] = []

    def run() -> None:
        with pytest.raises(BudgetExceeded) as caught:
            on.run("SELECT COUNT(*) AS n FROM orders")
        ended.append(caught.value)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait(lambda: len(on.server.running()) == 3)
    on.engine.cancel()
    for thread in threads:
        thread.join()
    assert len(ended) == 3
    assert on.server.running() == []


def test_ctrl_c_stops_the_query(on: Any, wait: Callable[..., None]) -> None:
    on.server.fault(Fault("slow"))
    main = threading.main_thread().ident
    assert main is not None

    def press() -> None:
        wait(on.server.running)
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        on.run("SELECT COUNT(*) AS n FROM orders")
    assert on.server.running() == []
    assert on.server.executions()[-1].state == "CANCELLED"


def test_closing_stops_what_runs(opened: Callable[..., Any], wait: Callable[..., None]) -> None:
    on = opened()
    on.server.fault(Fault("slow"))
    thread = threading.Thread(target=_ignored, args=(on,))
    thread.start()
    wait(on.server.running)
    on.engine.close()
    thread.join()
    assert on.server.running() == []


def _ignored(on: Any) -> None:
    with pytest.raises(BudgetExceeded):
        on.run("SELECT COUNT(*) AS n FROM orders")


@pytest.mark.parametrize("kind", ["exhausted", "timeout", "cutoff"])
def test_what_took_too_much_is_never_run_again_as_it_is(on: Any, kind: Any) -> None:
    before = len(on.server.executions())
    on.server.fault(Fault(kind))
    with pytest.raises(QueryError) as caught:
        on.run("SELECT amount FROM orders")
    assert "orders.dt" in caught.value.hint
    assert len(on.server.executions()) == before + 1


@pytest.mark.parametrize(
    ("kind", "retries"), [("internal_query", 2), ("slow_down", 2), ("moving_files", 1)]
)
def test_a_transient_failure_says_how_often_to_try_again(on: Any, kind: Any, retries: int) -> None:
    on.server.fault(Fault(kind))
    with pytest.raises(EngineUnavailable) as caught:
        on.run("SELECT amount FROM orders")
    assert caught.value.retries == retries


@pytest.mark.parametrize("kind", ["access_denied", "permission", "lake_formation"])
def test_a_permission_is_never_repaired_around(on: Any, kind: Any) -> None:
    on.server.fault(Fault(kind, on="StartQueryExecution"))
    with pytest.raises(AccessDenied):
        on.run("SELECT amount FROM orders")


def test_throttled_polls_do_not_start_the_query_again(on: Any) -> None:
    before = len(on.server.executions())
    on.server.fault(Fault("throttle", times=2, on="GetQueryExecution"))
    assert on.run("SELECT 1 AS one").rows == ((1,),)
    assert len(on.server.executions()) == before + 1


def test_one_engine_serves_many_threads(on: Any) -> None:
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(on.run(f"SELECT {n} AS n").rows[0][0]))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == [str(n) for n in range(8)]


def test_a_plain_string_is_not_run(on: Any) -> None:
    with pytest.raises(TypeError, match="admitted"):
        on.engine.run("SELECT 1", limits=Limits())


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("SELECT  a,\n\tb -- why\nFROM t", "SELECT a, b FROM t"),
        ("SELECT/* x */a FROM t", "SELECT a FROM t"),
        ("SELECT 'a  b' , \"c  d\"", "SELECT 'a  b' , \"c  d\""),
        ("SELECT x'41', U&'\\0041'", "SELECT x'41', U&'\\0041'"),
        ("select count(*) from t", "select count(*) from t"),
    ],
)
def test_texts_have_one_form(given: str, sent: str) -> None:
    assert normal(given).text == sent
    assert normal(sent).text == sent


def test_places_lead_back_to_the_given_text() -> None:
    form = normal("SELECT a,\n   bad\nFROM t")
    assert form.text == "SELECT a, bad FROM t"
    assert form.place((1, 11)) == (2, 4)
    assert form.place((1, 1)) == (1, 1)


@pytest.mark.parametrize(
    ("scanned", "state", "usd"),
    [
        (None, "SUCCEEDED", None),
        (0, "SUCCEEDED", 0.0),
        (1, "SUCCEEDED", 0.00005),
        (10**12, "SUCCEEDED", 5.0),
        (10**12, "CANCELLED", 5.0),
        (10**12, "FAILED", 0.0),
    ],
)
def test_the_price_is_that_of_the_bytes(scanned: int | None, state: str, usd: float | None) -> None:
    assert price(scanned, usd_per_tb=5.0, state=state) == usd


@pytest.mark.parametrize(
    ("sql", "value", "kind"),
    [
        ("SELECT split('a, b;c', ';') AS x", ["a, b", "c"], "array(varchar(6))"),
        (
            "SELECT MAP(ARRAY[1, 2], ARRAY['a=1, b', NULL]) AS x",
            {1: "a=1, b", 2: None},
            "map(integer, varchar(6))",
        ),
        (
            "SELECT CAST(ROW(1, 'x, y') AS ROW(n integer, t varchar)) AS x",
            {"n": 1, "t": "x, y"},
            "row(n integer, t varchar)",
        ),
        ("SELECT ARRAY[DATE '2026-07-01', NULL] AS x", [date(2026, 7, 1), None], "array(date)"),
        (
            'SELECT CAST(json_parse(\'{"a": {"b": [1, 2]}}\') AS map(varchar, json)) AS x',
            {"a": '{"b":[1,2]}'},
            "map(varchar, json)",
        ),
        (
            "SELECT DISTINCT transform(items, i -> i.price) AS x FROM orders",
            [Decimal("9.50")],
            "array(decimal(10, 2))",
        ),
    ],
)
def test_nested_values_of_expressions_come_back_as_values(
    on: Any, sql: str, value: object, kind: str
) -> None:
    result = on.run(sql)
    assert result.rows == ((value,),)
    assert [(c.name, c.type) for c in result.columns] == [("x", kind)]


def test_the_default_database_may_be_written_or_left_out(on: Any) -> None:
    for name in ("customers", "sales.customers", "awsdatacatalog.sales.customers"):
        assert on.run(f"SELECT COUNT(*) AS n FROM {name}").rows == ((3,),)
