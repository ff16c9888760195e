"""Trino's way to write what other systems have a function of another name for."""

from functools import cache
from importlib.resources import files

import yaml


def trinos_way(name: str) -> str | None:
    """Return what Trino writes for a function of another system, None where it is not known."""
    return _ways().get(name.lower())


@cache
def _ways() -> dict[str, str]:
    text = files("querymend.tools.sql.types").joinpath("foreign.yaml").read_text("utf-8")
    return {str(name): str(way) for name, way in yaml.safe_load(text).items()}
