"""moto beneath: Glue's, S3's and STS's own calls, and what the server keeps there itself.

Every server has an account of its own, so that several may run in one process. moto is untyped,
and imported only when a server starts.
"""

import itertools
import threading
from collections.abc import Iterable, Mapping
from typing import Any, cast

from querymend.tools.engines.wire.failures import Refusal
from querymend.tools.errors import SetupError

_accounts = itertools.count(310_000_000_001)


class Beneath:
    """moto's services for one account and region."""

    def __init__(self, region: str) -> None:
        try:
            from moto.backends import get_backend
            from moto.moto_server import werkzeug_app
        except ImportError as error:
            raise SetupError(
                "The stand-in for Athena needs moto: pip install 'querymend[stand-in]'."
            ) from error
        self.account = str(next(_accounts))
        self.region = region
        self._backend = get_backend
        self._app = werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app)
        self._lock = threading.Lock()

    def answer(self, environ: dict[str, Any], start: Any) -> Any:
        """Answer a call that is none of Athena's."""
        environ["HTTP_X_MOTO_ACCOUNT_ID"] = self.account
        return self._app(environ, start)

    def put_database(self, name: str) -> None:
        """Make a Glue database, if there is none of that name."""
        if name not in {d.name for d in self._glue.get_databases()}:
            self._glue.create_database(name, {"Name": name})

    def put_table(self, database: str, told: Mapping[str, object]) -> None:
        """Make a Glue table, or a new version of it where it differs."""
        name = str(told["Name"])
        if name not in self._glue.get_database(database).tables:
            self._glue.create_table(database, name, dict(told))
        elif not _says(self._glue.get_table(database, name), told):
            self._glue.update_table(database, name, dict(told))

    def put_partitions(
        self, database: str, table: str, told: Iterable[Mapping[str, object]]
    ) -> None:
        """Make the partitions that are not there yet."""
        self._glue.batch_create_partition(database, table, [dict(t) for t in told])

    def keep_only(self, database: str, tables: Iterable[str]) -> None:
        """Drop the Glue tables of a database that are not named."""
        wanted = set(tables)
        for name in list(self._glue.get_database(database).tables):
            if name not in wanted:
                self._glue.delete_table(database, name)

    def databases(self) -> list[str]:
        """Return the names of Glue's databases."""
        return [d.name for d in self._glue.get_databases()]

    def tables(self, database: str, expression: str) -> list[Mapping[str, object]]:
        """Return Glue's tables whose names match a regular expression; all if it is empty."""
        found = self._glue.get_tables(database, expression or None)
        return [cast("Mapping[str, object]", t.as_dict()) for t in found]

    def make_bucket_of(self, location: str) -> None:
        """Make the S3 bucket of a location, if it names one and there is none yet."""
        name = location.removeprefix("s3://").partition("/")[0]
        if name and not self.has_bucket(name):
            self._s3.create_bucket(name, self.region)

    def has_bucket(self, name: str) -> bool:
        """Tell whether there is an S3 bucket of that name."""
        return name in self._s3.buckets

    def write(self, location: str, content: bytes) -> None:
        """Write an S3 object.

        Raises:
            Refusal: there is no such bucket.
        """
        bucket, _, key = location.removeprefix("s3://").partition("/")
        with self._lock:
            if not self.has_bucket(bucket):
                raise Refusal(f"Unable to verify/create output bucket {bucket}")
            self._s3.put_object(bucket, key, content, disable_notification=True)

    def close(self) -> None:
        """Forget everything that this account held."""
        for name in list(self._s3.buckets):
            for key in list(self._s3.buckets[name].keys.values()):
                key.dispose()
            self._s3.buckets[name].keys.clear()
            self._s3.delete_bucket(name)
        for service in ("glue", "s3", "sts"):
            self._backend(service).pop(self.account, None)

    @property
    def _glue(self) -> Any:
        return self._backend("glue")[self.account][self.region]

    @property
    def _s3(self) -> Any:
        return self._backend("s3")[self.account]["aws"]


def _says(table: Any, told: Mapping[str, object]) -> bool:
    held = table.as_dict()
    return all(held.get(name) == value for name, value in told.items())
