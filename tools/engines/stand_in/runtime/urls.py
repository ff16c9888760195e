"""Trino's functions on URLs, as Java reads them."""

import re
from urllib.parse import quote_plus, unquote_plus, urlsplit

from querymend.tools.engines.stand_in.runtime.scalar import Scalar, scalar

_URL = re.compile(r"""[^\s<>"{}|\\^`]*""")


def _url_part(url: str, part: str) -> str | None:
    if not _URL.fullmatch(url):
        return None
    try:
        found = urlsplit(url)
        port = found.port
    except ValueError:
        return None
    if part == "port":
        return str(port) if port is not None else None
    values = {
        "host": _host(found.netloc),
        "path": _unquote(found.path),
        "query": _unquote(found.query),
        "protocol": found.scheme,
        "fragment": _unquote(found.fragment),
    }
    return values[part]


def _host(netloc: str) -> str:
    return netloc.rpartition("@")[2].partition(":")[0]


def _unquote(text: str) -> str:
    """Decode ``%20`` but not ``+``."""
    return unquote_plus(text.replace("+", "%2B"))


def _url_parameter(url: str, name: str) -> str | None:
    if not _URL.fullmatch(url):
        return None
    for pair in urlsplit(url).query.split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            return unquote_plus(value)
    return None


def _url_encode(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _url_decode(text: str) -> str:
    return unquote_plus(text)


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("url_part", "VARCHAR VARCHAR", "VARCHAR", _url_part),
    scalar("url_parameter", "VARCHAR VARCHAR", "VARCHAR", _url_parameter),
    scalar("url_encode", "VARCHAR", "VARCHAR", _url_encode),
    scalar("url_decode", "VARCHAR", "VARCHAR", _url_decode),
)
