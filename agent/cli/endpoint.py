"""Which model will see the data, told from the settings alone: before anything heavy loads."""

from urllib.parse import urlsplit

from querymend.settings import Settings


def endpoint_line(settings: Settings) -> str:
    """Return the first line of ``ask``: who sees the question, the schema and sample rows."""
    return f"Model: {endpoint_of(settings)}"


def endpoint_of(settings: Settings) -> str:
    """Name the endpoint and the model."""
    model = settings.model
    if not model.base_url:
        return "local model (in this process; nothing leaves this machine)"
    return f"{plain_url(model.base_url)}, model {model.name} (sees schema and sample rows)"


def plain_url(url: str) -> str:
    """Return a URL without user, password and query, which may hold keys."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
