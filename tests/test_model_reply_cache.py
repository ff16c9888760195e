import sqlite3
import threading
from pathlib import Path

import pytest

from querymend.model.chat import ChatWriter, Endpoint, Prompt, Sampling
from querymend.model.reply_cache import CachedWriter
from querymend.model.writer import Written
from querymend.testing import OpenAIStandIn, ScriptedModel, Turn
from querymend.tools.errors import ModelUnavailable, SetupError

PROMPT = Prompt(system="You write SQL.", user="How many orders?")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "replies.sqlite"


def test_the_second_call_costs_nothing_and_tells_what_the_first_cost(path: Path) -> None:
    first = Written(text="SELECT 1", seconds=12.5, tokens_in=870, tokens_out=40, model="m")
    model = ScriptedModel(first)
    writer = CachedWriter(model, path)
    assert writer.write(PROMPT) == first
    again = writer.write(PROMPT)
    assert (again.seconds, again.tokens_in, again.tokens_out) == (12.5, 870, 40)
    assert (again.text, again.model, again.finished) == ("SELECT 1", "m", None)
    assert again.cached
    assert len(model.prompts) == 1


def test_it_outlives_the_process(path: Path) -> None:
    CachedWriter(ScriptedModel("SELECT 1"), path).write(PROMPT)
    assert CachedWriter(ScriptedModel(), path).write(PROMPT).text == "SELECT 1"


def test_another_prompt_is_another_call(path: Path) -> None:
    writer = CachedWriter(ScriptedModel("a", "b", "c"), path)
    prompts = [
        PROMPT,
        Prompt(system="You write SQL.", user="how many orders?"),
        Prompt(system="", user="You write SQL.How many orders?"),
    ]
    assert [writer.write(prompt).text for prompt in prompts] == ["a", "b", "c"]


def test_the_stage_that_asks_does_not_matter(path: Path) -> None:
    writer = CachedWriter(ScriptedModel("a"), path)
    writer.write(PROMPT)
    same = Prompt(system=PROMPT.system, user=PROMPT.user, kind="repair", fingerprint="x@1")
    assert writer.write(same).text == "a"


def test_failures_and_empty_replies_are_not_kept(path: Path) -> None:
    writer = CachedWriter(ScriptedModel(ModelUnavailable("busy"), " \n", "SELECT 1"), path)
    with pytest.raises(ModelUnavailable):
        writer.write(PROMPT)
    assert writer.write(PROMPT).text == " \n"
    assert writer.write(PROMPT).text == "SELECT 1"


def test_another_model_or_sampling_is_another_call_but_another_key_is_not(path: Path) -> None:
    with OpenAIStandIn("a", "b", "c") as server:

        def ask(model: str, key: str, **sampling: int) -> str:
            endpoint = Endpoint(base_url=server.base_url, model=model, api_key=key)
            chat = ChatWriter(endpoint, sampling=Sampling(**sampling))  # type: ignore[arg-type]
            return CachedWriter(chat, path).write(PROMPT).text

        assert [ask("m", "k"), ask("n", "k"), ask("m", "k", seed=2)] == ["a", "b", "c"]
        assert ask("m", "other") == "a"


def test_streamed_replies_are_kept(path: Path) -> None:
    with OpenAIStandIn(Turn(text="SELECT 1", tokens_in=5, tokens_out=3)) as server:
        writer = CachedWriter(ChatWriter(Endpoint(base_url=server.base_url, model="m")), path)
        first, again = writer.write(PROMPT), writer.write(PROMPT)
        assert len(server.seen) == 1
    assert again.seconds == first.seconds > 0
    assert (again.tokens_in, again.tokens_out, again.finished) == (5, 3, True)


def test_threads_share_it(path: Path) -> None:
    writer = CachedWriter(ScriptedModel.forever("SELECT 1"), path)
    prompts = [Prompt(system="", user=f"{n % 3}") for n in range(12)]
    threads = [threading.Thread(target=writer.write, args=(prompt,)) for prompt in prompts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM full_llm_cache").fetchone() == (3,)
    connection.close()


def test_a_file_that_is_no_cache_is_told(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("not a database, and long enough to be read as one" * 50)
    with pytest.raises(SetupError, match="cannot be used"):
        CachedWriter(ScriptedModel("a"), path)
