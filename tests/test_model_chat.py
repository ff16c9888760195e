import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from querymend.model.chat import ChatWriter, Endpoint, Prompt, Sampling
from querymend.testing import OpenAIStandIn, Turn
from querymend.tools.errors import BudgetExceeded, ModelUnavailable, QuerymendError, SetupError

KEY = "sk-very-secret-key"
PROMPT = Prompt(system="You write SQL.", user="How many orders?")
FOREIGN = {
    "OPENAI_API_KEY": "sk-foreign",
    "OPENAI_ADMIN_KEY": "sk-foreign-admin",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/foreign",
    "OPENAI_API_BASE": "http://127.0.0.1:9/foreign",
    "OPENAI_ORG_ID": "org-foreign",
    "OPENAI_ORGANIZATION": "org-foreign",
    "OPENAI_PROJECT_ID": "project-foreign",
    "OPENAI_CUSTOM_HEADERS": "X-Foreign: foreign\nAuthorization: Bearer sk-foreign",
    "OPENAI_PROXY": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_API_KEY": "ls-foreign",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
}


def writer(server: OpenAIStandIn, *, timeout: float = 30.0, **sampling: object) -> ChatWriter:
    endpoint = Endpoint(base_url=server.base_url, model="tiny", api_key=KEY)
    return ChatWriter(endpoint, sampling=Sampling(**sampling), timeout=timeout)  # type: ignore[arg-type]


@pytest.fixture(scope="module", autouse=True)
def _loaded_client() -> Iterator[None]:
    with OpenAIStandIn("warm") as server:
        writer(server).write(PROMPT)
        yield


def test_a_reply_comes_with_its_time_and_tokens() -> None:
    with OpenAIStandIn(Turn(text="SELECT 1", tokens_in=870, tokens_out=12)) as server:
        written = writer(server).write(PROMPT)
    assert (written.text, written.model, written.finished) == ("SELECT 1", "tiny", True)
    assert (written.tokens_in, written.tokens_out, written.cached) == (870, 12, False)
    assert 0 < written.seconds < 5


def test_the_request_holds_the_prompt_and_the_sampling_and_nothing_else() -> None:
    with OpenAIStandIn("x") as server:
        writer(server, max_tokens=99, stop=("\n\n",), body={"cache_prompt": True}).write(PROMPT)
        seen = server.seen[0]
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "You write SQL."},
            {"role": "user", "content": "How many orders?"},
        ],
        "temperature": 0.0,
        "seed": 7,
        "max_completion_tokens": 99,
        "stop": ["\n\n"],
        "cache_prompt": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_what_the_environment_holds_for_others_changes_nothing_and_is_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    with OpenAIStandIn("SELECT 1") as server:
        assert writer(server).write(PROMPT).text == "SELECT 1"
        sent = str(server.seen[0])
    assert "foreign" not in sent
    assert KEY in sent


def test_no_key_sends_no_key_even_if_the_environment_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-foreign")
    with OpenAIStandIn("x") as server:
        ChatWriter(Endpoint(base_url=server.base_url, model="tiny")).write(PROMPT)
        assert "authorization" not in server.seen[0].headers


def test_headers_and_query_of_the_settings_are_sent_as_azure_asks() -> None:
    with OpenAIStandIn("x") as server:
        endpoint = Endpoint(
            base_url=server.base_url,
            model="deployed",
            headers={"api-key": "azure-secret"},
            query={"api-version": "2026-01-01"},
        )
        ChatWriter(endpoint).write(PROMPT)
        seen = server.seen[0]
    assert seen.path == "/v1/chat/completions?api-version=2026-01-01"
    assert seen.headers["api-key"] == "azure-secret"


