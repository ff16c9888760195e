"""Where an Athena is and how it is used, from a URL.

::

    athena://eu-west-1/sales?workgroup=analysts
    athena://eu-west-1/sales,web?workgroup=analysts&output=s3://results/querymend/&role=arn:…

The first database is the one that unqualified names mean. Credentials come from where every AWS
tool takes them (environment, profile, container, SSO); no URL and no setting holds a key.
"""

import difflib
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from querymend.tools.errors import SetupError

LONGEST_REUSE = 10_080
"""Minutes: Athena reuses results of the last seven days at most."""


@dataclass(frozen=True, kw_only=True)
class AthenaPlace:
    """One Athena: account and region by credentials, workgroup, databases, and how to use it."""

    region: str = ""
    """Empty: what the profile or the environment say."""
    databases: tuple[str, ...] = ()
    """The first is the default of unqualified names; empty: every database of the catalog."""
    workgroup: str = "primary"
    catalog: str = "AwsDataCatalog"
    output: str = ""
    """Where results go, ``s3://bucket/prefix/``; empty: where the workgroup says."""
    managed: bool = False
    """The workgroup keeps results itself (managed query results), so no output may be given."""
    role: str = ""
    """A role to take on, by ARN; its credentials are renewed before they expire."""
    external_id: str = ""
    session_name: str = "querymend"
    """What CloudTrail calls the role's session."""
    profile: str = ""
    """A profile of the AWS configuration files."""
    endpoint: str = ""
    """Another address for every AWS service: a stand-in, or a private endpoint."""
    reuse_minutes: int = 0
    """Take the rows of an equal query that ran so many minutes ago at most; 0: never."""
    poll_seconds: float = 0.25
    """Time between two looks at a running query."""
    usd_per_tb: float = 5.0
    """List price of a scanned terabyte in the region."""

    @property
    def name(self) -> str:
        """Say where it is, for people."""
        where = ", ".join(self.databases) or "all databases"
        return f"Athena {where} ({self.region or 'default region'}, workgroup {self.workgroup})"


_PARAMETERS = MappingProxyType(
    {
        "workgroup": "workgroup",
        "catalog": "catalog",
        "output": "output",
        "managed": "managed",
        "role": "role",
        "external_id": "external_id",
        "session_name": "session_name",
        "profile": "profile",
        "endpoint": "endpoint",
        "reuse": "reuse_minutes",
        "poll": "poll_seconds",
        "usd_per_tb": "usd_per_tb",
    }
)


def read_url(url: str, base: AthenaPlace | None = None) -> AthenaPlace:
    """Read ``athena://region/database,…?workgroup=…``; what it leaves open is as in ``base``.

    Raises:
        SetupError: it holds keys, an unknown parameter or a value that does not fit.
    """
    parts = urlsplit(url)
    if parts.username or parts.password or "@" in parts.netloc:
        raise _fault(
            "no AWS keys or users belong in a URL; use a profile, a role or the environment"
        )
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    given: dict[str, Any] = {(field := _known(name)): _value(field, text) for name, text in pairs}
    place = base or AthenaPlace()
    databases = tuple(d for d in unquote(parts.path).strip("/").split(",") if d)
    place = replace(
        place,
        region=parts.netloc or place.region,
        databases=databases or place.databases,
    )
    return checked(replace(place, **given))


def checked(place: AthenaPlace) -> AthenaPlace:
    """Return the place if its parts fit together.

    Raises:
        SetupError: they do not; says which and the cure.
    """
    if place.managed and place.output:
        raise _fault("managed results and an output location exclude each other: give one of them")
    if place.output and not place.output.startswith("s3://"):
        raise _fault(f"the output location {place.output!r} is no s3:// address")
    if not 0 <= place.reuse_minutes <= LONGEST_REUSE:
        raise _fault(f"results can be reused for 0 to {LONGEST_REUSE:,} minutes")
    if place.poll_seconds <= 0 or place.usd_per_tb < 0:
        raise _fault("poll and usd_per_tb must be positive")
    if "/" in "".join(place.databases):
        raise _fault("databases are separated by commas: athena://region/sales,web")
    return place


def _known(name: str) -> str:
    if name in _PARAMETERS:
        return _PARAMETERS[name]
    if "key" in name.lower() or "token" in name.lower() or "secret" in name.lower():
        raise _fault("no AWS keys belong in a URL; use a profile, a role or the environment")
    near = difflib.get_close_matches(name, _PARAMETERS, n=1, cutoff=0.5)
    cure = f" Did you mean {near[0]}?" if near else f" There are {', '.join(_PARAMETERS)}."
    raise _fault(f"{name} names no parameter.{cure}")


def _value(name: str, text: str) -> object:
    """Read a parameter's text as what its field holds."""
    kind = next(f.type for f in fields(AthenaPlace) if f.name == name)
    if kind is bool:
        if text.lower() in ("1", "true", "yes", ""):
            return True
        if text.lower() in ("0", "false", "no"):
            return False
        raise _fault(f"{name}={text!r} is neither true nor false")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise _fault(f"{name}={text!r} is no number") from None
    return text


def _fault(what: str) -> SetupError:
    tail = "" if what.endswith((".", "?")) else "."
    return SetupError(
        f"The athena:// source cannot be used: {what}{tail}", setting="QUERYMEND_SOURCE"
    )
