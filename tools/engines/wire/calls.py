"""One HTTP request read as a call of an AWS service, and errors in that service's form."""

import io
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from querymend.tools.engines.wire.failures import Refusal

_SIGNED = re.compile(r"Credential=([^/]+)/[^/]+/[^/]+/([^/]+)/")
_JSON = {"AmazonAthena": "athena", "AWSGlue": "glue"}
Headers = list[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call."""

    service: str
    """``athena``, ``glue``, ``s3``, ``sts`` …"""
    operation: str
    """``StartQueryExecution``; for S3 the method and the path."""
    access_key: str = ""
    fields: dict[str, object] = field(default_factory=dict)
    """What was sent, for Athena and Glue."""

    @property
    def sql(self) -> str:
        """The query's text, where the call has one."""
        return str(self.fields.get("QueryString", ""))


def call_of(environ: dict[str, Any]) -> Call:
    """Read a request; its body can be read again by whoever answers it."""
    key, service = _signed(environ)
    body = _body(environ)
    prefix, _, operation = str(environ.get("HTTP_X_AMZ_TARGET", "")).rpartition(".")
    if prefix in _JSON:
        fields = json.loads(body or b"{}")
        return Call(service=_JSON[prefix], operation=operation, access_key=key, fields=fields)
    action = parse_qs(body.decode("utf-8", "replace")).get("Action", [""])[0] if body else ""
    if service == "sts" and action:
        return Call(service=service, operation=action, access_key=key)
    path = f"{environ.get('REQUEST_METHOD', '')} {environ.get('PATH_INFO', '')}"
    return Call(service=service or "s3", operation=path, access_key=key)


def _signed(environ: dict[str, Any]) -> tuple[str, str]:
    found = _SIGNED.search(str(environ.get("HTTP_AUTHORIZATION", "")))
    return (found[1], found[2]) if found else ("", "")


def _body(environ: dict[str, Any]) -> bytes:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if not length:
        return b""
    body: bytes = environ["wsgi.input"].read(length)
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def refused_answer(call: Call, refused: Refusal) -> tuple[str, Headers, bytes]:
    """Return status, headers and body of an error, in the form that the service uses."""
    if call.service in _JSON.values():
        content, kind = _json(refused), "application/x-amz-json-1.1"
    else:
        content, kind = _xml(call, refused), "text/xml"
    headers = [
        ("Content-Type", kind),
        ("Content-Length", str(len(content))),
        ("x-amzn-ErrorType", refused.code),
    ]
    return f"{refused.status} Error", headers, content


def _json(refused: Refusal) -> bytes:
    body = {"__type": refused.code, "Message": str(refused), "message": str(refused)}
    return json.dumps({**body, **refused.fields}).encode()


def _xml(call: Call, refused: Refusal) -> bytes:
    from xml.sax.saxutils import escape

    code = refused.code.removesuffix("Exception")
    told = f"<Code>{code}</Code><Message>{escape(str(refused))}</Message>"
    if call.service == "s3":
        return f"<Error>{told}</Error>".encode()
    return f"<ErrorResponse><Error><Type>Sender</Type>{told}</Error></ErrorResponse>".encode()
