"""How Athena says no: refused calls and failed queries, with its texts, codes and error types.

Texts and types are those of the AWS documentation and of users' reports; what a failed query says
of names, types and grouping is Trino's own text, with the code before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from querymend.tools.engines.wire.faults import Fault

SYSTEM, USER, OTHER = 1, 2, 3
"""AthenaError's ErrorCategory."""
CUTOFF_TEXT = "Bytes scanned limit was exceeded"
STOPPED_TEXT = "Query cancelled by user"
EXHAUSTED_TEXT = "Query exhausted resources at this scale factor"
CONCURRENCY_TEXT = (
    "You have exceeded the limit for the number of queries you can run concurrently. Reduce the"
    " number of concurrent queries submitted by this account. Contact customer support to request"
    " a concurrent query limit increase."
)


class Refusal(Exception):
    """An API call is answered with an error; no query comes of it.

    Attributes:
        code: the exception's name: ``InvalidRequestException``.
        fields: what else the answer's body holds, e.g. ``AthenaErrorCode``.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "InvalidRequestException",
        status: int = 400,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.fields = dict(fields or {})


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a query ended in FAILED or CANCELLED."""

    text: str
    category: int = USER
    type: int = 1006
    retryable: bool = False
    cancelled: bool = False
    """Ends in CANCELLED instead of FAILED."""

    def error(self) -> dict[str, object]:
        """Return the AthenaError of GetQueryExecution."""
        return {
            "ErrorCategory": self.category,
            "ErrorType": self.type,
            "Retryable": self.retryable,
            "ErrorMessage": self.text,
        }


def malformed(text: str) -> Refusal:
    """Refuse a text that is no statement."""
    return Refusal(text, fields={"AthenaErrorCode": "MALFORMED_QUERY"})


def not_given(key: str) -> Failure:
    """Refuse a query that does not give the values of an injected partition key."""
    return Failure(
        text="CONSTRAINT_VIOLATION: For the injected projected partition column"
        f" {key}, the WHERE clause must contain only static equality conditions, and at least one"
        " such condition must be present."
    )


def refusal(fault: Fault) -> Refusal:
    """Return the answer of a call that this fault befalls."""
    code, text, fields = _CALLS[fault.kind]
    status = 500 if fault.kind == "internal" else 400
    return Refusal(fault.text or text, code=code, fields=fields, status=status)


def failure(fault: Fault) -> Failure:
    """Return the end of a query that this fault befalls."""
    usual = _QUERIES[fault.kind]
    return replace(
        usual,
        text=fault.text or usual.text,
        type=usual.type if fault.type is None else fault.type,
        retryable=usual.retryable if fault.retryable is None else fault.retryable,
    )


_CALLS: dict[str, tuple[str, str, dict[str, str]]] = {
    "throttle": ("ThrottlingException", "Rate exceeded", {}),
    "too_many": ("TooManyRequestsException", "Rate exceeded", {}),
    "concurrency": (
        "TooManyRequestsException",
        CONCURRENCY_TEXT,
        {"Reason": "CONCURRENT_QUERY_LIMIT_EXCEEDED"},
    ),
    "expired": (
        "ExpiredTokenException",
        "The security token included in the request is expired",
        {},
    ),
    "invalid_token": (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
        {},
    ),
    "access_denied": (
        "AccessDeniedException",
        "You are not authorized to perform this action on the resource",
        {},
    ),
    "internal": ("InternalServerException", "Internal service error", {}),
}
CUTOFF = Failure(text=CUTOFF_TEXT, type=1008, cancelled=True)
STOPPED = Failure(text=STOPPED_TEXT, type=1014, cancelled=True)
_QUERIES: dict[str, Failure] = {
    "exhausted": Failure(text=EXHAUSTED_TEXT, type=0),
    "timeout": Failure(text="Query timeout", category=SYSTEM, type=210),
    "permission": Failure(
        text="Insufficient permissions to execute the query. User is not authorized to perform:"
        " glue:GetTable",
        type=1500,
    ),
    "lake_formation": Failure(
        text="Insufficient Lake Formation permission(s): Required Select on table", type=1501
    ),
    "internal_query": Failure(
        text="INTERNAL_ERROR_QUERY_ENGINE", category=SYSTEM, type=233, retryable=True
    ),
    "slow_down": Failure(
        text="HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split: Please reduce your request rate."
        " (Service: Amazon S3; Status Code: 503; Error Code: SlowDown)",
        type=1400,
        retryable=True,
    ),
    "moving_files": Failure(
        text="HIVE_CURSOR_ERROR: The specified key does not exist."
        " (Service: Amazon S3; Status Code: 404; Error Code: NoSuchKey)",
        type=1003,
    ),
    "bad_data": Failure(
        text="HIVE_BAD_DATA: Field price's type BINARY in parquet file is incompatible with type"
        " double",
        type=1001,
    ),
    "cutoff": CUTOFF,
    "cancelled": Failure(text="Query cancelled", type=1011, cancelled=True),
    "fail": Failure(text="GENERIC_INTERNAL_ERROR: unexpected", category=SYSTEM, type=100),
}
