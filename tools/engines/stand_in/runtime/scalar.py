"""A scalar function that the stand-in adds to DuckDB, and how its faults are told."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps

import duckdb

PREFIX = "qm_"
"""Begins every added name: no function of DuckDB's or of a user's does."""


class TrinoFault(ValueError):
    """A value at which Trino fails; the text is ``NAME: message`` in Trino's own words."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")


def invalid(message: str) -> TrinoFault:
    """Return the fault of an argument that a function cannot take."""
    return TrinoFault("INVALID_FUNCTION_ARGUMENT", message)


def unsupported(what: str) -> TrinoFault:
    """Return the refusal of what Trino can do and the stand-in cannot."""
    return TrinoFault("NOT_IN_STAND_IN", f"{what} is not supported by the stand-in")


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """One function: DuckDB's types in and out, NULL for a NULL argument unless ``nullable``."""

    name: str
    takes: tuple[str, ...]
    gives: str
    call: Callable[..., object]
    nullable: bool = False
    """It is called with NULLs, as None."""


def scalar(
    name: str, takes: str, gives: str, call: Callable[..., object], *, nullable: bool = False
) -> Scalar:
    """Make one; ``takes`` are DuckDB types with blanks between them.

    Raises:
        ValueError: it would give a floating-point number, whose NaN DuckDB's client turns to NULL.
    """
    if gives in ("DOUBLE", "FLOAT"):
        raise ValueError(f"{name} cannot give {gives}: a NaN would become NULL.")
    return Scalar(
        name=PREFIX + name, takes=tuple(takes.split()), gives=gives, call=call, nullable=nullable
    )


def _strict(call: Callable[..., object]) -> Callable[..., object]:
    """Give NULL for a NULL argument; DuckDB's own way of it forbids to give NULL otherwise."""

    @wraps(call)  # DuckDB counts the parameters
    def strict(*arguments: object) -> object:
        return None if None in arguments else call(*arguments)

    return strict


_adding = threading.Lock()
"""Two connections to one file share its functions: only one may add at a time."""
_kept: dict[Scalar, Callable[..., object]] = {}
"""What was handed to DuckDB, to the end of the process.

DuckDB notes the bare address of a Python function for the whole file, but the connection that
added it drops it on closing. Another connection to the file would then call whatever has come to
lie there: NULL instead of a value, a stranger's exception, or the end of the process.
"""


def register(connection: duckdb.DuckDBPyConnection, functions: tuple[Scalar, ...]) -> None:
    """Add functions to the file of a connection; those that it has are left as they are."""
    with _adding:
        for function in functions:
            _add(connection, function)


def _add(connection: duckdb.DuckDBPyConnection, function: Scalar) -> None:
    if function not in _kept:
        _kept[function] = function.call if function.nullable else _strict(function.call)
    with suppress(duckdb.CatalogException):  # another engine on this file has added it
        connection.create_function(  # type: ignore[call-overload]  # told by ``gives``
            function.name,
            _kept[function],
            list(function.takes),
            function.gives,
            null_handling="special",
        )
