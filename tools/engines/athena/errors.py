"""Exceptions of pyathena and botocore, sorted into ours, with texts fit for people and models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import botocore.exceptions as aws  # type: ignore[import-untyped]
from pyathena import error as athena

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.athena.cleaning import clean
from querymend.tools.engines.athena.faults import Failure, Rule, classify
from querymend.tools.engines.athena.hints import Told, hint, is_forbidden_column
from querymend.tools.engines.execution import Execution
from querymend.tools.errors import (
    AccessDenied,
    BrokenData,
    BudgetExceeded,
    EngineUnavailable,
    QueryError,
    QuerymendError,
    SetupError,
)

RAISED = (athena.Error, athena.Warning, aws.BotoCoreError, aws.ClientError)
"""What pyathena and botocore raise."""
LATER_SECONDS = 10.0
"""How long to wait for reserved capacity before the next try."""
_UNREACHED = (aws.HTTPClientError, aws.ConnectionError, aws.IncompleteReadError)
_NO_LOGIN = (
    aws.NoCredentialsError,
    aws.PartialCredentialsError,
    aws.CredentialRetrievalError,
    aws.TokenRetrievalError,
    aws.SSOError,
    aws.RefreshWithMFAUnsupportedError,
    aws.InfiniteLoopConfigError,
    aws.ConfigNotFound,
    aws.ProfileNotFound,
)
LOGIN = (
    "AWS takes no credentials from here: {text} Log in again (aws sso login), renew the keys, or"
    " name a profile or a role."
)


class LoginExpired(SetupError):
    """The credentials are missing or have expired; fresh ones may be there by now."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What is known of the statement that failed."""

    sql: str = ""
    """As it was given, before the normal form."""
    catalog: Catalog | None = None
    place: Callable[[tuple[int, int]], tuple[int, int]] = lambda at: at
    """From a place in the text that was sent to one in ``sql``."""


def translate(
    error: BaseException,
    *,
    statement: Statement | None = None,
    execution: Execution | None = None,
    reason: str = "",
) -> QuerymendError:
    """Return our error for one of theirs, cleaned, with what the server told of the statement.

    Args:
        error: what pyathena or botocore raised.
        statement: what was run.
        execution: its state on the server, where it got that far.
        reason: the state's own reason.
    """
    statement = statement or Statement()
    cause = error if isinstance(error, aws.ClientError | aws.BotoCoreError) else error.__cause__
    ours = _from_cause(cause, statement) or _from_state(error, statement, execution, reason)
    ours.execution = execution
    return ours


def _from_cause(cause: BaseException | None, statement: Statement) -> QuerymendError | None:
    """Judge a failed call of the API; None where the call went well and the query failed."""
    if isinstance(cause, aws.ClientError):
        return _judged(failure_of(cause), statement)
    if isinstance(cause, _NO_LOGIN):
        return LoginExpired(LOGIN.format(text=f"{clean(str(cause))}."), setting="AWS_PROFILE")
    if isinstance(cause, _UNREACHED):
        return EngineUnavailable(f"AWS was not reached: {clean(str(cause))}", retries=0)
    if isinstance(cause, aws.BotoCoreError):
        return SetupError(f"The AWS client is not set up right: {clean(str(cause))}")
    return None


def _from_state(
    error: BaseException, statement: Statement, execution: Execution | None, reason: str
) -> QuerymendError:
    if isinstance(error, athena.DataError):
        return QueryError(
            f"A value cannot be read: {clean(str(error), statement.sql, values=True)}",
            code="UNREADABLE_VALUE",
            hint="Convert times with a zone by AT TIME ZONE 'UTC', or CAST the column to varchar.",
        )
    if isinstance(error, athena.ProgrammingError | athena.InterfaceError):
        return SetupError(f"Athena's client is not set up right: {clean(str(error))}")
    ran = execution or Execution()
    failure = Failure(
        text=reason or str(error),
        state=ran.state,
        category=ran.error_category,
        type=ran.error_type,
        retryable=ran.retryable,
    )
    return _judged(failure, statement)


def failure_of(error: BaseException) -> Failure:
    """Read the API's code and message."""
    response = cast(Mapping[str, object], getattr(error, "response", {}) or {})
    told = cast(Mapping[str, object], response.get("Error") or {})
    code = str(response.get("AthenaErrorCode") or told.get("Code") or "")
    return Failure(text=str(told.get("Message") or error), api=code)


def _judged(failure: Failure, statement: Statement) -> QuerymendError:
    rule = classify(failure)
    return _MAKERS[rule.act](rule, failure, statement)


def _mend(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    told = Told(
        failure=failure, sql=statement.sql, catalog=statement.catalog, place=statement.place
    )
    if rule.name == "column" and (name := is_forbidden_column(told)):
        return AccessDenied(
            f"Athena does not let this role read the column {name}, which the catalog has."
        )
    masked = rule.name in ("run time", "type", "function")
    return QueryError(
        clean(failure.said, statement.sql, values=masked),
        code=failure.code or rule.name,
        position=told.position,
        hint=hint(rule.name, told),
    )


def _transient(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    """Tell how often the same text is worth another try; the client tried API calls already."""
    retries = 0 if failure.api else {"once": 1}.get(rule.act, 2)
    wait = LATER_SECONDS if rule.act == "later" else None
    return EngineUnavailable(
        f"Athena is busy or failed inside: {clean(failure.text)}", retries=retries, retry_after=wait
    )


def _denied(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    return AccessDenied(f"AWS does not allow it: {clean(failure.text)}")


def _stopped(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    return BudgetExceeded(f"The query was cancelled on the server: {clean(failure.text)}")


def _broken(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    return BrokenData(
        "The table's files or definition are at fault, and its owner must mend them:"
        f" {clean(failure.text, statement.sql, values=True)}"
    )


def _setup(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    setting = "QUERYMEND_ATHENA__" + ("WORKGROUP" if rule.name == "workgroup" else "OUTPUT")
    return SetupError(f"{clean(failure.text)} {_CURES[rule.name]}", setting=setting)


def _login(rule: Rule, failure: Failure, statement: Statement) -> QuerymendError:
    return LoginExpired(LOGIN.format(text=clean(failure.text)), setting="AWS_PROFILE")


_CURES = {
    "workgroup": "Name one that exists and that this role may use: ?workgroup=…",
    "results": "Give the workgroup a result location, or write ?output=s3://bucket/prefix/, or"
    " ?managed=true where the workgroup keeps results itself.",
}
_MAKERS: dict[str, Callable[[Rule, Failure, Statement], QuerymendError]] = {
    "mend": _mend,
    "again": _transient,
    "once": _transient,
    "later": _transient,
    "denied": _denied,
    "budget": _stopped,
    "broken": _broken,
    "setup": _setup,
    "login": _login,
}
