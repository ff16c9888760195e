"""Trino's ``regexp_*`` functions."""

import re
from collections.abc import Iterator

from querymend.tools.engines.stand_in.runtime.pattern import compiled
from querymend.tools.engines.stand_in.runtime.scalar import Scalar, invalid, scalar


def _like(text: str, pattern: str) -> bool:
    return compiled(pattern).search(text) is not None


def _extract(text: str, pattern: str, group: int) -> str | None:
    rule = _with_group(pattern, group)
    found = rule.search(text)
    return found[group] if found else None


def _extract_all(text: str, pattern: str, group: int) -> list[str | None]:
    rule = _with_group(pattern, group)
    return [found[group] for found in rule.finditer(text)]


def _with_group(pattern: str, group: int) -> re.Pattern[str]:
    rule = compiled(pattern)
    if group < 0:
        raise invalid("Group cannot be negative")
    if group > rule.groups:
        raise invalid(f"Pattern has {rule.groups} groups. Cannot access group {group}")
    return rule


def _replace(text: str, pattern: str, replacement: str) -> str:
    rule = compiled(pattern)
    parts = tuple(_template(replacement, rule))
    return rule.sub(lambda m: "".join(_part(p, m) for p in parts), text)


def _part(part: str | int, found: re.Match[str]) -> str:
    return part if isinstance(part, str) else (found[part] or "")


def _template(text: str, rule: re.Pattern[str]) -> Iterator[str | int]:
    r"""Read ``$1``, ``${name}`` and ``\$``: digits are taken while such a group exists."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            if at + 1 == len(text):
                raise invalid("Incorrect escape sequence in replacement")
            yield text[at + 1]
            at += 2
        elif text[at] == "$":
            group, at = _reference(text, at + 1, rule)
            yield group
        else:
            yield text[at]
            at += 1


def _reference(text: str, at: int, rule: re.Pattern[str]) -> tuple[int, int]:
    named = re.match(r"\{(\w+)\}", text[at:])
    if named:
        if named[1] not in rule.groupindex:
            raise invalid(f"Illegal replacement sequence: unknown group {{ {named[1]} }}")
        return rule.groupindex[named[1]], at + named.end()
    digits = re.match(r"\d+", text[at:])
    if not digits:
        raise invalid("Illegal replacement sequence: invalid group")
    size = len(digits[0])
    while size > 1 and int(digits[0][:size]) > rule.groups:
        size -= 1
    group = int(digits[0][:size])
    if group > rule.groups:
        raise invalid(f"Illegal replacement sequence: unknown group {group}")
    return group, at + size


def _cut(text: str, pattern: str) -> list[dict[str, object]]:
    """Return what stands before each match with its groups, and last the rest without any."""
    cut: list[dict[str, object]] = []
    at = 0
    for found in compiled(pattern).finditer(text):
        cut.append({"before": text[at : found.start()], "groups": list(found.groups())})
        at = found.end()
    return [*cut, {"before": text[at:], "groups": None}]


def _count(text: str, pattern: str) -> int:
    return sum(1 for _ in compiled(pattern).finditer(text))


def _position(text: str, pattern: str, start: int, occurrence: int) -> int:
    if start < 1:
        raise invalid("start position cannot be smaller than 1")
    if occurrence < 1:
        raise invalid("occurrence cannot be smaller than 1")
    if start > len(text):
        return -1
    for number, found in enumerate(compiled(pattern).finditer(text, start - 1), start=1):
        if number == occurrence:
            return found.start() + 1
    return -1


def _split(text: str, pattern: str) -> list[str]:
    parts: list[str] = []
    at = 0
    for found in compiled(pattern).finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
    return [*parts, text[at:]]


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("regexp_like", "VARCHAR VARCHAR", "BOOLEAN", _like),
    scalar("regexp_extract", "VARCHAR VARCHAR BIGINT", "VARCHAR", _extract),
    scalar("regexp_extract_all", "VARCHAR VARCHAR BIGINT", "VARCHAR[]", _extract_all),
    scalar("regexp_replace", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _replace),
    Scalar(
        name="qm_regexp_cut",
        takes=("VARCHAR", "VARCHAR"),
        gives='STRUCT("before" VARCHAR, "groups" VARCHAR[])[]',
        call=_cut,
    ),
    scalar("regexp_count", "VARCHAR VARCHAR", "BIGINT", _count),
    scalar("regexp_position", "VARCHAR VARCHAR BIGINT BIGINT", "INTEGER", _position),
    scalar("regexp_split", "VARCHAR VARCHAR", "VARCHAR[]", _split),
)
