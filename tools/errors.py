"""The exception tree, sorted by who must act.

::

    QuerymendError
    ├── QueryError          the SQL is at fault: the loop repairs it
    ├── Unavailable         transient: retried as it is
    │   ├── EngineUnavailable
    │   └── ModelUnavailable
    ├── Final               nothing to retry: the user is told
    │   ├── AccessDenied
    │   └── BudgetExceeded
    └── SetupError          the developer acts; names the setting
"""


class QuerymendError(Exception):
    """Anything that QueryMend raises on purpose."""


class QueryError(QuerymendError):
    """The SQL is at fault, so another text may succeed.

    Attributes:
        code: the engine's own name of the fault, e.g. ``BinderException``.
        position: 1-based line and column, where the engine told one.
    """

    def __init__(
        self, message: str, *, code: str = "", position: tuple[int, int] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


class Unavailable(QuerymendError):
    """Something outside is briefly not there; the same call may succeed later.

    Attributes:
        retry_after: seconds that the other side asked to wait, where it did.
    """

    def __init__(self, message: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


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


class SetupError(QuerymendError):
    """The developer must act.

    Attributes:
        setting: the setting that cures it, e.g. ``QUERYMEND_MODEL__BASE_URL``; empty if none does.
    """

    def __init__(self, message: str, *, setting: str = "") -> None:
        super().__init__(message)
        self.setting = setting
