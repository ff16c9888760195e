"""Trino's JSON functions."""

from querymend.tools.engines.stand_in.runtime.json_casts import from_json, to_json
from querymend.tools.engines.stand_in.runtime.json_paths import (
    PathError,
    bad_input,
    follow,
    plain,
    select,
    sql_path,
)
from querymend.tools.engines.stand_in.runtime.json_text import Json, read, scalar_text, write
from querymend.tools.engines.stand_in.runtime.scalar import (
    Scalar,
    TrinoFault,
    invalid,
    scalar,
    unsupported,
)


def _parse(text: str) -> str:
    try:
        return write(read(text))
    except ValueError as error:
        raise invalid(f"Cannot convert value to JSON: '{text}'") from error


def _found(text: str, path: str) -> tuple[bool, Json]:
    steps = plain(path)
    try:
        value = read(text)
    except ValueError:
        return False, None
    return follow(value, steps)


def _extract(text: str, path: str) -> str | None:
    there, value = _found(text, path)
    return write(value, in_order=False) if there else None


def _extract_scalar(text: str, path: str) -> str | None:
    return scalar_text(_found(text, path)[1])


def _size(text: str, path: str) -> int | None:
    there, value = _found(text, path)
    if not there:
        return None
    return len(value) if isinstance(value, (list, dict)) else 0


def _array(text: str) -> list[Json] | None:
    try:
        value = read(text)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def _array_length(text: str) -> int | None:
    held = _array(text)
    return None if held is None else len(held)


def _array_get(text: str, index: int) -> str | None:
    held = _array(text)
    if held is None or not -len(held) <= index < len(held):
        return None
    value = held[index]
    if value is None:
        return None
    return value if isinstance(value, str) else write(value)


def _contains_text(text: str, wanted: str) -> bool | None:
    held = _array(text)
    return None if held is None else wanted in [v for v in held if isinstance(v, str)]


def _contains_long(text: str, wanted: int) -> bool | None:
    held = _array(text)
    return None if held is None else any(type(v) is int and v == wanted for v in held)


def _contains_double(text: str, wanted: float) -> bool | None:
    held = _array(text)
    return None if held is None else any(isinstance(v, float) and v == wanted for v in held)


def _contains_boolean(text: str, wanted: bool) -> bool | None:
    held = _array(text)
    return None if held is None else any(v is wanted for v in held)


def _is_scalar(text: str) -> bool:
    try:
        return not isinstance(read(text), (list, dict))
    except ValueError as error:
        raise invalid(f"Invalid JSON value: {text}") from error


def _value(text: str, path: str, empty: str, error: str) -> str | None:
    """Return the text of ``json_value``; what the two conditions give is left to the caller."""
    try:
        items = select(read(text), sql_path(path))
    except (ValueError, PathError) as fault:
        if isinstance(fault, TrinoFault):
            raise
        return _condition(error, text)
    if not items:
        return _condition(empty, text)
    value = items[0]
    if len(items) > 1 or isinstance(value, (list, dict)):
        return _condition(error, text)
    return scalar_text(value)


def _condition(kind: str, text: str) -> str | None:
    if kind == "ERROR":
        raise bad_input(text)
    return None if kind == "NULL" else kind.removeprefix("=")


def _query(text: str, path: str, wrapper: str) -> str | None:
    try:
        items = select(read(text), sql_path(path))
    except TrinoFault:
        raise
    except (ValueError, PathError):
        return None
    if wrapper == "WITH":
        return write(items) if items else None
    if wrapper == "CONDITIONAL":
        raise unsupported("json_query WITH CONDITIONAL WRAPPER")
    return write(items[0]) if len(items) == 1 else None


def _exists(text: str, path: str) -> bool:
    try:
        return bool(select(read(text), sql_path(path)))
    except TrinoFault:
        raise
    except (ValueError, PathError):
        return False


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("json_parse", "VARCHAR", "VARCHAR", _parse),
    scalar("json_extract", "VARCHAR VARCHAR", "VARCHAR", _extract),
    scalar("json_extract_scalar", "VARCHAR VARCHAR", "VARCHAR", _extract_scalar),
    scalar("json_size", "VARCHAR VARCHAR", "BIGINT", _size),
    scalar("json_array_length", "VARCHAR", "BIGINT", _array_length),
    scalar("json_array_get", "VARCHAR BIGINT", "VARCHAR", _array_get),
    scalar("json_array_contains_varchar", "VARCHAR VARCHAR", "BOOLEAN", _contains_text),
    scalar("json_array_contains_bigint", "VARCHAR BIGINT", "BOOLEAN", _contains_long),
    scalar("json_array_contains_double", "VARCHAR DOUBLE", "BOOLEAN", _contains_double),
    scalar("json_array_contains_boolean", "VARCHAR BOOLEAN", "BOOLEAN", _contains_boolean),
    scalar("is_json_scalar", "VARCHAR", "BOOLEAN", _is_scalar),
    scalar("json_value", "VARCHAR VARCHAR VARCHAR VARCHAR", "VARCHAR", _value),
    scalar("json_query", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _query),
    scalar("json_exists", "VARCHAR VARCHAR", "BOOLEAN", _exists),
    scalar("from_json", "VARCHAR VARCHAR", "VARCHAR", from_json),
    scalar("to_json", "VARCHAR VARCHAR", "VARCHAR", to_json),
)
