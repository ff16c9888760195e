"""Where a Trino is: ``trino://user@host:port/catalog/schema?tls=true&ca=ca.pem&timezone=UTC``."""

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, available_timezones

from querymend.tools.errors import SetupError

SETTING = "QUERYMEND_SOURCE"
FORM = "trino://user@host:port/catalog/schema"
PORT = 8080
TLS_PORT = 443
_KNOWN = ("tls", "ca", "timezone")


@dataclass(frozen=True, kw_only=True)
class Address:
    """One Trino, as a user, in a catalog; with a schema, that one is read and no other."""

    host: str
    port: int
    user: str
    catalog: str
    schema: str = ""
    tls: bool = False
    ca: str = ""
    """A file with the certificate authority; the system's own without it."""
    timezone: str = "UTC"
    """What ``current_date`` and timestamps without a zone mean; Athena's is UTC."""

    @property
    def place(self) -> str:
        """Name it for people; holds no secret."""
        where = f"{self.catalog}.{self.schema}" if self.schema else self.catalog
        return f"{self.host}:{self.port} {where}"


def read_address(url: str, *, password: bool = False) -> Address:
    """Read a ``trino://`` URL.

    Args:
        url: user, host and catalog must be there; the port is 8080, or 443 with TLS.
        password: whether one will be sent, which needs TLS.

    Raises:
        SetupError: a part is missing, unknown or out of place; says which and the form.
    """
    parts = urlsplit(url)
    options = _options(parts)
    tls = _tls(parts, options, password=password)
    catalog, schema = _path(parts)
    return Address(
        host=_needed(parts.hostname, "the host"),
        port=_port(parts) or (TLS_PORT if tls else PORT),
        user=unquote(_needed(parts.username, "the user's name")),
        catalog=catalog,
        schema=schema,
        tls=tls,
        ca=options.get("ca", ""),
        timezone=_timezone(options),
    )


def _options(parts: SplitResult) -> dict[str, str]:
    if parts.password is not None:
        raise SetupError(
            "A password does not belong in the URL, which is shown and kept.",
            setting="QUERYMEND_SOURCE_PASSWORD",
        )
    options = dict(parse_qsl(parts.query))
    for name in options:
        if name not in _KNOWN:
            raise _wrong(f"{name!r} is no option; there are {', '.join(_KNOWN)}")
    return options


def _tls(parts: SplitResult, options: dict[str, str], *, password: bool) -> bool:
    given = options.get("tls", "").lower()
    if given not in ("", "true", "false"):
        raise _wrong(f"tls is {given!r}, not true or false")
    if password and given == "false":
        raise _wrong("a password is sent over TLS alone, and tls is false")
    return given == "true" or (not given and (password or _port(parts) == TLS_PORT))


def _path(parts: SplitResult) -> tuple[str, str]:
    names = [unquote(name).lower() for name in parts.path.split("/") if name]
    if len(names) not in (1, 2):
        raise _wrong(f"its path {parts.path!r} is not a catalog, or catalog and schema")
    return names[0], names[1] if len(names) == 2 else ""


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise _wrong("its port is no number up to 65535") from error


def _timezone(options: dict[str, str]) -> str:
    name = options.get("timezone", "UTC")
    if name not in available_timezones():
        raise _wrong(f"{name!r} is no time zone")
    return ZoneInfo(name).key


def _needed(part: str | None, what: str) -> str:
    if not part:
        raise _wrong(f"{what} is missing")
    return part


def _wrong(fault: str) -> SetupError:
    return SetupError(f"The source should look like {FORM}: {fault}.", setting=SETTING)
