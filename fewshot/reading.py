"""Read a pack's YAML files into their forms, or say which entry is wrong and what cures it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import process

from querymend.fewshot.forms import form_at
from querymend.tools.errors import SetupError

_Form = TypeVar("_Form", bound=BaseModel)
_SHOWN = 3


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML that refuses a name given twice, where plain YAML quietly keeps the last."""


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[object, object]:
    names = Counter(key.value for key, _ in node.value)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise yaml.MarkedYAMLError(
            problem=f"{twice[0]!r} is given twice", problem_mark=node.start_mark
        )
    return dict(loader.construct_mapping(node, deep=True))


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_mapping(path: Path, form: type[_Form]) -> _Form | None:
    """Read a file that holds one mapping; None if there is no such file.

    Raises:
        SetupError: the file cannot be read or does not fit its form.
    """
    data = _load(path)
    if data is None:
        return None
    try:
        return form.model_validate(data)
    except ValidationError as error:
        raise _refusal(path, error, data, form) from error


def read_entries(path: Path, form: type[_Form]) -> list[_Form]:
    """Read a file that holds a list of entries with distinct ids; empty without the file.

    Raises:
        SetupError: the file cannot be read, an entry does not fit, or an id is there twice.
    """
    data = _load(path)
    if data is None:
        return []
    try:
        entries = TypeAdapter(list[form]).validate_python(data)  # type: ignore[valid-type]
    except ValidationError as error:
        raise _refusal(path, error, data, form) from error
    _refuse_twins(path, entries)
    return entries


def _load(path: Path) -> object:
    if not path.is_file():
        return None
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise SetupError(f"{path.name}{line}: {error.problem}. ({path})") from error
    except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path.name} cannot be read: {error}. ({path})") from error


def _refuse_twins(path: Path, entries: Sequence[_HasId]) -> None:
    twice = [name for name, count in Counter(e.id for e in entries).items() if count > 1]
    if twice:
        raise SetupError(
            f"{path.name}: the id {twice[0]!r} is there twice; rename one of them. ({path})"
        )


def _refusal(path: Path, error: ValidationError, data: object, form: type[BaseModel]) -> SetupError:
    faults = [f"{path.name}, {_fault(f, data, form)}" for f in error.errors(include_url=False)]
    more = [f"… and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
    return SetupError("\n".join([*faults[:_SHOWN], *more, f"({path})"]))


def _fault(fault: ErrorDetails, data: object, form: type[BaseModel]) -> str:
    loc = fault["loc"]
    if fault["type"] == "extra_forbidden":
        cure = _nearest(str(loc[-1]), form_at(form, len(loc)))
        return f"{_where(loc[:-1], data)}: there is no field {loc[-1]!r}; {cure}"
    if fault["type"] == "missing":
        return f"{_where(loc[:-1], data)}: the field {loc[-1]!r} is missing; add it"
    return f"{_where(loc, data)}: {fault['msg']}"


def _where(loc: tuple[int | str, ...], data: object) -> str:
    """Say in words which entry is meant: by its id where it has one."""
    if not loc:
        return "at the top"
    if isinstance(loc[0], int) and isinstance(data, list):
        entry = data[loc[0]]
        name = entry.get("id", "") if isinstance(entry, dict) else ""
        rest = " → ".join(map(str, loc[1:]))
        return " → ".join(filter(None, (f"entry {loc[0] + 1} {name}".strip(), rest)))
    return " → ".join(map(str, loc))


def _nearest(name: str, form: type[BaseModel]) -> str:
    hit = process.extractOne(name, list(form.model_fields), score_cutoff=70)
    return f"did you mean {hit[0]!r}?" if hit else f"known are {', '.join(form.model_fields)}"
