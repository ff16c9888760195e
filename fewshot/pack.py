"""Packs: a folder with what is known about one warehouse, and how to load it.

A pack is a folder with any of ``pack.yaml`` (title, today), ``catalog.yaml`` (descriptions, keys),
``facts.yaml``, ``examples.yaml``, ``questions.yaml`` and ``warehouse.sql`` (demo data).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from querymend.fewshot.forms import (
    CatalogForm,
    ColumnForm,
    ExampleForm,
    FactForm,
    LeakForm,
    PackForm,
    QuestionForm,
    TableForm,
    split_names,
    split_reference,
)
from querymend.fewshot.reading import read_entries, read_mapping
from querymend.tools.catalog.model import Catalog, Column, Key, Leak, Table
from querymend.tools.errors import SetupError
from querymend.tools.index.model import Example, Fact

Rows = tuple[tuple[JsonValue, ...], ...]
Dialect = Literal["duckdb", "athena"]
PARTS = (
    "pack.yaml",
    "catalog.yaml",
    "facts.yaml",
    "examples.yaml",
    "questions.yaml",
    "warehouse.sql",
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with its accepted answers."""

    id: str
    question: str
    tags: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    """Accepted gold statements in DuckDB's SQL, the plainest first; empty: unanswerable."""
    sql_athena: tuple[str, ...] = ()
    """The same in Athena's SQL, one for each; empty where ``sql`` serves as it is."""
    rows: Rows = ()
    """What the first gold returns: JSON numbers, and ISO texts for dates and times."""
    ordered: bool = False
    """Whether the question asks for an order."""
    evidence: str = ""
    """Knowledge given with this question alone."""

    def gold(self, dialect: str) -> tuple[str, ...]:
        """Return the accepted statements in the dialect."""
        athena = dialect in ("athena", "trino") and self.sql_athena
        return self.sql_athena if athena else self.sql


@dataclass(frozen=True, kw_only=True)
class Pack:
    """What is known about one warehouse."""

    name: str
    folder: Path
    title: str = ""
    today: date | None = None
    """The day that the pack's questions are asked on; None: the real one."""
    default_schema: str = ""
    notes: Catalog = field(default_factory=Catalog)
    """Descriptions and keys; types are empty, since the engine knows them."""
    facts: tuple[Fact, ...] = ()
    examples: tuple[Example, ...] = ()
    """In both dialects: those of DuckDB first."""
    questions: tuple[Question, ...] = ()

    @property
    def warehouse_sql(self) -> Path | None:
        """The script that builds the demo data, if the pack has one."""
        path = self.folder / "warehouse.sql"
        return path if path.is_file() else None

    def examples_in(self, dialect: str) -> tuple[Example, ...]:
        """Return the examples in one dialect; Trino shares Athena's."""
        wanted = "athena" if dialect == "trino" else dialect
        return tuple(e for e in self.examples if e.dialect == wanted)


def pack_names() -> tuple[str, ...]:
    """Name the packs that are installed with QueryMend."""
    home = Path(str(files("querymend.fewshot")))
    return tuple(sorted(p.parent.name for p in home.glob("*/pack.yaml")))


def load_pack(name_or_path: str | Path) -> Pack:
    """Load an installed pack by name, or any folder as a pack.

    Raises:
        SetupError: there is no such pack, or a file of it is wrong; names file, entry and cure.
    """
    folder = _folder(name_or_path)
    about = read_mapping(folder / "pack.yaml", PackForm) or PackForm()
    catalog = read_mapping(folder / "catalog.yaml", CatalogForm)
    return Pack(
        name=folder.name,
        folder=folder,
        title=about.title or folder.name,
        today=about.today,
        default_schema=about.default_schema,
        notes=_notes(catalog, folder / "catalog.yaml") if catalog else Catalog(),
        facts=tuple(map(_fact, read_entries(folder / "facts.yaml", FactForm))),
        examples=_examples(read_entries(folder / "examples.yaml", ExampleForm)),
        questions=tuple(map(_question, read_entries(folder / "questions.yaml", QuestionForm))),
    )


def _folder(name_or_path: str | Path) -> Path:
    given = Path(name_or_path)
    installed = Path(str(files("querymend.fewshot"))) / given.name
    if given.name == str(name_or_path) and (installed / "pack.yaml").is_file():
        return installed
    if not given.expanduser().is_dir():
        raise SetupError(
            f"There is no pack {str(name_or_path)!r}. Installed are: {', '.join(pack_names())};"
            " or give the path of a folder with a catalog.yaml.",
            setting="QUERYMEND_PACK",
        )
    folder = given.expanduser().resolve()
    if not any((folder / part).is_file() for part in PARTS):
        raise SetupError(
            f"{folder} is no pack: it holds none of {', '.join(PARTS)}.", setting="QUERYMEND_PACK"
        )
    return folder


def _notes(form: CatalogForm, path: Path) -> Catalog:
    tables = tuple(_table(name, table) for name, table in form.tables.items())
    _refuse_broken_keys(tables, path)
    return Catalog(tables=tables)


def _table(name: str, form: TableForm) -> Table:
    schema, _, bare = name.rpartition(".")
    return Table(
        name=bare,
        schema=schema,
        description=form.description,
        primary_key=tuple(form.primary_key),
        unique=tuple(map(tuple, form.unique)),
        keys=tuple(_key(here, there) for here, there in form.keys.items()),
        columns=tuple(_column(n, c) for n, c in form.columns.items()),
    )


def _key(here: str, there: str) -> Key:
    table, columns = split_reference(there)
    return Key(columns=split_names(here), table=table, target_columns=columns, origin="pack")


def _column(name: str, form: ColumnForm) -> Column:
    return Column(
        name=name,
        type="",
        description=form.description,
        unit=form.unit,
        grain=form.grain,
        time_window=form.time_window,
        leaks=_leak(form.leaks) if form.leaks else None,
        private=form.private,
    )


def _leak(form: LeakForm) -> Leak:
    return Leak(target=form.target, known_from=form.known_from)


def _refuse_broken_keys(tables: Iterable[Table], path: Path) -> None:
    for table in tables:
        for key in table.keys:
            if len(key.columns) != len(key.target_columns):
                here, there = ", ".join(key.columns), ", ".join(key.target_columns)
                raise SetupError(
                    f"{path.name}, tables → {table.qualified_name} → keys: {here} refers to"
                    f" {key.table}({there}); name as many columns on both sides. ({path})"
                )


def _fact(form: FactForm) -> Fact:
    return Fact(id=form.id, text=form.text, tables=tuple(form.tables), terms=tuple(form.terms))


def _examples(forms: Iterable[ExampleForm]) -> tuple[Example, ...]:
    listed = list(forms)
    duckdb = [_example(f) for f in listed if f.sql]
    athena = [
        replace(_example(f), sql=f.sql_athena or f.sql, dialect="athena")
        for f in listed
        if f.sql_athena or f.sql
    ]
    return tuple(duckdb + athena)


def _example(form: ExampleForm) -> Example:
    return Example(
        id=form.id,
        question=form.question,
        sql=form.sql.strip(),
        tables=tuple(form.tables),
        note=form.note,
    )


def _question(form: QuestionForm) -> Question:
    return Question(
        id=form.id,
        question=form.question,
        tags=tuple(form.tags),
        sql=tuple(s.strip() for s in form.sql),
        sql_athena=tuple(s.strip() for s in form.sql_athena),
        rows=tuple(map(tuple, form.rows)),
        ordered=form.ordered,
        evidence=form.evidence,
    )
