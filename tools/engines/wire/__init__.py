"""Athena on loopback: a server that the real pyathena and boto3 talk to by ``endpoint_url``.

In a test, with ``from querymend.testing import athena_stand_in`` in its ``conftest.py``::

    def test_asks(athena_stand_in, shop):
        server = athena_stand_in(shop, database="shop")       # a DuckDB file, an engine, …
        connection = pyathena.connect(
            **server.client, schema_name="shop", s3_staging_dir=server.output, poll_interval=0.01
        )
        glue = boto3.client("glue", **server.client)
        server.fault(Fault("throttle", times=2, on="StartQueryExecution"))
        ...
        assert server.running() == []

Without pytest: ``with AthenaStandIn(path, database="shop") as server``. ``server.operations()`` and
``server.calls`` tell what was asked, ``server.executions()`` every query with its state, bytes and
``billed_bytes()``. ``tables={"orders": GlueTable(partitions=("dt",), parameters={…})}`` tells Glue
of partitions and projection; ``workgroups=[Workgroup(name="capped", cutoff=10_000_000)]`` and
``scale=`` (bytes are multiplied by it) let a small file stand for a large table. Kinds of faults
are in ``faults``: ``slow`` runs and ``queued`` waits until cancelled.

Its parts: ``server`` (HTTP and what tests look at), ``athena`` (the API's operations),
``executions`` (states), ``work`` (queue, gate, engine), ``failures`` (Athena's texts and codes),
``faults`` (what goes wrong on purpose), ``scan`` (bytes), ``glue`` and ``aws`` (moto beneath).
Needs the extra ``stand-in``.
"""
