"""DuckDB's exceptions, sorted into ours, with messages fit for people and models."""

import re
import unicodedata
from pathlib import Path

import duckdb

from querymend.tools.errors import (
    AccessDenied,
    BudgetExceeded,
    EngineUnavailable,
    QueryError,
    QuerymendError,
    SetupError,
)

LONGEST_MESSAGE = 500
OURS: dict[type[Exception], type[QuerymendError]] = {
    duckdb.BinderException: QueryError,
    duckdb.CatalogException: QueryError,
    duckdb.ConnectionException: EngineUnavailable,
    duckdb.ConstraintException: QueryError,
    duckdb.ConversionException: QueryError,
    duckdb.DataError: QueryError,
    duckdb.DatabaseError: QueryError,
    duckdb.DependencyException: QueryError,
    duckdb.Error: QueryError,
    duckdb.FatalException: SetupError,
    duckdb.HTTPException: EngineUnavailable,
    duckdb.IOException: EngineUnavailable,
    duckdb.IntegrityError: QueryError,
    duckdb.InternalError: QueryError,
    duckdb.InternalException: QueryError,
    duckdb.InterruptException: BudgetExceeded,
    duckdb.InvalidInputException: QueryError,
    duckdb.InvalidTypeException: QueryError,
    duckdb.NotImplementedException: QueryError,
    duckdb.NotSupportedError: QueryError,
    duckdb.OperationalError: EngineUnavailable,
    duckdb.OutOfMemoryException: BudgetExceeded,
    duckdb.OutOfRangeException: QueryError,
    duckdb.ParserException: QueryError,
    duckdb.PermissionException: AccessDenied,
    duckdb.ProgrammingError: QueryError,
    duckdb.ResourceInUseException: EngineUnavailable,
    duckdb.SequenceException: QueryError,
    duckdb.SerializationException: EngineUnavailable,
    duckdb.SyntaxException: QueryError,
    duckdb.TransactionException: EngineUnavailable,
    duckdb.TypeMismatchException: QueryError,
    duckdb.Warning: QueryError,
}
"""An internal error may spare another text; a fatal one has broken the whole database."""
RAISED = (duckdb.Error, duckdb.Warning, RuntimeError, ValueError, OverflowError)
"""What DuckDB's client raises; the last three where a value has no Python counterpart."""

_SEALED = re.compile(r"read-only mode|configuration has been locked")
_SHOWS_VALUES = (duckdb.DataError, duckdb.InvalidInputException, ValueError, OverflowError)
_FULL = re.compile(r"[Nn]o space left|[Dd]isk (is )?full|File too large|quota exceeded")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FOLDERS = re.compile(r"""(?<![\w.)])(?:[A-Za-z]:)?[/\\](?:[^\s'"/\\]+[/\\])+""")
_EXCERPT = re.compile(r"\n\nLINE (\d+): (.*)\n( *)\^+")
_OTHER_TABLE = re.compile(r'(Table with name .* does not exist!)\nDid you mean "[^\n]*"\??')
_VALUE = re.compile(
    r"""DECIMAL\(\d+, ?\d+\)|(?P<value>'.*'|".*"|(?<!\w)-?\d+(?:[.:\-]\d+)*(?!\w))""", re.DOTALL
)


def translate(error: Exception, sql: str = "") -> QuerymendError:
    """Return our error for one of DuckDB's, cleaned, with the position it tells.

    Values that are not in ``sql`` are masked: they come from the data and may be private.
    """
    kind = _kind(error)
    message = clean(error, sql)
    if kind is QueryError:
        return QueryError(message, code=type(error).__name__, position=position(str(error), sql))
    return kind(message)


def clean(error: Exception, sql: str = "") -> str:
    """Return the error's text without colours, folders and data, in 500 characters at most."""
    text = _ANSI.sub("", str(error))
    excerpt = _EXCERPT.search(text)
    head = text[: excerpt.start()] if excerpt else text
    tail = excerpt.group().rstrip() if excerpt else ""
    if isinstance(error, _SHOWS_VALUES):
        head = masked(head, sql)
    head = _FOLDERS.sub("", _OTHER_TABLE.sub(r"\1", head)).strip()
    return _cap(head, LONGEST_MESSAGE - len(tail)) + tail


def position(text: str, sql: str) -> tuple[int, int] | None:
    """Read 1-based line and column from DuckDB's ``LINE n:`` excerpt, or None without one."""
    found = _EXCERPT.search(text)
    if not found:
        return None
    line, excerpt = int(found[1]), found[2]
    at = _index(excerpt, len(found[3]) - len(f"LINE {line}: "))
    lines = sql.split("\n")
    if excerpt.startswith("...") and line <= len(lines):
        body = excerpt[3:].removesuffix("...")
        at += max(lines[line - 1].find(body), 0) - 3
    return line, at + 1


def is_full(error: Exception) -> bool:
    """Tell whether a write failed for want of space."""
    return _FULL.search(str(error)) is not None


def at_opening(error: Exception, path: Path) -> SetupError:
    """Say why a database file could not be opened, and the cure."""
    text = str(error)
    for sign, cure in _CURES:
        if sign in text:
            return SetupError(f"{path.name} cannot be opened: {cure}")
    return SetupError(f"{path.name} cannot be opened: {clean(error)}")


_CURES = (
    ("Could not set lock", "another process is writing to it. End that process, or open a copy."),
    (
        "different configuration",
        "this process has it open with other settings. Close that connection, or open a copy.",
    ),
    ("not a valid DuckDB", "it is not a DuckDB database, or it is damaged. Restore or rebuild it."),
    ("version number", "another version of DuckDB wrote it. Export it there, or upgrade duckdb."),
    ("does not exist", "there is no such file. Check the path."),
    ("ermission denied", "this user may not read it. Change its permissions."),
)


def _kind(error: Exception) -> type[QuerymendError]:
    if isinstance(error, duckdb.InvalidInputException) and _SEALED.search(str(error)):
        return AccessDenied
    return next((OURS[c] for c in type(error).__mro__ if c in OURS), QueryError)


def masked(head: str, sql: str) -> str:
    """Hide the values that are not in the statement."""

    def one(match: re.Match[str]) -> str:
        value = match["value"]
        return match[0] if value is None or value.strip("'\"") in sql else "'…'"

    return _VALUE.sub(one, head)


def _cap(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


def _index(text: str, shown: int) -> int:
    """Turn a place on the screen into an index: wide letters take two columns."""
    for index, letter in enumerate(text):
        if shown <= 0:
            return index
        shown -= 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return len(text)
