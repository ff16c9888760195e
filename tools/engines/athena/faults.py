"""What a failure of Athena means, and who must act: one table, first match wins.

Sources: Athena's error reference (categories and types), Trino's StandardErrorCode and
HiveErrorCode, and the texts that people met. A state's ``retryable`` decides only where the table
does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Act = Literal["mend", "again", "once", "later", "denied", "budget", "broken", "setup", "login"]
"""mend: the model writes another text. again, once, later: the same text, after a while. denied,
budget, broken: final. setup: the developer acts. login: fresh credentials once, then the developer.
"""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What is known of one failure."""

    text: str
    """The state's reason, or the API's message."""
    api: str = ""
    """The API's error code: ``ThrottlingException``; empty where a state failed."""
    state: str = ""
    category: int | None = None
    """1 system, 2 user, 3 other."""
    type: int | None = None
    retryable: bool | None = None

    @property
    def code(self) -> str:
        """Trino's name of the fault, or the API's: ``COLUMN_NOT_FOUND``."""
        found = _CODE.match(self.text)
        return found[1] if found else self.api

    @property
    def said(self) -> str:
        """The text without the code and the place before it, which are told apart."""
        return _BEFORE.sub("", self.text) or self.text

    @property
    def own_words(self) -> str:
        """The text without what it quotes: names and values are the statement's or the data's."""
        return _QUOTED.sub("'…'", self.text)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One row of the table."""

    name: str
    act: Act
    text: re.Pattern[str] | None = None
    api: frozenset[str] = frozenset()
    types: frozenset[int] = frozenset()
    states: frozenset[str] = frozenset()
    """With any, only a statement in one of these states."""

    def fits(self, failure: Failure) -> bool:
        """Tell whether the failure is of this row."""
        if self.states and failure.state not in self.states:
            return False
        if failure.api in self.api or (failure.type in self.types and failure.type is not None):
            return True
        return self.text is not None and self.text.search(failure.own_words) is not None

    def decides(self, code: str) -> bool:
        """Tell whether Trino's name alone makes a failure one of this row."""
        return self.act == "mend" and self.text is not None and self.text.search(code) is not None


def classify(failure: Failure) -> Rule:
    """Return the row of a failure; one that fits nowhere is judged by its flags.

    Where Trino names a fault of the SQL or of its values, the name decides: what follows it holds
    texts of the statement and of the data, which may read like any other failure.
    """
    code = failure.code
    told = code in _WIDE or failure.type in _DENIED
    named = () if told else (r for r in RULES if r.decides(code))
    fitting = (r for r in RULES if r.fits(failure))
    return next(chain(named, fitting), None) or _by_flags(failure)


def _by_flags(failure: Failure) -> Rule:
    if failure.retryable or failure.category == 1:
        return Rule(name="internal", act="again")
    return Rule(name="unknown", act="mend")


def _rule(
    name: str,
    act: Act,
    text: str = "",
    *,
    api: Iterable[str] = (),
    types: Iterable[int] = (),
    states: Iterable[str] = (),
) -> Rule:
    return Rule(
        name=name,
        act=act,
        text=re.compile(text, re.IGNORECASE) if text else None,
        api=frozenset(api),
        types=frozenset(types),
        states=frozenset(states),
    )


