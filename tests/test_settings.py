from pathlib import Path

import pytest

from querymend.settings import load_settings
from querymend.tools.errors import SetupError


def test_nested_names_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMEND_MODEL__NAME", "gpt-x")
    monkeypatch.setenv("QUERYMEND_BUDGET__ROWS", "7")
    monkeypatch.setenv("QUERYMEND_SCOPE", '{"orders": ["id"]}')
    settings = load_settings()
    assert (settings.model.name, settings.budget.rows) == ("gpt-x", 7)
    assert settings.scope == {"orders": ["id"]}


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("QUERYMEND_MODEL__NAM", "QUERYMEND_MODEL__NAME"),
        ("QUERYMEND_BUDGET_SECONDS", "QUERYMEND_BUDGET__SECONDS"),
        ("QUERYMEND_SOURSE", "QUERYMEND_SOURCE"),
    ],
)
def test_a_misspelt_variable_names_the_nearest_right_one(
    monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(SetupError, match=f"Did you mean {near}"):
        load_settings()


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMEND_BUDGET__ROWS", "")
    assert load_settings().budget.rows == 1_000


def test_a_value_that_does_not_fit_names_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMEND_BUDGET__ROWS", "many")
    with pytest.raises(SetupError) as raised:
        load_settings()
    assert raised.value.setting == "QUERYMEND_BUDGET__ROWS"


def test_arguments_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMEND_CACHE_DIR", "/elsewhere")
    assert load_settings(cache_dir=Path("/here")).cache_dir == Path("/here")


def test_a_key_is_in_no_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERYMEND_MODEL__API_KEY", "sk-canary")
    assert "canary" not in f"{load_settings()!r} {load_settings()}"


def test_the_local_model_gets_more_time() -> None:
    budget = load_settings().budget
    assert (budget.budget(local=False).seconds, budget.budget(local=True).seconds) == (60, 180)