KEY_SETTING = "QUERYMEND_MODEL__API_KEY"
ADDRESS = "QUERYMEND_MODEL__BASE_URL"
NAME = "QUERYMEND_MODEL__NAME"
SIZE = "QUERYMEND_RETRIEVAL__TOKENS"
FAULTS = [
    (429, ModelUnavailable, ""),
    (408, ModelUnavailable, ""),
    (500, ModelUnavailable, ""),
    (502, ModelUnavailable, ""),
    (503, ModelUnavailable, ""),
    (Turn(raw="data: {nonsense\n\n"), ModelUnavailable, ""),
    (Turn(raw="<html>a captive portal</html>"), ModelUnavailable, ""),
    (Turn(raw='data: {"error": {"message": "out of memory"}}\n\n'), ModelUnavailable, ""),
    (401, SetupError, KEY_SETTING),
    (403, SetupError, KEY_SETTING),
    (404, SetupError, ADDRESS),
    (Turn(status=404, error="The model `tiny` does not exist"), SetupError, NAME),
    (400, SetupError, NAME),
    (422, SetupError, NAME),
    (Turn(status=302, headers={"location": "http://127.0.0.1:9/"}), SetupError, ADDRESS),
    (Turn(status=400, error="This model's maximum context length is 4096"), SetupError, SIZE),
    (Turn(status=400, error="exceeds the available context size"), SetupError, SIZE),
]


@pytest.mark.parametrize(("turn", "kind", "setting"), FAULTS)
def test_each_fault_is_sorted_by_who_must_act(
    turn: int | Turn, kind: type[QuerymendError], setting: str
) -> None:
    with OpenAIStandIn(turn) as server, pytest.raises(kind) as caught:
        writer(server).write(PROMPT)
    assert getattr(caught.value, "setting", "") == setting
    assert "127.0.0.1" in str(caught.value)
    assert len(server.seen) == 1, "the client retried by itself"


def test_a_wait_that_the_endpoint_asks_for_is_told() -> None:
    with (
        OpenAIStandIn(Turn(status=429, headers={"retry-after": "3"})) as server,
        pytest.raises(ModelUnavailable) as caught,
    ):
        writer(server).write(PROMPT)
    assert caught.value.retry_after == 3.0


def test_a_spent_quota_is_the_developers_to_mend() -> None:
    body = '{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    with (
        OpenAIStandIn(Turn(status=429, raw=body)) as server,
        pytest.raises(SetupError) as caught,
    ):
        writer(server).write(PROMPT)
    assert caught.value.setting == "QUERYMEND_MODEL__API_KEY"


def test_a_server_that_is_not_there_is_named_with_its_setting() -> None:
    with OpenAIStandIn() as server:
        gone = server.base_url
    with pytest.raises(ModelUnavailable, match="QUERYMEND_MODEL__BASE_URL"):
        ChatWriter(Endpoint(base_url=gone, model="tiny")).write(PROMPT)


