"""Build the LangChain client so that its arguments alone decide what is sent; read its faults."""

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from querymend.model.faults import Fault

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_CONNECT_SECONDS = 10.0
_SENT = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-length", "content-type"}
    | {"user-agent"}
)


def chat_model(
    *,
    base_url: str,
    name: str,
    api_key: str,
    headers: Mapping[str, str],
    query: Mapping[str, str],
    temperature: float,
    seed: int | None,
    max_tokens: int,
    stop: tuple[str, ...],
    body: Mapping[str, object],
) -> "ChatOpenAI":
    """Build a chat model that retries nothing, follows no redirect and reads no environment."""
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    given = {**headers, **({"Authorization": f"Bearer {api_key}"} if api_key else {})}
    sync_client, async_client = _http_clients(base_url, given)
    return ChatOpenAI(
        base_url=base_url,
        model=name,
        # An empty key would make the library look for one in the environment.
        api_key=SecretStr(api_key or "none"),
        default_query=dict(query) or None,
        http_client=sync_client,
        http_async_client=async_client,
        openai_proxy=None,
        temperature=temperature,
        seed=seed,
        max_completion_tokens=max_tokens,
        stop_sequences=list(stop) or None,
        extra_body=dict(body) or None,
        max_retries=0,
        timeout=None,
        stream_chunk_timeout=None,
        use_responses_api=False,
        output_version="v0",
        cache=False,
    )


def _http_clients(base_url: str, given: Mapping[str, str]) -> tuple[Any, Any]:
    """Build the two HTTP clients; the last thing each does to a request is to strip it.

    The OpenAI library adds headers from ``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID`` and
    ``OPENAI_CUSTOM_HEADERS``; none of them is the user's decision about QueryMend.
    """
    import openai

    def strip(request: Any) -> None:
        for header in set(request.headers) - _SENT:
            del request.headers[header]
        request.headers.update(given)

    async def strip_async(request: Any) -> None:
        strip(request)

    common: dict[str, Any] = {
        "timeout": openai.Timeout(None, connect=_CONNECT_SECONDS),
        "follow_redirects": False,
        "trust_env": not _on_this_machine(base_url),
    }
    return (
        openai.DefaultHttpxClient(event_hooks={"request": [strip]}, **common),
        openai.DefaultAsyncHttpxClient(event_hooks={"request": [strip_async]}, **common),
    )


def _on_this_machine(base_url: str) -> bool:
    """Tell whether the address is loopback, which no proxy of the environment can reach."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def fault_of(error: BaseException, *, secrets: tuple[str, ...] = ()) -> Fault | None:
    """Read a client's exception as a fault of the endpoint; None if it is a fault of ours.

    Covers what the OpenAI library raises, what its HTTP library raises in mid-stream, and the
    ``ValueError`` of an answer that is no JSON or holds nothing.
    """
    import openai

    of_http = type(error).__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore"}
    if not isinstance(error, openai.OpenAIError | ValueError | OSError) and not of_http:
        return None
    response = getattr(error, "response", None)
    return Fault(
        text=str(error),
        kind=type(error).__name__,
        status=getattr(error, "status_code", None),
        code=str(getattr(error, "code", "") or getattr(error, "type", "") or ""),
        retry_after=response.headers.get("retry-after", "") if response is not None else "",
        secrets=secrets,
    )
