import pytest

from querymend.model.writer import Prompt, Writer, Written
from querymend.testing import ScriptedModel
from querymend.tools.errors import ModelUnavailable

PROMPT = Prompt(system="stable", user="How many?", kind="generate")


def test_a_scripted_model_is_a_writer() -> None:
    writer: Writer = ScriptedModel("SELECT 1")
    assert writer.write(PROMPT).text == "SELECT 1"
    assert writer.name


def test_it_plays_its_script_and_keeps_what_it_was_shown() -> None:
    model = ScriptedModel("a", ModelUnavailable("busy"), lambda prompt: prompt.user[::-1])
    assert model.write(PROMPT).text == "a"
    with pytest.raises(ModelUnavailable, match="busy"):
        model.write(PROMPT)
    assert model.write(PROMPT).text == "?ynam woH"
    assert model.prompts == [PROMPT] * 3


def test_a_script_that_has_run_out_says_so() -> None:
    model = ScriptedModel("a")
    model.write(PROMPT)
    assert model.left == 0
    with pytest.raises(AssertionError, match="call 2 \\(generate\\)"):
        model.write(PROMPT)


def test_one_reply_can_serve_for_ever() -> None:
    model = ScriptedModel.forever("SELECT 1")
    assert {model.write(PROMPT).text for _ in range(5)} == {"SELECT 1"}
    assert len(model.prompts) == 5


def test_a_whole_result_can_be_scripted() -> None:
    written = Written(text="x", seconds=3.0, tokens_in=9, tokens_out=1, finished=False)
    assert ScriptedModel(written).write(PROMPT) is written


def test_time_passes_through_the_clock_it_is_given() -> None:
    passed: list[float] = []
    model = ScriptedModel("a", "b", delay=2.5, advance=passed.append)
    assert model.write(PROMPT).seconds == 2.5
    model.write(PROMPT)
    assert passed == [2.5, 2.5]
