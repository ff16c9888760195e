"""The Trino engine without a Trino: its URL, errors and values; and a server that misbehaves."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import trino.exceptions as raised
from dateutil.relativedelta import relativedelta
from trino.types import NamedRowTuple

from querymend.engines import SCHEMES, open_engine, scheme_of
from querymend.settings import load_settings
from querymend.tools import errors
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.trino.address import read_address
from querymend.tools.engines.trino.engine import TrinoEngine
from querymend.tools.engines.trino.errors import ANY, kinds, translate
from querymend.tools.engines.trino.opening import open_trino
from querymend.tools.engines.trino.values import row_of
from querymend.tools.errors import (
    AccessDenied,
    BudgetExceeded,
    EngineUnavailable,
    QueryError,
    QuerymendError,
    SetupError,
)
from querymend.tools.sql.admitted import Admitted

LIMITS = Limits(rows=10, seconds=20.0, bytes=None)
ONE = Admitted("SELECT 1")

# The URL -----------------------------------------------------------------------------------------


def test_a_url_names_user_host_catalog_and_schema() -> None:
    at = read_address("trino://ann%40x@db.test:8081/Lake/Sales")
    assert (at.user, at.host, at.port) == ("ann@x", "db.test", 8081)
    assert (at.catalog, at.schema, at.tls, at.timezone) == ("lake", "sales", False, "UTC")


def test_tls_is_spoken_where_asked_for_where_the_port_says_so_and_with_a_password() -> None:
    assert read_address("trino://a@h/c?tls=true").port == 443
    assert read_address("trino://a@h:443/c").tls
    assert read_address("trino://a@h:8443/c", password=True).tls


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("trino://h:1/c", "user's name is missing"),
        ("trino://a@:1/c", "host is missing"),
        ("trino://a@h:99999/c", "port"),
        ("trino://a@h:1", "is not a catalog"),
        ("trino://a@h:1/c/s/t", "is not a catalog"),
        ("trino://a@h:1/c?tsl=true", "'tsl' is no option"),
        ("trino://a@h:1/c?tls=yes", "not true or false"),
        ("trino://a@h:1/c?timezone=Nowhere", "no time zone"),
        ("trino://a:secret@h:1/c", "does not belong in the URL"),
    ],
)
def test_a_url_that_is_not_right_says_what_is_wrong(url: str, says: str) -> None:
    with pytest.raises(SetupError, match=says) as caught:
        read_address(url)
    assert caught.value.setting.startswith("QUERYMEND_SOURCE")
    assert "secret" not in str(caught.value)


def test_a_password_is_never_sent_in_the_clear() -> None:
    with pytest.raises(SetupError, match="TLS alone"):
        open_trino("trino://a@h:8080/c?tls=false", password="secret")


def test_nothing_that_is_shown_holds_the_password() -> None:
    engine = open_trino("trino://a@h:8443/c", password="secret")
    assert engine.name == "Trino h:8443 c"
    assert "secret" not in repr(vars(engine))


def test_the_settings_open_a_trino_by_its_scheme_and_know_no_other() -> None:
    assert isinstance(open_engine("trino://a@h/c", load_settings()), TrinoEngine)
    with pytest.raises(SetupError, match=r"reached by gopher://.*trino"):
        open_engine("gopher://h", load_settings())
    assert scheme_of("C:/data/shop.duckdb") == scheme_of("shop.duckdb") == ""
    assert "trino" in SCHEMES


# Its errors --------------------------------------------------------------------------------------


def refused(name: str, kind: str, message: str = "line 2:5: no", **more: object) -> Exception:
    said = {"errorName": name, "errorType": kind, "message": message, **more}
    return raised.TrinoUserError(said, "q1")


@pytest.mark.parametrize("row", sorted(kinds()))
def test_every_row_of_the_table_becomes_its_class(row: tuple[str, str]) -> None:
    name, kind = row
    got = translate(refused("SOMETHING_NEW" if name == ANY else name, kind))
    assert type(got) is kinds()[row]


def test_an_error_of_no_known_type_may_be_tried_again() -> None:
    assert type(translate(refused("NEW", "STRANGE"))) is EngineUnavailable


def test_every_class_of_the_client_becomes_one_of_ours() -> None:
    given = {name: kind for name, kind in vars(raised).items() if isinstance(kind, type)}
    ours = {
        name: type(translate(_made(kind)))
        for name, kind in given.items()
        if issubclass(kind, Exception)
    }
    assert {n for n, k in ours.items() if k not in vars(errors).values()} == set()
    assert ours["TrinoConnectionError"] is ours["Http503Error"] is EngineUnavailable
    assert ours["TrinoAuthError"] is SetupError
    assert ours["TrinoDataError"] is QueryError


def _made(kind: type[Exception]) -> Exception:
    if issubclass(kind, raised.TrinoQueryError):
        return kind({"errorName": "SYNTAX_ERROR", "errorType": "USER_ERROR", "message": "x"})
    return kind("x")


def test_a_refusal_keeps_name_and_place_and_loses_the_place_in_its_text() -> None:
    got = translate(refused("COLUMN_NOT_FOUND", "USER_ERROR", "line 2:5: Column 'x' cannot be"))
    assert isinstance(got, QueryError)
    assert (got.code, got.position, str(got)) == (
        "COLUMN_NOT_FOUND",
        (2, 5),
        "Column 'x' cannot be",
    )


def test_the_clients_own_location_is_taken_where_it_is_given() -> None:
    place = {"lineNumber": 3, "columnNumber": 7}
    got = translate(refused("TYPE_MISMATCH", "USER_ERROR", "no", errorLocation=place))
    assert isinstance(got, QueryError)
    assert got.position == (3, 7)


def test_of_a_syntax_error_only_the_first_expected_words_are_told() -> None:
    words = ", ".join(f"'W{i}'" for i in range(40))
    text = f"line 1:1: mismatched input 'SELEC'. Expecting: {words}"
    assert str(translate(refused("SYNTAX_ERROR", "USER_ERROR", text))).endswith("'W3', 'W4' …")


@pytest.mark.parametrize(
    ("text", "sql", "told"),
    [
        ("Cannot cast 'ann@canary.test' to BIGINT", "SELECT CAST(e AS bigint)", "'…' to BIGINT"),
        ("Cannot cast 'abc' to BIGINT", "SELECT CAST('abc' AS bigint)", "'abc' to BIGINT"),
        ("Out of range for tinyint: 4111", "SELECT CAST(n AS tinyint)", "tinyint: '…'"),
        ("Value cannot be cast to date: 1970-13-99", "SELECT 1", "date: '…'"),
    ],
)
def test_values_from_the_data_are_masked_and_those_of_the_statement_are_not(
    text: str, sql: str, told: str
) -> None:
    assert told in str(translate(refused("INVALID_CAST_ARGUMENT", "USER_ERROR", text), sql))


def test_no_address_of_a_file_and_no_long_text_gets_out() -> None:
    text = f"Error opening s3://bucket/private/x.parquet (arn:aws:s3:::bucket) {'y' * 900}"
    told = str(translate(refused("HIVE_CANNOT_OPEN_SPLIT", "EXTERNAL", text)))
    assert "bucket" not in told
    assert len(told) <= 500


# Its values --------------------------------------------------------------------------------------


def row(values: list[object], names: list[str | None]) -> NamedRowTuple:
    return NamedRowTuple(values, names, ["varchar"] * len(names))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (None, None),
        ("", ""),
        (Decimal("1.50"), Decimal("1.50")),
        (date(2024, 2, 29), date(2024, 2, 29)),
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC"))),
        (row([1, "x"], ["a", "b"]), {"a": 1, "b": "x"}),
        (row([1, 2], [None, None]), (1, 2)),
        (row([1, 2], ["a", "a"]), (1, 2)),
        ([row([None], ["a"])], [{"a": None}]),
        ({"k": [row([1], ["a"])]}, {"k": [{"a": 1}]}),
        (relativedelta(years=1, months=3), "1-3"),
        (relativedelta(months=-14), "-1-2"),
        (timedelta(days=2), timedelta(days=2)),
    ],
)
def test_a_value_becomes_a_plain_cell(given: object, wanted: object) -> None:
    assert row_of([given]) == (wanted,)
    assert type(row_of([given])[0]) is type(wanted)


# A server that misbehaves ------------------------------------------------------------------------

Reply = tuple[int, dict[str, str], bytes]


class Server(ThreadingHTTPServer):
    """Answers each request with what the test says, and keeps what was asked."""

    daemon_threads = True

    def __init__(self, reply: Callable[["Server", str, str], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self.seen: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.deleted = threading.Event()

    @property
    def engine(self) -> TrinoEngine:
        return open_trino(f"trino://a@127.0.0.1:{self.server_port}/c/s")

    def page(self, **more: object) -> Reply:
        """Make one page of a statement's answer."""
        base = {"id": "q1", "infoUri": "http://x", "stats": {"state": "RUNNING"}, **more}
        return 200, {}, json.dumps(base).encode()

    @property
    def next(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/statement/q1/{len(self.seen)}"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, body.decode()))
        self.server.headers.append(dict(self.headers))
        if self.command == "DELETE":
            self.server.deleted.set()
        status, headers, content = self.server.reply(self.server, self.command, self.path)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Server, str, str], Reply]], Server]]:
    started: list[Server] = []

    def start(reply: Callable[[Server, str, str], Reply]) -> Server:
        server = Server(reply)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


