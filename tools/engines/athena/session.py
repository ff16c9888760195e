"""AWS clients with credentials that stay fresh, and with one place where API calls are retried."""

from collections.abc import Callable
from typing import Any, ClassVar

import botocore.session  # type: ignore[import-untyped]
from boto3.session import Session  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.credentials import (  # type: ignore[import-untyped]
    CredentialProvider,
    DeferredRefreshableCredentials,
)
from botocore.exceptions import ProfileNotFound  # type: ignore[import-untyped]
from pyathena.connection import Connection
from pyathena.cursor import Cursor

from querymend.tools.engines.athena.cells import Cells
from querymend.tools.engines.athena.place import AthenaPlace
from querymend.tools.errors import SetupError

CALLS = 3
"""Tries of one API call; the waits between them are jittered. Nobody above tries again."""
CONNECT_SECONDS = 5
READ_SECONDS = 20
Client = Any
"""A boto3 client: made at run time from AWS's own description of a service."""


class Clients:
    """Makes and keeps the boto3 clients of one place. Safe to share between threads."""

    def __init__(self, place: AthenaPlace) -> None:
        self._place = place
        self.session = open_session(place)
        self._made: dict[str, Client] = {}

    def get(self, service: str) -> Client:
        """Return the client of a service: ``glue``, ``s3``, ``athena``."""
        if service not in self._made:
            self._made[service] = self.session.client(
                service, endpoint_url=self._place.endpoint or None, config=config()
            )
        return self._made[service]

    def close(self) -> None:
        """Give back the connections."""
        for client in self._made.values():
            client.close()
        self._made.clear()


def config() -> Config:
    """Return how every client connects, waits and retries."""
    return Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": CALLS},
        max_pool_connections=32,
        s3={"addressing_style": "path"},
    )


def open_session(place: AthenaPlace) -> Session:
    """Return a session of the place's region, profile and role.

    A role's credentials are fetched when they are first needed and again before they expire;
    pyathena's own ``role_arn`` would keep the first ones for ever.

    Raises:
        SetupError: the profile or the region is not there.
    """
    try:
        own = Session(region_name=place.region or None, profile_name=place.profile or None)
    except ProfileNotFound as error:
        raise SetupError(
            f"There is no AWS profile {place.profile!r}.", setting="QUERYMEND_ATHENA__PROFILE"
        ) from error
    if not own.region_name:
        raise SetupError(
            "No AWS region is named: write athena://eu-west-1/…, or set AWS_REGION.",
            setting="QUERYMEND_ATHENA__REGION",
        )
    return _as_role(own, place) if place.role else own


def connect(clients: Clients, place: AthenaPlace, schema: str) -> "Connection[Cursor]":
    """Return pyathena's connection, one for all threads; unqualified names mean ``schema``."""
    return Connection(
        session=clients.session,
        region_name=clients.session.region_name,
        schema_name=schema or "default",
        catalog_name=place.catalog,
        work_group=place.workgroup,
        s3_staging_dir=place.output,  # an empty text keeps pyathena from reading the environment
        poll_interval=place.poll_seconds,
        converter=Cells(),
        config=config(),
        endpoint_url=place.endpoint or None,
        glue_metadata_fallback=False,
    )


def _as_role(own: Session, place: AthenaPlace) -> Session:
    core = botocore.session.get_session()
    resolver = core.get_component("credential_provider")
    resolver.insert_before("env", _RoleProvider(_fetcher(own, place)))
    return Session(botocore_session=core, region_name=own.region_name)


def _fetcher(own: Session, place: AthenaPlace) -> Callable[[], dict[str, str]]:
    """Return what fetches the role's credentials, in botocore's form."""
    wanted = {"RoleArn": place.role, "RoleSessionName": place.session_name}
    if place.external_id:
        wanted["ExternalId"] = place.external_id

    def fetch() -> dict[str, str]:
        sts = own.client("sts", endpoint_url=place.endpoint or None, config=config())
        got = sts.assume_role(**wanted)["Credentials"]
        return {
            "access_key": got["AccessKeyId"],
            "secret_key": got["SecretAccessKey"],
            "token": got["SessionToken"],
            "expiry_time": got["Expiration"].isoformat(),
        }

    return fetch


class _RoleProvider(CredentialProvider):  # type: ignore[misc]
    METHOD: ClassVar[str] = "querymend-role"
    CANONICAL_NAME: ClassVar[str] = "custom-querymend-role"

    def __init__(self, fetch: Callable[[], dict[str, str]]) -> None:
        super().__init__()
        self._fetch = fetch

    def load(self) -> DeferredRefreshableCredentials:
        """Return credentials that fetch themselves, and again before they expire."""
        return DeferredRefreshableCredentials(refresh_using=self._fetch, method="assume-role")