def test_the_key_is_in_no_text_repr_log_or_cause(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    fault = Turn(status=401, error=f"Incorrect API key provided: {KEY}")
    with OpenAIStandIn(fault) as server:
        model = writer(server)
        with pytest.raises(SetupError) as caught:
            model.write(PROMPT)
    shown = [str(caught.value), repr(caught.value), repr(model), repr(model.endpoint), model.name]
    shown += [model.identity, caplog.text, repr(caught.value.__cause__)]
    assert KEY not in "".join(shown)
    assert "***" in str(caught.value)


@pytest.mark.parametrize(
    "turn",
    [
        Turn(hang=True),
        Turn(text="SELECT " * 1000, drip=0.02),
        Turn(text="late", delay=600.0),
    ],
    ids=["hangs after its headers", "drips for ever", "sends nothing"],
)
def test_the_deadline_holds_and_the_request_is_closed(turn: Turn) -> None:
    with OpenAIStandIn("warm", turn) as server:
        model = writer(server)
        model.write(PROMPT)
        started = time.monotonic()
        with pytest.raises(BudgetExceeded):
            model.write(PROMPT, seconds=1.0)
        assert time.monotonic() - started < 20.0
        assert server.gone.wait(20.0)


def test_the_calls_own_time_out_may_be_retried() -> None:
    with OpenAIStandIn(Turn(hang=True)) as server, pytest.raises(ModelUnavailable):
        writer(server, timeout=0.2).write(PROMPT, seconds=20.0)


def test_no_time_left_asks_nobody() -> None:
    with OpenAIStandIn("x") as server:
        with pytest.raises(BudgetExceeded):
            writer(server).write(PROMPT, seconds=0.0)
        assert not server.seen


def test_cancelling_in_mid_reply_closes_the_request() -> None:
    heard: list[str] = []
    with OpenAIStandIn(Turn(text="abcdefghij" * 500, drip=0.01)) as server:
        with pytest.raises(BudgetExceeded, match="cancelled"):
            writer(server).write(
                PROMPT, seconds=30.0, cancelled=lambda: len(heard) > 3, on_token=heard.append
            )
        assert server.gone.wait(20.0)


def test_tokens_are_handed_on_in_the_callers_thread() -> None:
    heard: list[tuple[str, int]] = []
    with OpenAIStandIn(Turn(text="SELECT", drip=0.001)) as server:
        written = writer(server).write(
            PROMPT, on_token=lambda piece: heard.append((piece, threading.get_ident()))
        )
    assert "".join(piece for piece, _ in heard) == written.text == "SELECT"
    assert {thread for _, thread in heard} == {threading.get_ident()}


def test_an_endpoint_that_cannot_count_tokens_serves_too() -> None:
    with OpenAIStandIn(*[Turn(text="SELECT 1", usage=False)] * 3) as server:
        model = writer(server)
        assert model.write(PROMPT).text == "SELECT 1"
        assert model.write(PROMPT).tokens_out == 0
        assert len(server.seen) == 3, "it asked for usage again after a refusal"


def test_a_reply_that_the_token_limit_ended_says_so() -> None:
    with OpenAIStandIn(Turn(text="SELECT a,", finish="length")) as server:
        assert writer(server).write(PROMPT).finished is False


def test_an_empty_reply_is_a_reply() -> None:
    with OpenAIStandIn("") as server:
        assert writer(server).write(PROMPT).text == ""


def test_many_threads_share_one_writer() -> None:
    with OpenAIStandIn("SELECT 1", repeat=True) as server:
        model, texts = writer(server), []
        threads = [
            threading.Thread(target=lambda: texts.append(model.write(PROMPT).text))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert texts == ["SELECT 1"] * 8


async def test_it_can_be_called_where_an_event_loop_runs() -> None:
    with OpenAIStandIn("SELECT 1") as server:
        assert writer(server).write(PROMPT).text == "SELECT 1"


@pytest.mark.parametrize(
    ("address", "setting"),
    [
        ("api.openai.com/v1", "QUERYMEND_MODEL__BASE_URL"),
        ("ftp://host/v1", "QUERYMEND_MODEL__BASE_URL"),
        ("http:///v1", "QUERYMEND_MODEL__BASE_URL"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(address: str, setting: str) -> None:
    with pytest.raises(SetupError) as caught:
        ChatWriter(Endpoint(base_url=address, model="tiny"))
    assert caught.value.setting == setting


def test_a_missing_model_name_is_refused() -> None:
    with pytest.raises(SetupError) as caught:
        ChatWriter(Endpoint(base_url="https://api.openai.com/v1", model=""))
    assert caught.value.setting == "QUERYMEND_MODEL__NAME"


def test_a_password_in_the_address_is_not_shown() -> None:
    writer = ChatWriter(Endpoint(base_url="https://me:hush@host:8443/v1", model="tiny"))
    assert writer.name == "tiny at host:8443"
    assert "hush" not in writer.identity + repr(writer.endpoint)


def test_identity_tells_sampling_apart_but_not_keys() -> None:
    def identity(**changed: object) -> str:
        endpoint = Endpoint(base_url="https://h/v1", model="m", api_key=str(changed.pop("key", "")))
        return ChatWriter(endpoint, sampling=Sampling(**changed)).identity  # type: ignore[arg-type]

    assert identity() == identity(key="other")
    assert len({identity(), identity(seed=1), identity(max_tokens=9), identity(stop=("x",))}) == 4


def test_a_hanging_call_does_not_keep_the_interpreter_alive() -> None:
    program = """
import threading, time
from querymend.model.chat import ChatWriter, Endpoint, Prompt
from querymend.testing import OpenAIStandIn, Turn
server = OpenAIStandIn(Turn(hang=True)).__enter__()
writer = ChatWriter(Endpoint(base_url=server.base_url, model="m"))
threading.Thread(target=writer.write, args=(Prompt(system="", user="x"),), daemon=True).start()
while not server.seen:
    time.sleep(0.01)
print("leaving")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\n", "")


def test_importing_it_imports_no_heavy_library() -> None:
    program = (
        "import sys, querymend.model.endpoint, querymend.testing;"
        "print([m for m in ('openai', 'langchain_openai', 'xllamacpp') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