Serve = Callable[[Callable[[Server, str, str], Reply]], Server]
TYPE = {"rawType": "bigint", "arguments": []}
COLUMN = {"name": "x", "type": "bigint", "typeSignature": TYPE}


@pytest.mark.parametrize(
    ("status", "headers", "ours", "setting"),
    [
        (401, {}, SetupError, "QUERYMEND_SOURCE_PASSWORD"),
        (403, {}, AccessDenied, ""),
        (429, {"Retry-After": "90"}, EngineUnavailable, ""),
        (500, {}, EngineUnavailable, ""),
        (503, {}, EngineUnavailable, ""),
    ],
)
def test_a_status_is_told_by_who_must_act_without_waiting_for_it(
    serve: Serve,
    status: int,
    headers: dict[str, str],
    ours: type[QuerymendError],
    setting: str,
) -> None:
    server = serve(lambda *_: (status, headers, b"no"))
    with pytest.raises(ours) as caught:
        server.engine.run(ONE, limits=LIMITS)
    assert getattr(caught.value, "setting", "") == setting
    assert getattr(caught.value, "retry_after", None) == (90.0 if headers else None)


def test_a_server_that_is_not_there_may_come_back() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        engine = open_trino(f"trino://a@127.0.0.1:{held.getsockname()[1]}/c")
        with pytest.raises(EngineUnavailable, match="not reached"):
            engine.run(ONE, limits=LIMITS)


