"""Glue's pages: moto gives every table at once, Glue gives a hundred and a token."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from querymend.tools.engines.wire import requests
from querymend.tools.engines.wire.calls import Call

MOST = 100
"""What Glue gives at most of tables and databases; of partitions it gives more."""
LISTS = {
    "GetDatabases": ("DatabaseList", MOST),
    "GetTables": ("TableList", MOST),
    "GetPartitions": ("Partitions", 1_000),
}
Answer = Callable[[dict[str, Any], Any], Iterable[bytes]]


def is_paged(call: Call) -> bool:
    """Tell whether Glue answers this call in pages."""
    return call.service == "glue" and call.operation in LISTS


def paged(call: Call, whole: Answer, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
    """Let ``whole`` answer (WSGI), and pass on the page that was asked for.

    Raises:
        Refusal: the token or the size is none that Glue takes.
    """
    begun: list[tuple[str, list[tuple[str, str]]]] = []
    body = b"".join(whole(environ, lambda status, headers, *_: begun.append((status, headers))))
    status, headers = begun[0]
    if status.startswith("200"):
        body = json.dumps(_page(call, json.loads(body))).encode()
    kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
    start(status, [*kept, ("Content-Length", str(len(body)))])
    return [body]


def _page(call: Call, answer: dict[str, Any]) -> dict[str, Any]:
    name, most = LISTS[call.operation]
    entries = answer.get(name, [])
    begin, end, token = requests.page(call.fields, len(entries), most=most)
    page = {**answer, name: entries[begin:end]}
    return {**page, "NextToken": token} if token else page
