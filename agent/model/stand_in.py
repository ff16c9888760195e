"""A tiny OpenAI-compatible server on loopback that answers from a script, faults included."""

import json
import select
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, cast

_TICK = 0.01


@dataclass(frozen=True, kw_only=True)
class Turn:
    """How one request is answered."""

    text: str = ""
    status: int = 200
    error: str = "scripted fault"
    """The message of any answer whose status is not 200."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""
    hang: bool = False
    """Send the headers, then nothing until the caller goes away."""
    drip: float = 0.0
    """Seconds between one character and the next."""
    raw: str = ""
    """A body that is sent as it is, instead of an answer."""
    finish: str = "stop"
    """``length`` tells that the token limit ended the answer."""
    tokens_in: int = 100
    tokens_out: int = 10
    usage: bool = True
    """Whether the endpoint knows how to count tokens; False refuses ``stream_options``."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]


class OpenAIStandIn:
    """Serve ``/v1/chat/completions`` on loopback from a script; use it in a ``with``.

    Each reply is a text, a status, or a `Turn`. The last reply serves for ever with
    ``repeat=True``; otherwise a request beyond the script is answered with status 418.
    """

    def __init__(self, *replies: str | int | Turn, repeat: bool = False) -> None:
        self.seen: list[Seen] = []
        """Every request, in order."""
        self.gone = Event()
        """Set when a caller closed its connection before its answer was whole."""
        self._turns = [_as_turn(reply) for reply in replies]
        self._repeat = repeat
        self._lock = Lock()
        self._closing = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.stand_in = self  # type: ignore[attr-defined]
        self._thread = Thread(target=self._server.serve_forever, args=(_TICK,), daemon=True)

    @property
    def base_url(self) -> str:
        """Give the address that an OpenAI client takes."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "OpenAIStandIn":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, seen: Seen) -> Turn:
        """Note a request and give the turn that answers it."""
        with self._lock:
            self.seen.append(seen)
            if not self._turns:
                return Turn(status=418, error="the stand-in's script has run out")
            last = self._repeat and len(self._turns) == 1
            return self._turns[0] if last else self._turns.pop(0)

    def wait(self, seconds: float, connection: socket.socket) -> bool:
        """Wait so long unless the caller goes away; tell whether it is still there."""
        if self._closing.is_set():
            return False
        left = seconds
        while left > 0 and not self._closing.wait(min(left, _TICK)):
            left -= _TICK
            if _is_gone(connection):
                self.gone.set()
                return False
        return not self._closing.is_set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        stand_in = cast(OpenAIStandIn, self.server.stand_in)  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        turn = stand_in.take(Seen(path=self.path, headers=headers, body=body))
        self.close_connection = turn.hang or turn.drip > 0
        if not stand_in.wait(turn.delay, self.connection):
            self.close_connection = True
            return
        try:
            self._answer(stand_in, turn, body)
        except (BrokenPipeError, ConnectionResetError):
            stand_in.gone.set()

    def _answer(self, stand_in: OpenAIStandIn, turn: Turn, body: Mapping[str, Any]) -> None:
        if turn.status == 200 and not turn.usage and "stream_options" in body:
            turn = Turn(status=400, error="unknown field: stream_options")
        if turn.status != 200 and not turn.raw:
            fault = {"error": {"message": turn.error, "type": "scripted", "code": turn.status}}
            self._send_whole(turn, json.dumps(fault))
        elif turn.raw or not body.get("stream"):
            self._send_whole(turn, turn.raw or json.dumps(_completion(turn)))
        else:
            self._stream(stand_in, turn)

    def _send_whole(self, turn: Turn, text: str) -> None:
        data = text.encode()
        self._send_head(turn, {"content-length": str(len(data)), "content-type": _kind(turn)})
        self.wfile.write(data)

    def _stream(self, stand_in: OpenAIStandIn, turn: Turn) -> None:
        self._send_head(turn, {"transfer-encoding": "chunked", "content-type": "text/event-stream"})
        if turn.hang:
            stand_in.wait(float("inf"), self.connection)
            return
        for event in _events(turn):
            self._send_chunk(f"data: {event}\n\n")
            if turn.drip and not stand_in.wait(turn.drip, self.connection):
                return
        self.wfile.write(b"0\r\n\r\n")

    def _send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _send_head(self, turn: Turn, headers: Mapping[str, str]) -> None:
        self.send_response(turn.status)
        for name, value in {**headers, **turn.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent: what arrived is in `OpenAIStandIn.seen`."""


def _kind(turn: Turn) -> str:
    return "text/event-stream" if turn.raw.startswith("data:") else "application/json"


def _as_turn(reply: str | int | Turn) -> Turn:
    if isinstance(reply, Turn):
        return reply
    return Turn(text=reply) if isinstance(reply, str) else Turn(status=reply)


def _is_gone(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    if not readable:
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True


def _usage(turn: Turn) -> dict[str, int]:
    return {
        "prompt_tokens": turn.tokens_in,
        "completion_tokens": turn.tokens_out,
        "total_tokens": turn.tokens_in + turn.tokens_out,
    }


def _completion(turn: Turn) -> dict[str, object]:
    message = {"role": "assistant", "content": turn.text}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": turn.finish}],
        "usage": _usage(turn),
    }


def _events(turn: Turn) -> Iterator[str]:
    pieces = list(turn.text) if turn.drip else [turn.text]
    for piece in pieces:
        yield _chunk({"role": "assistant", "content": piece}, None)
    yield _chunk({}, turn.finish)
    if turn.usage:
        yield json.dumps({**_frame(), "choices": [], "usage": _usage(turn)})
    yield "[DONE]"


def _chunk(delta: Mapping[str, str], finish: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({**_frame(), "choices": [choice]})


def _frame() -> dict[str, object]:
    return {"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
