"""The stand-in as its users see it: what it stands on, what goes wrong, what was asked."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlencode

from querymend.tools.engines.engine import Engine
from querymend.tools.engines.wire.athena import Athena
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.behind import Behind
from querymend.tools.engines.wire.calls import Call
from querymend.tools.engines.wire.executions import Execution, Executions
from querymend.tools.engines.wire.failures import refusal
from querymend.tools.engines.wire.faults import Fault, Faults
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.listener import Listener
from querymend.tools.engines.wire.pool import Open
from querymend.tools.engines.wire.scan import Scans
from querymend.tools.engines.wire.stocked import stock
from querymend.tools.engines.wire.work import Work
from querymend.tools.engines.wire.workgroups import Workgroup

REGION = "us-east-1"
CLOSE_SECONDS = 10.0
Source = str | Path | Engine | Open
"""A DuckDB file, an engine (one query at a time), or what opens engines (several then)."""


class AthenaStandIn:
    """Athena, Glue, S3 and STS on one loopback address; a context manager.

    Attributes:
        endpoint_url: the address, for boto3's and pyathena's ``endpoint_url``.
        client: what boto3 and pyathena need: ``boto3.client("glue", **server.client)``.
        output: an S3 location for results that exists.
        calls: every call, in order.
    """

    def __init__(
        self,
        source: Source,
        *,
        database: str = "default",
        tables: Mapping[str, GlueTable] | None = None,
        workgroups: Iterable[Workgroup] = (),
        region: str = REGION,
        port: int = 0,
        scale: float = 1.0,
        most_active: int = 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Read the source's tables; nothing listens yet.

        Args:
            source: a DuckDB file, an engine (which runs one query at a time), or a function that
                opens engines (then several queries run at once).
            database: the database of tables that have no schema.
            tables: what Glue knows besides, by table name: partition keys, projection, views.
            workgroups: besides ``primary``, or in its place.
            region: the region that Glue's tables are in.
            port: 0 takes any free port.
            scale: what bytes are multiplied by, so that a small file stands for a large table.
            most_active: how many queries may be queued or running; one more is refused.
            clock: tells seconds since 1970; result reuse goes by it.

        Raises:
            SetupError: the extra ``stand-in`` is missing, or the source cannot be opened.
        """
        self.calls: list[Call] = []
        self._faults = Faults()
        self._executions = Executions()
        self._expired: set[str] = set()
        self._beneath = Beneath(region)
        self._scans = Scans(scale=scale)
        groups = {"primary": Workgroup()} | {g.name: g for g in workgroups}
        self._database, self._tables = database, tables or {}
        self._work = Work(
            self._stock(source),
            beneath=self._beneath,
            executions=self._executions,
            faults=self._faults,
            scans=self._scans,
            cutoff=lambda name: groups[name].cutoff,
            clock=clock,
        )
        self._athena = Athena(
            self._work,
            self._executions,
            self._beneath,
            groups,
            most_active=most_active,
            clock=clock,
        )
        self.output = f"s3://querymend-results-{self._beneath.account}/"
        for location in (self.output, *(g.output for g in groups.values())):
            self._beneath.make_bucket_of(location)
        self._port = port
        self._listener: Listener | None = None

    @property
    def endpoint_url(self) -> str:
        """Return the address that clients are given."""
        if self._listener is None:
            raise RuntimeError("The stand-in does not listen: use it in a with statement.")
        return f"http://127.0.0.1:{self._listener.port}"

    @property
    def client(self) -> dict[str, str]:
        """Return address, region and keys (any will do), as boto3 and pyathena take them."""
        return {
            "endpoint_url": self.endpoint_url,
            "region_name": self._beneath.region,
            "aws_access_key_id": "AKIASTANDIN000000000",
            "aws_secret_access_key": "stand-in",
        }

    def url(self, *databases: str) -> str:
        """Return what ``Agent.open`` takes: ``athena://us-east-1/sales?endpoint=…&output=…``.

        Args:
            databases: the one of bare names first; all of them if none is given.

        The client still needs keys, and any will do: ``AWS_ACCESS_KEY_ID`` and
        ``AWS_SECRET_ACCESS_KEY`` in the environment.
        """
        region = self._beneath.region
        asked = urlencode({"endpoint": self.endpoint_url, "output": self.output, "poll": "0.01"})
        return f"athena://{region}/{','.join(databases or self.databases())}?{asked}"

    def databases(self) -> list[str]:
        """Return the names of Glue's databases."""
        return self._beneath.databases()

    def fault(self, *faults: Fault) -> None:
        """Arm faults: each befalls the next call or query that fits."""
        self._faults.add(*faults)

    def clear_faults(self) -> None:
        """Disarm every fault."""
        self._faults.clear()

    def expire_credentials(self) -> None:
        """Let every key that has been used so far be refused as expired."""
        self._expired |= {c.access_key for c in self.calls}

    def running(self) -> list[str]:
        """Return the ids of queries that are QUEUED or RUNNING."""
        return [e.id for e in self._executions.running()]

    def stop(self, identifier: str) -> None:
        """Cancel a query, as an administrator would; returns when nothing works on it any more."""
        for execution in self._executions:
            if execution.id == identifier:
                self._work.stop(execution)

    def executions(self) -> list[Execution]:
        """Return every query so far, oldest first."""
        return list(self._executions)

    def operations(self, service: str = "athena") -> list[str]:
        """Return the names of one service's calls so far, in order."""
        return [c.operation for c in self.calls if c.service == service]

    def make_bucket(self, name: str) -> None:
        """Make an S3 bucket, for results or data."""
        self._beneath.make_bucket_of(f"s3://{name}/")

    def replace(self, source: Source) -> None:
        """Put another source in the old one's place; Glue's versions rise where tables differ."""
        old = self._work.behind
        self._work.behind = self._stock(source)
        self._scans.forget()
        old.places.close()

    def __enter__(self) -> Self:
        return self.start()

    def start(self) -> Self:
        """Begin to listen."""
        self._listener = Listener(
            self._port,
            beneath=self._beneath,
            seen=self._see,
            answer=lambda call: self._athena.answer(call.operation, call.fields),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop what runs, stop listening, and forget everything."""
        for execution in self._executions.running():
            self._work.stop(execution)
        for execution in self._executions:
            execution.finished.wait(CLOSE_SECONDS)
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self._work.behind.places.close()
        self._beneath.close()

    def _stock(self, source: Source) -> Behind:
        return stock(source, self._beneath, database=self._database, given=self._tables)

    def _see(self, call: Call) -> None:
        """Note a call, and let it fail if a fault befalls it."""
        self.calls.append(call)
        if call.access_key in self._expired:
            raise refusal(Fault("expired"))
        fault = self._faults.at_call(call.operation, call.sql)
        if fault is not None:
            raise refusal(fault)
