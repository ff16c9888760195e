"""Serving the stand-in from the command line, until Ctrl-C."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from querymend.tools.engines.wire.server import AthenaStandIn


def serve(
    source: str,
    *,
    database: str = "",
    port: int = 0,
    say: Callable[[str], None],
    until: threading.Event | None = None,
) -> None:
    """Serve Athena over a DuckDB file, or over a Trino by URL, until Ctrl-C or SIGTERM.

    Args:
        source: a DuckDB file, or ``trino://user@host:8080/catalog/schema``.
        database: the database of tables that have no schema; the file's name if empty.
        port: 0 takes any free port.
        say: shows one line to a person.
        until: ends the serving when set, for who has no Ctrl-C.

    Raises:
        SetupError: the source cannot be opened, the port is taken, or moto is not installed.
    """
    server = opened(source, database=database, port=port)
    ended = until or threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with server, suppress(KeyboardInterrupt):
        for line in greeting(server):
            say(line)
        ended.wait()
    say("Ended.")


def opened(source: str, *, database: str, port: int) -> "AthenaStandIn":
    """Open what a source names, as a server that does not listen yet."""
    from querymend.engines import open_engine, scheme_of
    from querymend.settings import load_settings
    from querymend.tools.engines.sources import local_file
    from querymend.tools.engines.wire.server import AthenaStandIn

    settings = load_settings(source=source)
    name = database or PurePath(source.partition("?")[0]).stem.lower()
    if scheme_of(source):
        return AthenaStandIn(lambda: open_engine(source, settings), database=name, port=port)
    path = local_file(source, cache_dir=settings.sources_dir)
    return AthenaStandIn(path, database=name, port=port)


def greeting(server: "AthenaStandIn") -> list[str]:
    """Say where it listens and how it is asked."""
    databases = server.databases()
    return [
        f"Athena, Glue, S3 and STS: {server.endpoint_url}, databases {', '.join(databases)}.",
        f"Results go to {server.output} there. Ctrl-C ends it. Ask it with any keys:",
        "",
        "  export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any",
        f"  querymend ask --source '{server.url(*databases)}' 'How many … ?'",
        "",
    ]
