"""JSON as Trino keeps it: a text with sorted keys, doubles in Java's spelling."""

import json
from functools import lru_cache

from querymend.tools.engines.stand_in.runtime.numbers import java_text

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Number(float):
    """A number with a point or an exponent, with the text that it was written as."""

    text: str

    def __new__(cls, text: str) -> "Number":
        """Keep the text beside the value."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def _refuse(name: str) -> Json:
    raise ValueError(name)


def read(text: str) -> Json:
    """Read a JSON text.

    Raises:
        ValueError: it is none.
    """
    return _decoder().decode(text)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_float=Number, parse_constant=_refuse)


def write(value: Json, *, in_order: bool = True) -> str:
    """Write a value as Trino does: no blanks, keys in order unless they keep their own."""
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return java_text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{','.join(write(v, in_order=in_order) for v in value)}]"
    pairs = sorted(value.items()) if in_order else value.items()
    held = (f"{json.dumps(k, ensure_ascii=False)}:{write(v, in_order=in_order)}" for k, v in pairs)
    return f"{{{','.join(held)}}}"


def scalar_text(value: Json) -> str | None:
    """Return a scalar's text, numbers as they were written; None for null, arrays and objects."""
    if value is None or isinstance(value, (list, dict)):
        return None
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Number) else write(value)
