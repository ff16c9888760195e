"""The two path languages: ``$.a[0]["b c"]`` of ``json_extract``, ``lax $.a[0]`` of SQL/JSON."""

import re
from dataclasses import dataclass
from functools import lru_cache

from querymend.tools.engines.stand_in.runtime.json_text import Json
from querymend.tools.engines.stand_in.runtime.scalar import TrinoFault, invalid, unsupported

_STEP = re.compile(r'\.([\w\-$:]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^\]"]+)\]')
_SQL_STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_]\w*)(?!\w*\())|\[(\d+)\]|(\[\*\])')
_MODE = re.compile(r"\s*(lax|strict)\s+\$", re.IGNORECASE)
Step = str | int
EVERY = -1
"""The step ``[*]``."""


@lru_cache(maxsize=512)
def plain(path: str) -> tuple[Step, ...]:
    """Read a path of ``json_extract`` and its kin.

    Raises:
        TrinoFault: no such path; ``..`` and filters are not for the stand-in.
    """
    if not path.startswith("$"):
        raise invalid(f"Invalid JSON path: '{path}'")
    if ".." in path or "?(" in path:
        raise unsupported(f"the JSON path '{path}'")
    steps: list[Step] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if not found or found[4] == "*" or (found[4] or "").startswith("-"):
            raise invalid(f"Invalid JSON path: '{path}'")
        name = found[1] if found[1] is not None else found[3]
        name = found[4] if name is None and found[2] is None else name
        steps.append(int(found[2]) if found[2] else _unescaped(name))
        at = found.end()
    return tuple(steps)


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def follow(value: Json, steps: tuple[Step, ...]) -> tuple[bool, Json]:
    """Go down a path; tell whether it led anywhere."""
    for step in steps:
        if isinstance(value, list) and str(step).isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and str(step) in value:
            value = value[str(step)]
        else:
            return False, None
    return True, value


@dataclass(frozen=True)
class SqlPath:
    """A path of ``json_value``, ``json_query`` and ``json_exists``."""

    strict: bool
    steps: tuple[Step, ...]


@lru_cache(maxsize=512)
def sql_path(text: str) -> SqlPath:
    """Read a path of SQL/JSON.

    Raises:
        TrinoFault: methods, filters and wildcards of members are not for the stand-in.
    """
    mode = _MODE.match(text)
    if not mode:
        raise unsupported(f"the JSON path '{text}'")
    steps: list[Step] = []
    at = mode.end()
    rest = text.rstrip()
    while at < len(rest):
        found = _SQL_STEP.match(rest, at)
        if not found:
            raise unsupported(f"the JSON path '{text}'")
        if found[3] or found[4]:
            steps.append(int(found[3]) if found[3] else EVERY)
        else:
            steps.append(_unescaped(found[1]) if found[1] is not None else found[2])
        at = found.end()
    return SqlPath(mode[1].lower() == "strict", tuple(steps))


class PathError(Exception):
    """A strict path led nowhere."""


def select(value: Json, path: SqlPath) -> list[Json]:
    """Return what a path selects.

    Raises:
        PathError: the path is strict, and a member or element is not there.
    """
    items = [value]
    for step in path.steps:
        items = [held for item in items for held in _step(item, step, strict=path.strict)]
    return items


def _step(item: Json, step: Step, *, strict: bool) -> list[Json]:
    if isinstance(step, str):
        return _member(item, step, strict=strict)
    if not isinstance(item, list):
        if strict:
            raise PathError
        item = [item]
    if step == EVERY:
        return list(item)
    if step < len(item):
        return [item[step]]
    if strict:
        raise PathError
    return []


def _member(item: Json, name: str, *, strict: bool) -> list[Json]:
    if isinstance(item, list) and not strict:
        return [part[name] for part in item if isinstance(part, dict) and name in part]
    if isinstance(item, dict) and name in item:
        return [item[name]]
    if strict:
        raise PathError
    return []


def bad_input(text: str) -> TrinoFault:
    """Return the fault of a text that is no JSON where an error was asked for."""
    return TrinoFault("JSON_INPUT_CONVERSION_ERROR", f"conversion to JSON failed: {text}")
