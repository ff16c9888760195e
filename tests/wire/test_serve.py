"""The stand-in served from the command line: what it says, and how it ends."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyathena
import pytest

from querymend.cli.stand_in_serve import opened, serve
from querymend.testing import AthenaStandIn
from querymend.tools.errors import SetupError

Make = Callable[..., Any]


def served(source: str, **options: Any) -> tuple[list[str], Callable[[], None]]:
    """Serve in a thread; return what it says once it listens, and what ends it."""
    said: list[str] = []
    until, greeted = threading.Event(), threading.Event()

    def say(line: str) -> None:
        said.append(line)
        if "querymend ask" in line:
            greeted.set()

    thread = threading.Thread(
        target=serve, args=(source,), kwargs={"say": say, "until": until, **options}
    )
    thread.start()
    assert greeted.wait(20)

    def end() -> None:
        until.set()
        thread.join()

    return said, end


def test_it_says_where_it_listens_and_how_it_is_asked(sales: Path, cache: Path) -> None:
    said, end = served(str(sales))
    try:
        text = "\n".join(said)
        address = text.split("STS: ")[1].split(",")[0]
        assert address.startswith("http://127.0.0.1:")
        assert "databases sales, web." in text
        assert "athena://us-east-1/sales,web?endpoint=http%3A%2F%2F127.0.0.1" in text
        output = text.split("go to ")[1].split(" ")[0]
        with (
            pyathena.connect(
                endpoint_url=address,
                region_name="us-east-1",
                aws_access_key_id="any",
                aws_secret_access_key="any",
                s3_staging_dir=output,
                schema_name="web",
                poll_interval=0.005,
            ) as connection,
            connection.cursor() as cursor,
        ):
            assert cursor.execute("SELECT count(*) FROM visits").fetchall() == [(2500,)]
    finally:
        end()


def test_a_file_without_schemas_is_a_database_of_its_own_name(shop: Path) -> None:
    with opened(str(shop), database="", port=0) as server:
        assert server.databases() == ["shop"]
    with opened(str(shop), database="other", port=0) as server:
        assert server.databases() == ["other"]


def test_a_port_that_is_taken_is_said_to_be(shop: Path) -> None:
    with opened(str(shop), database="", port=0) as server:
        port = int(server.endpoint_url.rpartition(":")[2])
        with pytest.raises(SetupError, match=f"Port {port} cannot be used"):
            opened(str(shop), database="", port=port).start()


def test_a_file_that_is_none_is_a_matter_of_set_up(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"nothing\.duckdb"):
        AthenaStandIn(tmp_path / "nothing.duckdb")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(sales: Path, how: signal.Signals) -> None:
    asked = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from querymend.cli.stand_in_serve import serve\n"
        "serve(sys.argv[1], say=lambda line: print(line, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", asked, str(sales)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "querymend ask" in line:
                break
        process.send_signal(how)
        rest = process.stdout.read()
        assert process.wait(20) == 0
    assert rest.split() == ["Ended."]
