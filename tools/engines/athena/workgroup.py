"""What the workgroup itself says: where results go, and when it ends a query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from querymend.tools.engines.athena.errors import RAISED, translate
from querymend.tools.engines.athena.place import AthenaPlace
from querymend.tools.errors import AccessDenied, SetupError


@dataclass(frozen=True, kw_only=True)
class Workgroup:
    """A workgroup's settings, as far as this role may read them."""

    name: str
    cutoff: int | None = None
    """Bytes at which Athena cancels a query; None where there is no such bound."""
    output: str = ""
    enforced: bool = False
    """Its settings hold whatever the caller says."""
    managed: bool = False
    """Athena keeps the results itself."""


def read_workgroup(client: Any, place: AthenaPlace) -> Workgroup:
    """Read the workgroup of a place, and check that results have a place to go.

    Raises:
        SetupError: it does not exist, is switched off, or nothing says where results go.
    """
    try:
        told = client.get_work_group(WorkGroup=place.workgroup)["WorkGroup"]
    except RAISED as error:
        return _unread(error, place)
    if told.get("State") == "DISABLED":
        raise SetupError(
            f"The workgroup {place.workgroup} is switched off.",
            setting="QUERYMEND_ATHENA__WORKGROUP",
        )
    found = _of(place.workgroup, told.get("Configuration") or {})
    _check_output(found, place)
    return found


def _unread(error: Exception, place: AthenaPlace) -> Workgroup:
    """Go on where this role may use the workgroup without reading it."""
    ours = translate(error)
    if isinstance(ours, AccessDenied):
        return Workgroup(name=place.workgroup)
    raise ours from error


def _of(name: str, told: Mapping[str, Any]) -> Workgroup:
    managed = told.get("ManagedQueryResultsConfiguration") or {}
    return Workgroup(
        name=name,
        cutoff=told.get("BytesScannedCutoffPerQuery"),
        output=(told.get("ResultConfiguration") or {}).get("OutputLocation", ""),
        enforced=bool(told.get("EnforceWorkGroupConfiguration")),
        managed=bool(managed.get("Enabled")),
    )


def _check_output(found: Workgroup, place: AthenaPlace) -> None:
    if found.managed and place.output:
        raise SetupError(
            f"The workgroup {found.name} keeps results itself: leave the output location away.",
            setting="QUERYMEND_ATHENA__OUTPUT",
        )
    if not (found.managed or found.output or place.output or place.managed):
        raise SetupError(
            f"Nothing says where results go: the workgroup {found.name} has no result location."
            " Give it one, name another workgroup (?workgroup=…), or write"
            " ?output=s3://bucket/prefix/.",
            setting="QUERYMEND_ATHENA__OUTPUT",
        )
