"""The statements that ``check`` and ``run`` are given: an argument, stdin, or a JSON line each."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One SQL text, with what its line says about it."""

    sql: str
    dialect: str = ""
    """Empty: what the command line says."""
    db: str = ""
    """Where its unqualified names belong; empty: what the command line says."""


def take(arguments: list[str], *, source: str, jsonl: str | None) -> tuple[str, str | None]:
    """Sort out the arguments: which is the source, and which the statement (None: stdin).

    ``[SOURCE] STATEMENT``, or ``[SOURCE]`` alone where the statements are in a JSONL file.
    """
    room = 1 if jsonl else 2
    if len(arguments) > room:
        raise typer.BadParameter("Too many arguments: quote the statement.")
    if jsonl:
        return _one_source(arguments, source), None
    if not arguments:
        return source, None
    return _one_source(arguments[:-1], source), arguments[-1]


def _one_source(given: list[str], source: str) -> str:
    if given and source:
        raise typer.BadParameter("The source is given twice.", param_hint="--source")
    return given[0] if given else source


def read_statement(given: str | None) -> Statement:
    """Return the statement given as an argument, or else the whole of stdin."""
    if given is not None:
        return Statement(sql=given)
    if sys.stdin.isatty():
        raise typer.BadParameter("Give a statement, or pipe one in.", param_hint="STATEMENT")
    with _readable("stdin"):
        return Statement(sql=sys.stdin.read())


def read_jsonl(file: str) -> Iterator[Statement]:
    """Yield the statements of a JSONL file (``-``: stdin) as they are read.

    Raises:
        typer.BadParameter: a line is no object with a text ``sql``; names the line.
    """
    with _readable(file):
        if file == "-":
            yield from _statements(sys.stdin)
            return
        with Path(file).expanduser().open(encoding="utf-8") as stream:
            yield from _statements(stream)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{name} is no UTF-8 text ({error}).") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise typer.BadParameter(f"{name} cannot be read: {error.strerror}.") from error


def _statements(lines: Iterable[str]) -> Iterator[Statement]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _statement(number, line)


def _statement(number: int, line: str) -> Statement:
    try:
        data = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise typer.BadParameter(f"Line {number} is no JSON: {error}.") from error
    if not isinstance(data, dict) or not isinstance(data.get("sql"), str):
        raise typer.BadParameter(f'Line {number} has no text "sql".')
    return Statement(
        sql=data["sql"],
        dialect=_text(data, "dialect", number),
        db=_text(data, "db", number) or _text(data, "db_id", number),
    )


def _text(data: dict[str, object], name: str, number: int) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise typer.BadParameter(f'Line {number}: "{name}" is no text.')
    return value
