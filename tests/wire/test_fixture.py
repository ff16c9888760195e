"""The public fixture, and what importing it costs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyathena

from querymend.testing import AthenaStandIn, athena_stand_in

__all__ = ["athena_stand_in"]


def test_the_fixture_makes_servers_and_closes_them(
    athena_stand_in: Callable[..., AthenaStandIn], shop: Path
) -> None:
    server = athena_stand_in(shop, database="shop")
    with (
        pyathena.connect(
            **server.client, schema_name="shop", s3_staging_dir=server.output, poll_interval=0.005
        ) as connection,
        connection.cursor() as cursor,
    ):
        assert cursor.execute("SELECT count(*) FROM orders").fetchall() == [(4,)]
    assert server.running() == []
    assert [e.state for e in server.executions()] == ["SUCCEEDED"]
    assert server.operations()[0] == "StartQueryExecution"


def test_importing_the_stand_in_brings_neither_moto_nor_pytest() -> None:
    asked = (
        "import sys, querymend.testing; print({'moto', 'werkzeug', 'pytest'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
