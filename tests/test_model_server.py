import multiprocessing
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import platformdirs
import pytest

from querymend.model.chat import ChatWriter, Endpoint, Prompt
from querymend.model.endpoint import LocalWriter, writer_for
from querymend.model.reply_cache import CachedWriter
from querymend.model.server import local_endpoint
from querymend.model.weights import find_weights, is_here
from querymend.settings import ModelSettings
from querymend.tools.errors import BudgetExceeded, SetupError

CACHE = Path(platformdirs.user_cache_dir("querymend"))
TABLE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, amount DECIMAL(10,2), paid DATE);"
PROMPT = Prompt(
    system=f"You write one SQL query.\n{TABLE}", user="How many orders are there? Only SQL."
)


@pytest.fixture(scope="module")
def weights() -> Path:
    pytest.importorskip("xllamacpp")
    named = os.environ.get("QUERYMEND_MODEL__WEIGHTS")
    path = Path(named) if named else None
    if not is_here(path=path, cache_dir=CACHE):
        pytest.skip("the local model is not on this machine: querymend demo fetches it")
    return find_weights(path=path, cache_dir=CACHE)


def test_a_file_that_is_no_model_is_a_setup_error(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(SetupError) as caught:
        local_endpoint(broken)
    assert caught.value.setting == "QUERYMEND_MODEL__WEIGHTS"


def test_a_file_that_is_gone_is_a_setup_error(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(SetupError, match="No such file"):
        local_endpoint(tmp_path / "none.gguf")


def test_a_missing_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(SetupError, match=r"querymend\[local\]"):
        local_endpoint(tmp_path / "none.gguf")


def test_the_settings_choose_a_hosted_model(tmp_path: Path) -> None:
    model = ModelSettings(base_url="https://api.openai.com/v1", name="gpt-x")
    writer = writer_for(model, tmp_path)
    assert isinstance(writer, ChatWriter)
    assert writer.name == "gpt-x at api.openai.com"


def test_without_an_address_the_local_model_serves_and_is_not_loaded_yet(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF and so on")
    writer = writer_for(ModelSettings(weights=own), tmp_path)
    assert isinstance(writer, LocalWriter)
    assert writer.name == "own on this machine"
    assert "127.0.0.1" not in writer.identity


def test_replies_are_kept_where_that_is_asked(tmp_path: Path) -> None:
    model = ModelSettings(base_url="https://api.openai.com/v1", name="gpt-x")
    assert isinstance(writer_for(model, tmp_path, keep=True), CachedWriter)
    assert (tmp_path / "replies.sqlite").exists()


@pytest.mark.model
@pytest.mark.short
def test_the_local_model_answers_with_sql_and_says_what_it_cost(weights: Path) -> None:
    written = LocalWriter(weights).write(PROMPT, seconds=170)
    assert "count(*)" in written.text.lower()
    assert written.tokens_in > 30
    assert 0 < written.tokens_out < 100
    assert written.finished


@pytest.mark.model
def test_one_server_serves_all_writers_of_a_process(weights: Path) -> None:
    assert local_endpoint(weights) == local_endpoint(weights)
    assert LocalWriter(weights).start().endpoint == LocalWriter(weights).start().endpoint


@pytest.mark.model
def test_only_this_process_knows_the_key(weights: Path) -> None:
    endpoint = local_endpoint(weights)
    assert endpoint.base_url.startswith("http://127.0.0.1:")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{endpoint.base_url}/models", timeout=60)
    caught.value.close()
    assert caught.value.code == 401
    stranger = ChatWriter(Endpoint(base_url=endpoint.base_url, model=endpoint.model))
    with pytest.raises(SetupError):
        stranger.write(PROMPT, seconds=60)


@pytest.mark.model
def test_a_shared_beginning_is_read_once_even_if_another_prompt_came_between(
    weights: Path,
) -> None:
    long = PROMPT.system + "\n" + "\n".join(f"CREATE TABLE t{n} (a INTEGER);" for n in range(12))
    other = "You mend SQL.\n" + "\n".join(f"CREATE TABLE s{n} (b DATE);" for n in range(6))
    writer = LocalWriter(weights)
    first = writer.write(Prompt(system=long, user="Count the orders. Only SQL."), seconds=170)
    writer.write(Prompt(system=other, user="Count the rows of s1. Only SQL."), seconds=170)
    again = writer.write(Prompt(system=long, user="Sum the amounts. Only SQL."), seconds=170)
    assert again.seconds < first.seconds


@pytest.mark.model
def test_a_call_that_is_cut_short_frees_the_model(weights: Path) -> None:
    writer = LocalWriter(weights)
    writer.write(PROMPT, seconds=170)
    with pytest.raises(BudgetExceeded):
        writer.write(Prompt(system=TABLE * 60, user="Explain each table."), seconds=1.0)
    assert writer.write(PROMPT, seconds=120).text


@pytest.mark.model
def test_a_prompt_beyond_the_context_names_the_setting(weights: Path) -> None:
    with pytest.raises(SetupError) as caught:
        LocalWriter(weights).write(Prompt(system=TABLE * 300, user="x"), seconds=170)
    assert caught.value.setting == "QUERYMEND_RETRIEVAL__TOKENS"


@pytest.mark.model
def test_it_is_silent_and_ends_with_its_process_even_in_mid_reply(weights: Path) -> None:
    program = f"""
import threading
from pathlib import Path
from querymend.model.chat import Prompt
from querymend.model.endpoint import LocalWriter
heard = threading.Event()
writer = LocalWriter(Path({str(weights)!r}))
prompt = Prompt(system="", user="Count from 1 to 200.")
ask = lambda: writer.write(prompt, seconds=170, on_token=lambda piece: heard.set())
threading.Thread(target=ask, daemon=True).start()
heard.wait(150)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.model
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_its_own_and_ends_in_peace(weights: Path) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    LocalWriter(weights).write(PROMPT, seconds=170)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=LocalWriter(weights).write, args=(PROMPT,))
    child.start()
    child.join(240)
    assert child.exitcode == 0
    assert LocalWriter(weights).write(PROMPT, seconds=170).text
