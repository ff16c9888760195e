"""What the pages tell people to type exists: commands, options, settings, JSON."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from querymend.cli.main import app
from querymend.settings import PREFIX, Settings, _names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
VARIABLES = set(_names(Settings, PREFIX))
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_VARIABLE = re.compile(rf"\b{PREFIX}[A-Z_]*[A-Z]\b(?!_|…)")
_INLINE = re.compile(r"`(querymend [^`]+)`")


def blocks(page: Path, language: str) -> Iterator[str]:
    """Yield the blocks of one language."""
    for found in _FENCE.finditer(page.read_text(encoding="utf-8")):
        if found[1] == language:
            yield found[2]


def commands(page: Path) -> Iterator[str]:
    """Yield what is typed at a prompt or stands in a sentence."""
    for block in blocks(page, "console"):
        lines = block.replace("\\\n", " ").splitlines()
        yield from (line.removeprefix("$ ") for line in lines if line.startswith("$ querymend "))
    yield from _INLINE.findall(page.read_text(encoding="utf-8"))


COMMANDS = [(page.name, line) for page in PAGES for line in commands(page)]
NAMED = [
    (page.name, name)
    for page in PAGES
    for name in sorted(set(_VARIABLE.findall(page.read_text(encoding="utf-8"))))
]
OBJECTS = [(page.name, text) for page in PAGES for text in blocks(page, "json")]


def options_of(command: Any) -> set[str]:
    return {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"-h", "--help"}


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_a_command_has_the_options_that_a_page_gives_it(page: str, line: str) -> None:
    group: Any = typer.main.get_command(app)
    _, *words = shlex.split(line, comments=True)
    given = {w.partition("=")[0] for w in words if re.match(r"--?[a-z]", w)}
    name = next((w for w in words if not w.startswith("-")), "")
    command = group.commands[name] if name else group
    assert given <= options_of(command) | options_of(group), page


@pytest.mark.parametrize(("page", "name"), NAMED)
def test_a_variable_that_a_page_names_is_a_setting(page: str, name: str) -> None:
    assert any(known == name or name.startswith(f"{known}__") for known in VARIABLES), page


@pytest.mark.parametrize(("page", "text"), OBJECTS)
def test_a_block_of_json_is_json(page: str, text: str) -> None:
    assert json.loads(text), page


def test_the_pages_link_to_files_that_exist() -> None:
    for page in PAGES:
        links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == [], page
