"""Fixtures for pytest: a stand-in for Athena that is closed when the test ends.

In ``conftest.py``: ``from querymend.testing import athena_stand_in``.
"""

from collections.abc import Callable, Iterator

import pytest

from querymend.tools.engines.wire.server import AthenaStandIn


@pytest.fixture
def athena_stand_in() -> Iterator[Callable[..., AthenaStandIn]]:
    """Return a maker of started stand-ins; it takes what ``AthenaStandIn`` takes."""
    started: list[AthenaStandIn] = []

    def start(*source: object, **options: object) -> AthenaStandIn:
        server = AthenaStandIn(*source, **options)  # type: ignore[arg-type]
        started.append(server.start())
        return server

    yield start
    for server in started:
        server.close()
