"""HTTP on loopback: reads requests, lets someone answer Athena's, hands the others to moto."""

import json
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.calls import Call, call_of, refused_answer
from querymend.tools.engines.wire.failures import Refusal
from querymend.tools.engines.wire.paging import is_paged, paged
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from werkzeug.serving import BaseWSGIServer

ATHENA = "athena"
LOOPBACK = "127.0.0.1"


class Listener:
    """A server thread, and one thread a connection.

    Args:
        port: 0 takes any free port.
        beneath: answers what is none of Athena's calls.
        seen: told of every call before it is answered; raises Refusal for one that shall fail.
        answer: answers Athena's calls.
    """

    def __init__(
        self,
        port: int,
        *,
        beneath: Beneath,
        seen: Callable[[Call], None],
        answer: Callable[[Call], dict[str, object]],
    ) -> None:
        self._beneath = beneath
        self._seen = seen
        self._answer = answer
        self._http = _server(port, self._wsgi)
        self._thread = threading.Thread(
            target=self._http.serve_forever, name="querymend-athena-http", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return self._http.port

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _wsgi(self, environ: dict[str, Any], start: Any) -> Any:
        call = call_of(environ)
        try:
            self._seen(call)
            if is_paged(call):
                return paged(call, self._beneath.answer, environ, start)
            if call.service != ATHENA:
                return self._beneath.answer(environ, start)
            content = json.dumps(self._answer(call)).encode()
        except Refusal as refused:
            status, headers, content = refused_answer(call, refused)
            start(status, headers)
            return [content]
        kind, size = "application/x-amz-json-1.1", str(len(content))
        start("200 OK", [("Content-Type", kind), ("Content-Length", size)])
        return [content]


def _server(port: int, application: Callable[[dict[str, Any], Any], Any]) -> "BaseWSGIServer":
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        """Keeps connections open, and writes no log."""

        protocol_version = "HTTP/1.1"

        def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002
            """Write nothing."""

    # werkzeug ends the whole process where a port is taken.
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            raise SetupError(f"Port {port} cannot be used: {error}. Give another one.") from error
        found.listen()
        return make_server(
            LOOPBACK,
            found.getsockname()[1],
            application,
            threaded=True,
            request_handler=Quiet,
            fd=found.fileno(),
        )
