"""Athena's texts made fit to show: no ARNs, accounts, addresses of files, values or request ids."""

import re

LONGEST = 500
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ARN = re.compile(r"arn:aws[\w-]*:[^\s'\"),]*[^\s'\"),.]")
_S3 = re.compile(r"s3[an]?://[^\s'\"),]+")
_ACCOUNT = re.compile(r"(?<!\d)\d{12}(?!\d)")
_REQUEST = re.compile(
    r"\s*\((?:Service|Request ID|S3 Extended Request ID|Proxy)[^()]*\)"
    r"|\s*\[?(?:request|query) ?id:? ?[\w-]{8,}\]?",
    re.IGNORECASE,
)
_CALL = re.compile(r"An error occurred \(\w+\) when calling the \w+ operation(?: \([^)]*\))?: ")
_QUOTED = re.compile(r"'(?:[^']|'')*'")


def clean(text: str, sql: str = "", *, values: bool = False) -> str:
    """Return a text without what names accounts, files or people, in 500 characters at most.

    Args:
        text: what AWS said.
        sql: the statement it is about.
        values: mask quoted values that are not in ``sql``: they come from the data.
    """
    text = _CALL.sub("", _ANSI.sub("", text))
    for secret, shown in ((_REQUEST, ""), (_ARN, "(arn)"), (_S3, "(s3)"), (_ACCOUNT, "(account)")):
        text = secret.sub(shown, text)
    if values:
        known = sql.lower()  # Athena spells names in lower case
        text = _QUOTED.sub(lambda m: m[0] if m[0].strip("'").lower() in known else "'…'", text)
    text = text.strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
