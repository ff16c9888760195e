"""The exception tree, sorted by who must act.

::

    QuerymendError
    ├── QueryError          the SQL is at fault: the loop repairs it
    ├── Unavailable         transient: retried as it is
    │   ├── EngineUnavailable
    │   └── ModelUnavailable
    ├── Final               nothing to retry: the user is told
    │   ├── AccessDenied
    │   ├── BudgetExceeded
    │   └── BrokenData
    └── SetupError          the developer acts; names the setting
"""

from querymend.tools.engines.execution import Execution


class QuerymendError(Exception):
    """Anything that QueryMend raises on purpose.

    Attributes:
        execution: what the engine told of the statement that failed, where it ran on a server.
    """

    execution: Execution | None = None


class QueryError(QuerymendError):
    """The SQL is at fault, so another text may succeed.

    Attributes:
        code: the engine's own name of the fault, e.g. ``BinderException``.
        position: 1-based line and column, where the engine told one.
        hint: what to do about it, for whoever writes the next text.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        position: tuple[int, int] | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.position = position
        self.hint = hint


class Unavailable(QuerymendError):
    """Something outside is briefly not there; the same call may succeed later.

    Attributes:
        retry_after: seconds that the other side asked to wait, where it did.
        retries: how often the same call is worth repeating, where less than the caller would;
            0 where a layer beneath has repeated it already.
    """

    def __init__(
        self, message: str = "", *, retry_after: float | None = None, retries: int | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.retries = retries


class EngineUnavailable(Unavailable):
    """The engine is throttled, restarting or unreachable."""


class ModelUnavailable(Unavailable):
    """The model's endpoint refused, failed or timed out."""


class Final(QuerymendError):
    """No retry and no other SQL helps."""


class AccessDenied(Final):
    """The caller, or the role in use, may not read this."""


class BudgetExceeded(Final):
    """The question's budget is spent: seconds, bytes or model calls."""


class BrokenData(Final):
    """The data themselves cannot be read: their owner must act."""


class SetupError(QuerymendError):
    """The developer must act.

    Attributes:
        setting: the setting that cures it, e.g. ``QUERYMEND_MODEL__BASE_URL``; empty if none does.
    """

    def __init__(self, message: str, *, setting: str = "") -> None:
        super().__init__(message)
        self.setting = setting
