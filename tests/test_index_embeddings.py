"""Embeddings: offline by default; a hosted model only as its arguments say."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from querymend.tools.errors import ModelUnavailable
from querymend.tools.index.embeddings import OpenAIEmbedder, StaticEmbedder


def test_like_texts_are_near_and_vectors_have_length_one() -> None:
    one, like, other = StaticEmbedder().embed(["sales per city", "revenue by town", "blood group"])
    assert len(one) == 256
    assert sum(x * x for x in one) == pytest.approx(1, abs=1e-4)
    assert _dot(one, like) > _dot(one, other)


def test_odd_texts_have_vectors_too() -> None:
    vectors = StaticEmbedder().embed(["", "   ", "\0", "日本語 💥", "x" * 100_000])
    assert all(x == x for vector in vectors for x in vector)
    assert StaticEmbedder().embed([]) == []


def test_threads_share_one_model() -> None:
    embedder = StaticEmbedder()
    found: list[list[float]] = []
    threads = [
        threading.Thread(target=lambda: found.extend(embedder.embed(["sales"]))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4


def test_loading_the_model_leaves_the_root_logger_alone_and_importing_us_loads_nothing() -> None:
    code = (
        "import sys, logging\n"
        "import querymend.tools.index.retrieve, querymend.tools.index.sync\n"
        "heavy = {'wordllama', 'chromadb', 'bm25s', 'openai', 'networkx'} & set(sys.modules)\n"
        "from querymend.tools.index.embeddings import StaticEmbedder\n"
        "StaticEmbedder().embed(['x'])\n"
        "print(sorted(heavy), logging.getLogger().handlers, logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"[] [] {logging.WARNING}"


class _Endpoint(BaseHTTPRequestHandler):
    """Answers embeddings requests and keeps what it was sent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {k.lower(): v for k, v in self.headers.items()}
        self.server.seen.append((self.path, headers, body))  # type: ignore[attr-defined]
        data = [{"index": i, "embedding": [float(i), 1.0]} for i, _ in enumerate(body["input"])]
        reply = json.dumps({"data": data, "model": "m", "object": "list"}).encode()
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def endpoint() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    server.seen, server.status = [], 200  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_hosted_model_gets_texts_and_nothing_of_the_environment(
    endpoint: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL", "API_BASE", "API_TYPE", "PROXY"):
        monkeypatch.setenv(f"OPENAI_{name}", "azure-canary")
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    embedder = OpenAIEmbedder(base_url=url, api_key="mine", model="small")
    assert embedder.embed(["a", "b"]) == [[0.0, 1.0], [1.0, 1.0]]
    assert embedder.embed([]) == []
    [(path, headers, body)] = endpoint.seen  # type: ignore[attr-defined]
    assert path == "/v1/embeddings"
    assert headers["authorization"] == "Bearer mine"
    assert (body["input"], body["model"]) == (["a", "b"], "small")
    assert "canary" not in repr((headers, body))
    assert embedder.fingerprint == "openai/small"


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_a_hosted_model_that_fails_is_unavailable(
    endpoint: ThreadingHTTPServer, status: int
) -> None:
    endpoint.status = status  # type: ignore[attr-defined]
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    embedder = OpenAIEmbedder(base_url=url, api_key="secret", model="m", retries=0)
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["a"])
    assert "secret" not in str(caught.value)


def _dot(one: list[float], other: list[float]) -> float:
    return sum(x * y for x, y in zip(one, other, strict=True))