def test_the_statement_goes_out_as_it_is_with_its_limits_and_a_percent_sign(serve: Serve) -> None:
    server = serve(lambda s, *_: s.page(columns=[COLUMN], data=[[1]]))
    sql = Admitted("SELECT x FROM t WHERE n LIKE '100%'")
    result = server.engine.run(sql, limits=Limits(rows=5, seconds=7.0, bytes=1000))
    assert server.seen == [("POST", sql)]
    given = server.headers[0]["X-Trino-Session"]
    assert given == "query_max_run_time=7000ms,query_max_scan_physical_bytes=1000B"
    assert server.headers[0]["X-Trino-Time-Zone"] == "UTC"
    assert (result.rows, result.truncated, result.query_id) == (((1,),), False, "q1")


def test_past_the_row_cap_the_statement_is_stopped_on_the_server(serve: Serve) -> None:
    server = serve(_endless)
    result = server.engine.run(ONE, limits=Limits(rows=3, seconds=20.0, bytes=None))
    assert (len(result.rows), result.truncated) == (3, True)
    assert server.deleted.wait(10)


def test_past_the_deadline_the_statement_is_stopped_on_the_server(serve: Serve) -> None:
    server = serve(_hanging)
    with pytest.raises(BudgetExceeded, match=r"0\.2 seconds"):
        server.engine.run(ONE, limits=Limits(rows=3, seconds=0.2, bytes=None))
    assert server.deleted.is_set()


def test_cancelling_from_another_thread_stops_the_statement_on_the_server(serve: Serve) -> None:
    begun = threading.Event()

    def reply(server: Server, method: str, path: str) -> Reply:
        if method == "GET":
            begun.set()
        return _hanging(server, method, path)

    server = serve(reply)
    engine = server.engine
    caught: list[QuerymendError] = []

    def run() -> None:
        try:
            engine.run(ONE, limits=Limits(rows=3, seconds=None, bytes=None))
        except QuerymendError as error:
            caught.append(error)

    runner = threading.Thread(target=run)
    runner.start()
    assert begun.wait(10)
    engine.cancel()
    runner.join(10)
    assert [(type(e), str(e)) for e in caught] == [(BudgetExceeded, "The query was cancelled.")]
    assert server.deleted.is_set()


def test_a_callers_ctrl_c_stops_the_statement_on_the_server(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(_endless)

    def interrupted(row: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("querymend.tools.engines.trino.engine.row_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        server.engine.run(ONE, limits=LIMITS)
    assert server.deleted.wait(10)


def test_plain_text_is_no_admitted_statement() -> None:
    engine = open_trino("trino://a@h/c")
    with pytest.raises(TypeError, match="gate"):
        engine.run("SELECT 1", limits=LIMITS)  # type: ignore[arg-type]


def test_a_fault_in_an_explained_statement_is_placed_in_the_statement(serve: Serve) -> None:
    prefix = len("EXPLAIN (TYPE LOGICAL) ")
    error = {
        "errorName": "COLUMN_NOT_FOUND",
        "errorType": "USER_ERROR",
        "message": f"line 1:{prefix + 8}: Column 'x' cannot be resolved",
    }
    server = serve(lambda s, *_: s.page(error=error))
    with pytest.raises(QueryError) as caught:
        server.engine.explain(Admitted("SELECT x"))
    assert caught.value.position == (1, 8)


def _endless(server: Server, method: str, path: str) -> Reply:
    """Give ten rows a page, for ever."""
    if method == "DELETE":
        return 204, {}, b""
    return server.page(columns=[COLUMN], data=[[i] for i in range(10)], nextUri=server.next)


def _hanging(server: Server, method: str, path: str) -> Reply:
    """Never give a row; each page waits a little, and says so once it is stopped, as Trino's do."""
    if method == "DELETE":
        return 204, {}, b""
    if method == "GET" and server.deleted.wait(0.05):
        said = {"errorName": "USER_CANCELED", "errorType": "USER_ERROR", "errorCode": 4}
        return server.page(error={**said, "message": "Query was canceled"})
    return server.page(nextUri=server.next)


def test_the_repositorys_table_of_errors_names_each_error_once() -> None:
    text = Path(errors.__file__).parent / "engines" / "trino" / "errors.txt"
    lines = [x.split()[:2] for x in text.read_text().splitlines() if x and not x.startswith("#")]
    assert len({tuple(x) for x in lines}) == len(lines) > 180
