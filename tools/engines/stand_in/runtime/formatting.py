"""``format``: values as Java's formatter writes them."""

import re
from datetime import datetime
from decimal import Decimal

from querymend.tools.engines.stand_in.runtime.numbers import (
    java_text,
    real_digits,
    rounded,
    single,
)
from querymend.tools.engines.stand_in.runtime.scalar import (
    Scalar,
    invalid,
    scalar,
    unsupported,
)

_FORMAT = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def _format(pattern: str, given: list[str | None], kinds: list[str]) -> str:
    place = 0
    out: list[str] = []
    at = 0
    for found in _FORMAT.finditer(pattern):
        out.append(pattern[at : found.start()])
        at = found.end()
        if found[5] in "%n":
            out.append("%" if found[5] == "%" else "\n")
            continue
        index = int(found[1]) - 1 if found[1] else place
        place += 0 if found[1] else 1
        if index >= len(given):
            raise invalid(f"Invalid format string: {pattern} (Format specifier '{found[0]}')")
        out.append(_formatted(found, given[index], kinds[index]))
    rest = pattern[at:]
    if "%" in "".join((*out[::2], rest)) and "%" in rest:
        raise invalid(f"Invalid format string: {pattern}")
    return "".join((*out, rest))


def _formatted(found: re.Match[str], value: str | None, kind: str) -> str:
    flags, width, digits, code = found[2], int(found[3] or 0), found[4], found[5]
    if value is None:
        text = "null"
    elif code in "sS":
        text = _shown(value, kind)
        text = text[: int(digits)] if digits else text
    else:
        text = _number(code, flags, digits, value, kind, width)
    text = text.upper() if code.isupper() and code != "T" else text
    return text.ljust(width) if "-" in flags else text.rjust(width)


def _shown(value: str, kind: str) -> str:
    if kind == "double":
        return java_text(float(value))
    if kind == "real":
        return java_text(float(value), digits=real_digits(single(float(value))))
    if kind.startswith("timestamp"):
        moment = datetime.fromisoformat(value)
        text = moment.isoformat(
            timespec="auto" if moment.microsecond or moment.second else "minutes"
        )
        return text[:-3] if text.endswith("000") and moment.microsecond else text
    return value


def _number(code: str, flags: str, digits: str | None, value: str, kind: str, width: int) -> str:
    if code == "b" and kind == "boolean":
        return value
    if set(flags) & set("(#"):
        raise unsupported(f"format with the flags {flags}")
    zeros = f"0{width}" if "0" in flags and width else ""
    comma = "," if "," in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    if code == "d" and kind in ("tinyint", "smallint", "integer", "bigint"):
        return format(int(value), f"{sign}{zeros}{comma}d")
    if code == "x" and kind in ("integer", "bigint") and int(value) >= 0:
        return format(int(value), f"{zeros}x")
    number = _decimal(value, kind)
    if code == "f" and number is not None:
        exact = rounded(number, int(digits or 6))
        return format(exact, f"{sign}{zeros}{comma}f")
    if code == "e" and number is not None:
        return _two_digits(format(number, f"{sign}{zeros}.{int(digits or 6)}e"))
    raise unsupported(f"format of {kind} with %{code}")


def _decimal(value: str, kind: str) -> Decimal | None:
    """Return a number's digits; those of a real are those of the double that it widens to."""
    if kind not in ("double", "real") and not kind.startswith("decimal"):
        return None
    shown = Decimal(repr(single(float(value)))) if kind == "real" else Decimal(value)
    return shown if shown.is_finite() else None


def _two_digits(text: str) -> str:
    """Give an exponent the two digits that Java gives it at least."""
    mantissa, sign, exponent = re.split("(e[+-])", text)
    return f"{mantissa}{sign}{exponent.zfill(2)}"


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("format", "VARCHAR VARCHAR[] VARCHAR[]", "VARCHAR", _format),
)
