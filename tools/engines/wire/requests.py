"""Reading what a client sent, with Athena's own complaint where a value is missing or wrong."""

from collections.abc import Mapping

from querymend.tools.engines.wire.failures import Refusal

Fields = Mapping[str, object]


def text(fields: Fields, name: str, default: str = "") -> str:
    """Return a text, or the default where there is none."""
    value = fields.get(name)
    return value if isinstance(value, str) and value else default


def needed(fields: Fields, name: str) -> str:
    """Return a text that must be there.

    Raises:
        Refusal: it is not.
    """
    value = text(fields, name)
    if not value:
        first = name[0].lower() + name[1:]
        raise Refusal(
            f"1 validation error detected: Value null at '{first}' failed to satisfy constraint:"
            " Member must not be null"
        )
    return value


def part(fields: Fields, name: str) -> Fields:
    """Return a nested object; an empty one where there is none."""
    value = fields.get(name)
    return value if isinstance(value, Mapping) else {}


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    """Return a list of texts; an empty one where there is none."""
    value = fields.get(name)
    return tuple(str(v) for v in value) if isinstance(value, list) else ()


def flag(fields: Fields, name: str) -> bool:
    """Return a yes or no; no where there is none."""
    return fields.get(name) is True


def number(fields: Fields, name: str) -> int | None:
    """Return a whole number, or None where there is none."""
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def page(fields: Fields, length: int, *, most: int, least: int = 1) -> tuple[int, int, str]:
    """Return where a page begins and ends in a list, and the token of the next one or ''.

    Raises:
        Refusal: MaxResults or NextToken are none that Athena takes.
    """
    size = number(fields, "MaxResults")
    if size is None:
        size = most
    if not least <= size <= most:
        raise Refusal(f"MaxResults is more than maximum allowed length {most}.")
    token = text(fields, "NextToken", "0")
    if not token.isdecimal() or int(token) > length:
        raise Refusal("The NextToken is invalid.")
    begin = int(token)
    end = min(begin + size, length)
    return begin, end, str(end) if end < length else ""
