"""Write, or verify, the golden rows of a pack's questions.

``python -m querymend.fewshot.golden retail`` runs the first gold of each question on the pack's
warehouse and writes its rows into ``questions.yaml``; ``--check`` compares instead and exits 1 on a
difference. Every other gold, and every example, must run too.
"""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import yaml
from pydantic import JsonValue

from querymend.fewshot.build import warehouse_path
from querymend.fewshot.pack import Pack, Question, Rows, load_pack
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    import duckdb

_WIDTH = 100


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A question whose rows are not those of its gold, or a statement that fails."""

    id: str
    reason: str


def golden_rows(pack: Pack, warehouse: Path) -> dict[str, Rows]:
    """Run the first gold of each question; return the rows by question id.

    Raises:
        SetupError: a gold or an example does not run; names it.
    """
    import duckdb

    with duckdb.connect(str(warehouse), read_only=True) as connection:
        for example in pack.examples_in("duckdb"):
            _rows(connection, example.id, example.sql)
        return {q.id: _golden(connection, q) for q in pack.questions}


def differences(pack: Pack, rows: dict[str, Rows]) -> list[Difference]:
    """Hold the rows that the pack keeps against those given."""
    return [
        Difference(id=q.id, reason=f"keeps {len(q.rows)} rows, gold gives {len(rows[q.id])}")
        for q in pack.questions
        if not _same(q, rows[q.id])
    ]


def write_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write ``questions.yaml`` in its one form; the comment at its head stays."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    head = [line for line in lines if line.startswith("#")]
    entries = [_as_yaml([_entry(q)]) for q in questions]
    path.write_text("".join(head) + "\n".join(entries), encoding="utf-8")


def _golden(connection: "duckdb.DuckDBPyConnection", question: Question) -> Rows:
    """Run every gold; return the rows of the first, sorted where order does not matter."""
    found = [_rows(connection, question.id, sql) for sql in question.sql]
    rows = found[0] if found else ()
    return rows if question.ordered else tuple(sorted(rows, key=repr))


def _rows(connection: "duckdb.DuckDBPyConnection", name: str, sql: str) -> Rows:
    import duckdb

    try:
        found = connection.execute(sql).fetchall()
    except duckdb.Error as error:
        raise SetupError(f"{name}: the statement fails: {error}\n{sql}") from error
    return tuple(tuple(map(as_json, row)) for row in found)


def as_json(cell: object) -> JsonValue:
    """Return a cell as a JSON value: decimals as numbers, dates and times as ISO text."""
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    if isinstance(cell, Decimal | float):
        return float(f"{cell:.12g}")
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return str(cell)


def _same(question: Question, rows: Rows) -> bool:
    kept = question.rows if question.ordered else sorted(question.rows, key=repr)
    return list(kept) == list(rows)


class _Dumper(yaml.SafeDumper):
    """Texts that are long are folded, rows stand one a line."""


class _Row(list[JsonValue]):
    """One row, written on one line."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else ">" if len(text) > _WIDTH - 12 else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _write_row(dumper: yaml.SafeDumper, row: _Row) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True)


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(_Row, _write_row)


def _as_yaml(value: object) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


def _entry(question: Question) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": question.id,
        "question": question.question,
        "tags": _Row(question.tags),
        "evidence": question.evidence,
        "ordered": question.ordered,
        "sql": _statements(question.sql),
        "sql_athena": _statements(question.sql_athena),
        "rows": [_Row(row) for row in question.rows],
    }
    return {field: value for field, value in entry.items() if value}


def _statements(statements: Sequence[str]) -> str | list[str]:
    return statements[0] if len(statements) == 1 else list(statements)


def main(
    pack: Annotated[str, typer.Argument(help="An installed pack, or a folder.")],
    check: Annotated[bool, typer.Option("--check", help="Compare, write nothing.")] = False,
) -> None:
    """Write the golden rows of a pack's questions, or compare them."""
    loaded = load_pack(pack)
    with tempfile.TemporaryDirectory() as folder:
        rows = golden_rows(loaded, warehouse_path(loaded, Path(folder)))
    found = differences(loaded, rows)
    for difference in found:
        typer.echo(f"{difference.id}: {difference.reason}")
    if check:
        raise typer.Exit(1 if found else 0)
    filled = [replace(q, rows=rows[q.id]) for q in loaded.questions]
    write_questions(loaded.folder / "questions.yaml", filled)
    typer.echo(
        f"{len(filled)} questions written, {len(found)} of them with other rows than before."
    )


if __name__ == "__main__":
    typer.run(main)
