"""What Trino and its client say, sorted into our errors by the table in ``errors.txt``."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from requests.exceptions import RequestException
from requests.models import Response
from trino.exceptions import (
    Error,
    HttpError,
    TrinoAuthError,
    TrinoConnectionError,
    TrinoDataError,
    TrinoQueryError,
)

from querymend.tools import errors
from querymend.tools.errors import (
    AccessDenied,
    EngineUnavailable,
    QueryError,
    QuerymendError,
    SetupError,
)

RAISED = (Error, HttpError, RequestException, ValueError, TypeError, IndexError, OverflowError)
"""What the client raises; the last four where a value has no Python counterpart."""
LONGEST_MESSAGE = 500
LONGEST_WAIT = 3_600.0
ANY = "*"
_Kinds = Mapping[tuple[str, str], type[QuerymendError]]

_POSITION = re.compile(r"^line (\d+):(\d+): ")
_EXPECTING = re.compile(r"( Expecting: (?:[^,]+, ){4}[^,]+), .*", re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PLACES = re.compile(r"\b(?:[a-z][a-z0-9]*://|arn:)[^\s,;)\]]+")
_VALUE = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|(?<![\w(,.])-?\d+(?:[.:\-]\d+)*(?![\w)])")
_SHOWS_VALUES = frozenset(
    (
        "CONSTRAINT_VIOLATION",
        "GENERIC_INTERNAL_ERROR",
        "GENERIC_USER_ERROR",
        "INVALID_CAST_ARGUMENT",
        "INVALID_FUNCTION_ARGUMENT",
        "JSON_INPUT_CONVERSION_ERROR",
        "JSON_OUTPUT_CONVERSION_ERROR",
        "JSON_VALUE_RESULT_ERROR",
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "PATH_EVALUATION_ERROR",
    )
)


@cache
def kinds() -> _Kinds:
    """Read the table: our class by error name and type; ``ANY`` stands for every other name."""
    text = files("querymend.tools.engines.trino").joinpath("errors.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return MappingProxyType({(name, kind): getattr(errors, ours) for name, kind, ours in rows})


def translate(error: Exception, sql: str = "") -> QuerymendError:
    """Return our error for one of the client's, cleaned, with the position it tells.

    Values that are not in ``sql`` are masked: they come from the data and may be private.
    """
    match error:
        case TrinoQueryError():
            return _refused(error, sql)
        case TrinoAuthError():
            return SetupError(f"Trino did not let us in: {clean(str(error))}", setting=PASSWORD)
        case TrinoDataError() | ValueError() | TypeError() | IndexError() | OverflowError():
            return QueryError(
                "A value of the result has no counterpart here (a date before year 1 or after"
                " 9999, or a MAP's nested key). Cast that column to varchar.",
                code="UNREADABLE_VALUE",
            )
        case HttpError() | TrinoConnectionError() | RequestException():
            return EngineUnavailable(f"Trino is not reached: {clean(str(error))}")
    return EngineUnavailable(f"Trino's client failed: {clean(str(error))}")


PASSWORD = "QUERYMEND_SOURCE_PASSWORD"
"""The setting that cures a refused log-in."""


def refuse_by_status(response: Response, *args: object, **kwargs: object) -> None:
    """Raise ours where the HTTP status alone tells; the client would wait, or lose the reason.

    Raises:
        SetupError: the credentials are not taken.
        AccessDenied: the user may not come in.
        EngineUnavailable: too many requests; says how long to wait.
    """
    if response.status_code in (401, 403, 429):
        response.close()
    match response.status_code:
        case 401:
            raise SetupError("Trino does not take these credentials.", setting=PASSWORD)
        case 403:
            raise AccessDenied("Trino refuses this user.")
        case 429:
            raise EngineUnavailable("Trino is throttled.", retry_after=_seconds(response))


def clean(text: str, sql: str = "", *, masked: bool = False) -> str:
    """Return the text without its position, addresses and colours, at most 500 characters long."""
    text = _POSITION.sub("", _ANSI.sub("", text))
    text = _EXPECTING.sub(r"\1 …", text)
    if masked:
        text = _VALUE.sub(lambda found: _mask(found[0], sql), text)
    text = _PLACES.sub("…", text).strip()
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"


def position(error: TrinoQueryError) -> tuple[int, int] | None:
    """Return 1-based line and column, where Trino tells them."""
    found = _POSITION.match(error.message)
    return error.error_location or ((int(found[1]), int(found[2])) if found else None)


def _refused(error: TrinoQueryError, sql: str) -> QuerymendError:
    name, kind = error.error_name or "", error.error_type or ""
    ours = kinds().get((name, kind)) or kinds().get((ANY, kind), EngineUnavailable)
    message = clean(error.message, sql, masked=name in _SHOWS_VALUES)
    if ours is QueryError:
        return QueryError(message, code=name, position=position(error))
    return ours(message)


def _mask(value: str, sql: str) -> str:
    return value if value.strip("'\"") in sql else "'…'"


def _seconds(response: Response) -> float | None:
    """Read a wait given in seconds; a date, the other form, is left alone."""
    given = response.headers.get("Retry-After", "")
    return min(float(given), LONGEST_WAIT) if given.isdecimal() else None
