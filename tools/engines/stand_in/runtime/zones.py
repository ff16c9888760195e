"""Instants and wall clocks: a timestamp with time zone is an instant and the name of a zone."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from querymend.tools.engines.stand_in.runtime.scalar import Scalar, invalid, scalar

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2}):?(\d{2})?$")
_ZERO = {"UTC", "Z", "GMT", "UT", "GREENWICH", "ETC/UTC", "ETC/GMT", "UCT", "ZULU"}
_MAX_HOURS = 14


@lru_cache(maxsize=256)
def zone_of(name: str) -> tuple[str, tzinfo]:
    """Return Trino's own spelling of a zone's name, and the zone.

    Raises:
        TrinoFault: there is no such zone.
    """
    if name.upper() in _ZERO:
        return "UTC", ZoneInfo("UTC")
    offset = _OFFSET.match(name)
    if offset:
        return _fixed(offset, name)
    try:
        return name, ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise invalid(f"'{name}' is not a valid time zone") from error


def _fixed(offset: re.Match[str], name: str) -> tuple[str, tzinfo]:
    hours, minutes = int(offset[2]), int(offset[3] or 0)
    if minutes > 59 or (hours, minutes) > (_MAX_HOURS, 0):
        raise invalid(f"'{name}' is not a valid time zone")
    if not hours and not minutes:
        return "UTC", ZoneInfo("UTC")
    delta = timedelta(hours=hours, minutes=minutes)
    sign = -1 if offset[1] == "-" else 1
    return f"{offset[1]}{hours:02}:{minutes:02}", timezone(sign * delta)


def local(instant: datetime, name: str) -> datetime:
    """Return what the clocks of a zone show at an instant (given in UTC)."""
    shown = instant.replace(tzinfo=UTC).astimezone(zone_of(name)[1])
    return shown.replace(tzinfo=None, fold=0)


def instant(shown: datetime, name: str) -> datetime:
    """Return the instant in UTC; the earlier of two, and past a gap by its length, as in Java."""
    aware = shown.replace(tzinfo=zone_of(name)[1], fold=0)
    return aware.astimezone(UTC).replace(tzinfo=None)


def aware(moment: datetime, name: str) -> datetime:
    """Return an instant (given in UTC) as a Python datetime in the zone."""
    return moment.replace(tzinfo=UTC).astimezone(zone_of(name)[1])


def offset_seconds(moment: datetime, name: str) -> int:
    """Return how far the zone's clocks are ahead of UTC at an instant."""
    delta = aware(moment, name).utcoffset() or timedelta()
    return int(delta.total_seconds())


def offset_text(seconds: int, separator: str = ":") -> str:
    """Write an offset: ``+01:00``."""
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}{separator}{minutes % 60:02}"


def _name(name: str) -> str:
    return zone_of(name)[0]


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("local", "TIMESTAMP VARCHAR", "TIMESTAMP", local),
    scalar("instant", "TIMESTAMP VARCHAR", "TIMESTAMP", instant),
    scalar("zone", "VARCHAR", "VARCHAR", _name),
    scalar("offset", "TIMESTAMP VARCHAR", "BIGINT", offset_seconds),
)
