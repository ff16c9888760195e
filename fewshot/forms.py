"""The shapes of a pack's YAML files, as people write them."""

import re
from datetime import date
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StrictStr

_REFERENCE = re.compile(r"^\s*(?P<table>[^()]+?)\s*\((?P<columns>[^()]+)\)\s*$")


def _as_list(value: object) -> object:
    """Let a single text stand for a list of one."""
    return [value] if isinstance(value, str) else value


def _as_column(value: object) -> object:
    """Let a bare text stand for a description, and nothing for a column that needs none."""
    return {"description": value or ""} if value is None or isinstance(value, str) else value


def split_names(text: str) -> tuple[str, ...]:
    """Split ``a, b`` into its names."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def split_reference(text: str) -> tuple[str, tuple[str, ...]]:
    """Split ``table(a, b)`` into the table and its columns.

    Raises:
        ValueError: the text is not of that form.
    """
    match = _REFERENCE.match(text)
    if match is None:
        raise ValueError(f"write {text!r} as table(column)")
    return match["table"], split_names(match["columns"])


def _checked_reference(text: str) -> str:
    split_reference(text)
    return text


Texts = Annotated[list[StrictStr], BeforeValidator(_as_list)]
Reference = Annotated[str, BeforeValidator(_checked_reference)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LeakForm(_Form):
    """What a column gives away about a target that is predicted."""

    target: str
    known_from: str = ""


class ColumnForm(_Form):
    """One column of ``catalog.yaml``."""

    description: str = ""
    unit: str = ""
    grain: str = ""
    time_window: str = ""
    leaks: LeakForm | None = None
    private: bool = False


class TableForm(_Form):
    """One table of ``catalog.yaml``."""

    description: str = ""
    primary_key: Texts = []
    unique: list[Texts] = []
    keys: dict[str, Reference] = {}
    """Columns here (``a, b``) → the table and columns they refer to (``t(a, b)``)."""
    columns: dict[str, Annotated[ColumnForm, BeforeValidator(_as_column)]] = {}


class CatalogForm(_Form):
    """``catalog.yaml``."""

    tables: dict[str, TableForm]


class PackForm(_Form):
    """``pack.yaml``."""

    title: str = ""
    today: date | None = None
    default_schema: str = ""


class FactForm(_Form):
    """One entry of ``facts.yaml``."""

    id: StrictStr
    text: str = Field(min_length=1)
    tables: Texts = []
    terms: Texts = []


class ExampleForm(_Form):
    """One entry of ``examples.yaml``."""

    id: StrictStr
    question: str = Field(min_length=1)
    sql: str = ""
    sql_athena: str = ""
    tables: Texts = []
    note: str = ""


class QuestionForm(_Form):
    """One entry of ``questions.yaml``."""

    id: StrictStr
    question: str = Field(min_length=1)
    tags: Texts = []
    evidence: str = ""
    ordered: bool = False
    sql: Texts = []
    sql_athena: Texts = []
    rows: list[list[JsonValue]] = []


_CATALOG_LEVELS: dict[int, type[BaseModel]] = {3: TableForm, 5: ColumnForm, 6: LeakForm}


def form_at(form: type[BaseModel], depth: int) -> type[BaseModel]:
    """Return the form that holds a field at this depth of a file: ``catalog.yaml`` nests them."""
    return _CATALOG_LEVELS.get(depth, form) if form is CatalogForm else form
