"""The direction of imports, and what stands where."""

import ast
import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {"agent": "querymend", "tools": "querymend.tools"} | {
    name: f"querymend.{name}" for name in ("prompts", "fewshot")
}
ALLOWED = {
    "tools": {"tools"},
    "prompts": {"prompts", "tools"},
    "fewshot": {"fewshot", "tools"},
    "agent": {"agent", "tools", "prompts", "fewshot"},
}
HEAVY = {"langgraph", "langchain_openai", "langchain_core", "chromadb", "duckdb", "wordllama"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def layer(name: str) -> str | None:
    """Return which folder a module of ours is in."""
    parts = name.split(".")
    if parts[0] != "querymend":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS else "agent"


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_go_one_way(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(folder)
        for name in imported(path)
        if (found := layer(name)) and found not in ALLOWED[folder]
    ]
    assert wrong == []


def test_the_list_of_packages_is_the_list_of_folders() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    found = {
        ".".join([FOLDERS[folder], *path.parent.relative_to(ROOT / folder).parts])
        for folder in FOLDERS
        for path in modules(folder)
    }
    assert found == listed


def test_every_folder_with_code_is_a_package() -> None:
    parents = {p.parent for folder in FOLDERS for p in modules(folder)}
    bare = {p for p in parents if not (p / "__init__.py").exists()}
    assert bare == set()


def test_the_public_names_are_those_of_all_and_all_of_them_exist() -> None:
    package = importlib.import_module("querymend")
    assert sorted(package.__all__, key=str.lower) == sorted(package._HOMES, key=str.lower)
    assert all(getattr(package, name) is not None for name in package.__all__)


@pytest.mark.parametrize("path", ["agent/__init__.py", "agent/cli/main.py"])
def test_start_up_does_not_import_the_heavy_libraries(path: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    top = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {a.name.split(".")[0] for n in top if isinstance(n, ast.Import) for a in n.names}
    names |= {(n.module or "").split(".")[0] for n in top if isinstance(n, ast.ImportFrom)}
    assert names & HEAVY == set()
