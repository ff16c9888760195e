import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from querymend.model.fetch import from_hub
from querymend.model.weights import Weights, find_weights
from querymend.tools.errors import SetupError

WHOLE = b"GGUF" + bytes(range(256)) * 20
SMALL = Weights(
    file="small.gguf",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    repo="owner/small",
)


class Hub(ThreadingHTTPServer):
    """A hub on loopback that serves one file, or breaks off, or answers something else."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body = WHOLE
        self.breaks_at = len(WHOLE)
        self.status = 200
        self.ranges: list[str | None] = []
        self.paths: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        wanted = self.headers.get("range")
        self.server.ranges.append(wanted)
        self.server.paths.append(self.path)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        body = self.server.body[start:]
        self.send_response(206 if wanted and self.server.status == 200 else self.server.status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.breaks_at])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Hub() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def find(tmp_path: Path, address: str | None, said: list[str]) -> Path:
    return find_weights(
        path=None,
        cache_dir=tmp_path,
        log=said.append,
        weights=SMALL,
        sources=(partial(from_hub, hub=address),),
    )


def test_the_hub_gives_the_file(tmp_path: Path, hub: Hub) -> None:
    said: list[str] = []
    assert find(tmp_path, hub.address, said).read_bytes() == WHOLE
    assert hub.paths == ["/owner/small/resolve/main/small.gguf"]
    assert not said


def test_a_download_that_broke_off_goes_on_where_it_was(tmp_path: Path, hub: Hub) -> None:
    said: list[str] = []
    hub.breaks_at = 1000
    with pytest.raises(SetupError):
        find(tmp_path, hub.address, said)
    assert len(said) == 1
    hub.breaks_at = len(WHOLE)
    assert find(tmp_path, hub.address, said).read_bytes() == WHOLE
    assert hub.ranges == [None, "bytes=1000-"]


def test_a_portals_page_is_not_taken_for_the_file(tmp_path: Path, hub: Hub) -> None:
    hub.body = b"<html>please sign in</html>"
    with pytest.raises(SetupError):
        find(tmp_path, hub.address, [])
    assert not (tmp_path / "models/small.gguf").exists()


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_hub_that_refuses_is_told_in_one_line(tmp_path: Path, hub: Hub, status: int) -> None:
    hub.status = status
    said: list[str] = []
    with pytest.raises(SetupError):
        find(tmp_path, hub.address, said)
    assert len(said) == 1
    assert "\n" not in said[0]
    assert "hub cannot be reached" in said[0]


def test_a_hub_out_of_reach_is_told_in_one_line(tmp_path: Path, hub: Hub) -> None:
    said: list[str] = []
    with pytest.raises(SetupError):
        find(tmp_path, "http://127.0.0.1:9", said)
    assert len(said) == 1


def test_a_mirror_and_offline_mode_are_named_as_hugging_face_names_them(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SetupError):
        find(tmp_path, None, [])
    assert not hub.paths
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    assert find(tmp_path, None, []).read_bytes() == WHOLE