_CODE = re.compile(r"\s*([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b")
_BEFORE = re.compile(r"\s*(?:[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+:\s+|line \d+:\d+:\s+)+")
_QUOTED = re.compile(r"(?<!\w)'(?:[^']|'')*'")
_WIDE = frozenset(("SYNTAX_ERROR", "GENERIC_USER_ERROR", "QUERY_REJECTED"))
"""Names that older engines and Athena itself give to faults of several kinds: the text decides."""
_DENIED = (1500, 1501, 234)
_THROTTLES = (
    "ThrottlingException",
    "Throttling",
    "TooManyRequestsException",
    "RequestLimitExceeded",
    "SlowDown",
    "ProvisionedThroughputExceededException",
)
_KEYS = (
    "ExpiredTokenException",
    "ExpiredToken",
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
    "IncompleteSignature",
    "MissingAuthenticationToken",
)
RULES: tuple[Rule, ...] = (
    _rule("credentials", "login", r"security token .* (expired|invalid)", api=_KEYS),
    _rule(
        "permission",
        "denied",
        r"insufficient permissions|insufficient lake formation|permission_denied|access denied"
        r"|accessdenied|is not authorized to perform|kms.*(denied|disabled|not authorized)"
        r"|cannot select from columns",
        api=("AccessDeniedException", "AccessDenied", "UnauthorizedException", "KMSAccessDenied"),
        types=_DENIED,
    ),
    _rule(
        "results",
        "setup",
        r"unable to verify/create output bucket|no output location|output location"
        r"|result ?configuration|invalid s3 (folder|location)",
        types=(401, 402, 1306, 238),
    ),
    _rule("workgroup", "setup", r"work ?group .*(is not found|not exist|is disabled|not enabled)"),
    _rule("cutoff", "mend", r"bytes.?scanned.*(limit|cutoff|exceed)|exceed\w*.*bytes.?scanned"),
    _rule("cancelled", "budget", types=(1011, 1014)),
    _rule("cancelled", "budget", r"^", states=("CANCELLED",)),
    _rule(
        "resources",
        "mend",
        r"exhausted resources|exceeded_\w*memory_limit|cluster_out_of_memory",
        types=range(9),
    ),
    _rule("time", "mend", r"query timed? ?out|exceeded_time_limit", types=(206, 210)),
    _rule(
        "throttling",
        "again",
        r"rate exceeded|slow ?down|reduce your request rate|throttl",
        api=_THROTTLES,
        types=range(1400, 1407),
    ),
    _rule("capacity", "later", r"reserved capacity limit|queue (is )?too long", types=(1602,)),
    _rule(
        "moving files",
        "once",
        r"hive_file_not_found|hive_partition_dropped_during_query|iceberg_(commit|missing)\w*"
        r"|hive_cursor_error.*specified key does not exist|incorrect filesize",
    ),
    _rule(
        "data",
        "broken",
        r"hive_(bad_data|cursor_error|partition_schema_mismatch|invalid_metadata"
        r"|unsupported_format|serde_not_found|metastore_error|unknown_error|filesystem_error)"
        r"|invalid_view|view_is_stale|view .* is stale",
        types=(*range(1001, 1006), 1007, 1107),
    ),
    _rule(
        "partition",
        "mend",
        r"injected projected partition column|constraint_violation",
    ),
    _rule(
        "function",
        "mend",
        r"function_not_found|function '?\S+'? not registered|unexpected parameters \("
        r"|invalid_function_argument|too_many_arguments|function_implementation_missing",
        types=(1303, 1106),
    ),
    _rule(
        "column",
        "mend",
        r"column_not_found|invalid_column_reference|ambiguous_name|mismatched_column_aliases"
        r"|column \S+ (cannot be resolved|is ambiguous)|column_type_unknown",
    ),
    _rule(
        "table",
        "mend",
        r"(table|schema|catalog)_not_found|(table|schema|catalog) \S+ does not exist"
        r"|missing_(schema|catalog|table)_name",
        types=(1110, 1301),
    ),
    _rule(
        "grouping",
        "mend",
        r"expression_not_(aggregate|scalar|in_distinct)|nested_(aggregation|window)"
        r"|missing_(group_by|order_by|over)|function_not_(window|aggregate)"
        r"|must be an aggregate expression or appear in group by",
    ),
    _rule(
        "run time",
        "mend",
        r"division_by_zero|division by zero|numeric_value_out_of_range|subquery_multiple_rows"
        r"|key not present in map|array subscript|scalar sub-?query has returned multiple rows",
    ),
    _rule(
        "type",
        "mend",
        r"type_mismatch|operator_not_found|invalid_literal|invalid_cast_argument"
        r"|cannot apply operator|cannot be cast to|cannot cast",
    ),
    _rule(
        "limit of the engine",
        "mend",
        r"query_rejected|not_supported|unsupported_subquery|query_has_too_many_stages"
        r"|query_text_too_large|given correlated subquery is not supported",
        types=(1008, 1200, 1201, 1202),
    ),
    _rule(
        "syntax",
        "mend",
        r"syntax_error|mismatched input|extraneous input|no viable alternative"
        r"|only one sql statement|^(queryexecution.*)?line \d+:\d+",
        api=("MALFORMED_QUERY",),
        types=(1006,),
    ),
    _rule("internal", "once", r"generic_internal_error.*(value|type|compil)"),
    _rule(
        "internal",
        "again",
        r"generic_internal_error|internal_error_query_engine|too many errors talking to a worker"
        r"|remote_(task|host)_\w+|no_nodes_available|page_transport_\w+|server_\w+ing_up"
        r"|server_shutting_down",
        api=(
            "InternalServerException",
            "InternalServerError",
            "InternalFailure",
            "ServiceUnavailable",
            "ServiceUnavailableException",
        ),
        types=(
            100,
            *range(200, 206),
            207,
            208,
            *range(211, 233),
            235,
            236,
            *range(300, 304),
            400,
            9999,
        ),
    ),
)
"""A narrow row stands before a wide one."""
