"""Trino's functions that turn dates into text and back."""

import re
from datetime import date, datetime, timedelta

from querymend.tools.engines.stand_in.runtime.date_parsing import Reader
from querymend.tools.engines.stand_in.runtime.date_text import write
from querymend.tools.engines.stand_in.runtime.fields import joda, mysql
from querymend.tools.engines.stand_in.runtime.scalar import (
    Scalar,
    TrinoFault,
    invalid,
    scalar,
    unsupported,
)
from querymend.tools.engines.stand_in.runtime.zones import instant, local, zone_of

PIVOT = 2020
"""``%y`` is a year from 1970 to 2069."""
ZONED = "STRUCT(i TIMESTAMP, z VARCHAR)"
_TIMESTAMP = re.compile(
    r"\s*([+-]?\d{4,6})-(\d{1,2})-(\d{1,2})"
    r"(?: +(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,12}))?)?)?"
    r"(?:(?<=\d)(?: +| ?(?=[+-]))([A-Za-z+-][\w/+:-]*))?\s*"
)
_ISO = re.compile(
    r"(?:(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?|(\d{4})-W(\d{2})(?:-(\d))?|(\d{4})-(\d{3}))"
    r"(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_DATE = re.compile(r"\s*([+-]?\d{4,6})-(\d{1,2})-(\d{1,2})\s*")


def _date_format(shown: datetime, pattern: str) -> str:
    return write(mysql(pattern), shown, None, "")


def _date_parse(text: str, pattern: str) -> datetime:
    return Reader(text, mysql(pattern), pivot=PIVOT).read()


def _format(shown: datetime, pattern: str) -> str:
    parts = joda(pattern)
    if any(p.letter in "zZ" for p in parts if p.letter):
        raise invalid(
            "format_datetime for TIMESTAMP type, cannot use 'Z' nor 'z' in format, as this type"
            " does not contain TZ information"
        )
    return write(parts, shown, None, "")


def _format_zoned(moment: datetime, zone: str, pattern: str) -> str:
    return write(joda(pattern), local(moment, zone), moment, zone)


def _parse(text: str, pattern: str) -> dict[str, object]:
    parts = joda(pattern)
    if any(p.letter in "yYx" and p.count == 2 for p in parts if p.letter):
        raise unsupported("a year of two digits in parse_datetime")
    reader = Reader(text, parts, pivot=PIVOT)
    shown = reader.read()
    zone = zone_of(reader.zone or "UTC")[0]
    return {"i": instant(shown, zone), "z": zone}


def _from_iso(text: str) -> dict[str, object]:
    found = _ISO.fullmatch(text)
    if not found:
        raise invalid(f'Invalid format: "{text}"')
    try:
        day = _iso_day(found)
        clock = timedelta(
            hours=int(found[9] or 0), minutes=int(found[10] or 0), seconds=int(found[11] or 0)
        )
        millis = timedelta(milliseconds=int((found[12] or "").ljust(3, "0")[:3]))
        zone = zone_of(found[13] or "UTC")[0]
        moment = datetime(day.year, day.month, day.day) + clock + millis
    except TrinoFault:
        raise
    except ValueError as error:
        raise invalid(f'Cannot parse "{text}": {error}') from error
    return {"i": instant(moment, zone), "z": zone}


def _iso_date(text: str) -> date:
    found = _ISO.fullmatch(text)
    if not found or found[9] or found[13]:
        raise invalid(f'Invalid format: "{text}"')
    try:
        return _iso_day(found)
    except ValueError as error:
        raise invalid(f'Cannot parse "{text}": {error}') from error


def _iso_day(found: re.Match[str]) -> date:
    if found[1]:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    if found[4]:
        return date.fromisocalendar(int(found[4]), int(found[5]), int(found[6] or 1))
    return date(int(found[7]), 1, 1) + timedelta(days=int(found[8]) - 1)


def _cast_fault(text: str, kind: str) -> TrinoFault:
    return TrinoFault("INVALID_CAST_ARGUMENT", f"Value cannot be cast to {kind}: {text}")


def _to_date(text: str) -> date:
    found = _DATE.fullmatch(text)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else _no_date(text)
    except ValueError as error:
        raise _cast_fault(text, "date") from error


def _no_date(text: str) -> date:
    raise _cast_fault(text, "date")


def read_timestamp(text: str, digits: int) -> tuple[datetime, str]:
    """Read Trino's text of a timestamp: the clock, rounded to ``digits``, and the zone's name."""
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        raise _cast_fault(text, "timestamp")
    numbers = [int(found[n] or 0) for n in range(1, 7)]
    fraction = int((found[7] or "0").ljust(12, "0"))
    unit = 10 ** (12 - digits)
    rounded = (fraction + unit // 2) // unit * unit
    try:
        moment = datetime(*numbers) + timedelta(microseconds=rounded // 1_000_000)  # type: ignore[arg-type]
    except (ValueError, OverflowError) as error:
        raise _cast_fault(text, "timestamp") from error
    return moment, found[8] or ""


def _to_timestamp(text: str, digits: int) -> datetime:
    return read_timestamp(text, digits)[0]


def _to_zoned(text: str, digits: int) -> dict[str, object]:
    shown, zone = read_timestamp(text, digits)
    try:
        name = zone_of(zone or "UTC")[0]
    except TrinoFault as error:
        raise _cast_fault(text, "timestamp with time zone") from error
    return {"i": instant(shown, name), "z": name}


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("date_format", "TIMESTAMP VARCHAR", "VARCHAR", _date_format),
    scalar("date_parse", "VARCHAR VARCHAR", "TIMESTAMP", _date_parse),
    scalar("format_datetime", "TIMESTAMP VARCHAR", "VARCHAR", _format),
    scalar("format_zoned", "TIMESTAMP VARCHAR VARCHAR", "VARCHAR", _format_zoned),
    scalar("parse_datetime", "VARCHAR VARCHAR", ZONED, _parse),
    scalar("from_iso8601_timestamp", "VARCHAR", ZONED, _from_iso),
    scalar("from_iso8601_date", "VARCHAR", "DATE", _iso_date),
    scalar("to_date", "VARCHAR", "DATE", _to_date),
    scalar("to_timestamp", "VARCHAR BIGINT", "TIMESTAMP", _to_timestamp),
    scalar("to_zoned", "VARCHAR BIGINT", ZONED, _to_zoned),
)
