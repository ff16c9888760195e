"""All functions that the stand-in adds to a DuckDB connection."""

import duckdb

from querymend.tools.engines.stand_in.runtime import dates, json, numbers, regex, text, zones
from querymend.tools.engines.stand_in.runtime.scalar import Scalar, register

FUNCTIONS: tuple[Scalar, ...] = (
    *dates.FUNCTIONS,
    *json.FUNCTIONS,
    *numbers.FUNCTIONS,
    *regex.FUNCTIONS,
    *text.FUNCTIONS,
    *zones.FUNCTIONS,
)


def add_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Add them all."""
    register(connection, FUNCTIONS)
