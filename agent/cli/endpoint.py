"""Which model will see the data, told from the settings alone: before anything heavy loads."""

from querymend.settings import Settings


def endpoint_line(settings: Settings) -> str:
    """Return the first line of ``ask``: who sees the question, the schema and sample rows."""
    return f"Model: {endpoint_of(settings)}"


def endpoint_of(settings: Settings) -> str:
    """Name the endpoint and the model."""
    model = settings.model
    if not model.base_url:
        return "local model (in this process; nothing leaves this machine)"
    return f"{model.base_url}, model {model.name or 'of its choice'} (sees schema and sample rows)"
