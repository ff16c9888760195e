"""All functions that the stand-in adds to a DuckDB connection."""

import duckdb

from querymend.tools.engines.stand_in.runtime import (
    binary,
    dates,
    formatting,
    json,
    letters,
    numbers,
    pieces,
    regex,
    urls,
    zones,
)
from querymend.tools.engines.stand_in.runtime.scalar import Scalar, register

FUNCTIONS: tuple[Scalar, ...] = (
    *binary.FUNCTIONS,
    *dates.FUNCTIONS,
    *formatting.FUNCTIONS,
    *json.FUNCTIONS,
    *letters.FUNCTIONS,
    *numbers.FUNCTIONS,
    *pieces.FUNCTIONS,
    *regex.FUNCTIONS,
    *urls.FUNCTIONS,
    *zones.FUNCTIONS,
)


def add_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Add them all."""
    register(connection, FUNCTIONS)
