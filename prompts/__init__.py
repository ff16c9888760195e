"""Prompts: one Markdown file each, rendered by Jinja2.

A file has YAML front matter (``version``, ``inputs``), then a part headed ``## System`` and one
headed ``## User``. What is stable stands first in both, since model servers reuse the work done
for a beginning that they have seen.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml
from jinja2 import Environment, StrictUndefined
from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """A prompt ready to be sent."""

    system: str
    user: str
    fingerprint: str
    """Name, version and content of the template: ``generate@1-1a2b3c4d``."""


class _Header(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    version: int
    inputs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Template:
    header: _Header
    system: str
    user: str


def names() -> tuple[str, ...]:
    """Return the prompts' names."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(f.name[:-3] for f in files if f.name.endswith(".md")))


def render(name: str, **inputs: object) -> Rendered:
    """Fill in one prompt.

    Raises:
        ValueError: the inputs are not those that the file declares.
    """
    template = _load(name)
    if set(inputs) != set(template.header.inputs):
        wanted = ", ".join(template.header.inputs)
        raise ValueError(f"Prompt {name} takes {wanted}; given: {', '.join(inputs)}.")
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return Rendered(
        system=environment.from_string(template.system).render(inputs).strip(),
        user=environment.from_string(template.user).render(inputs).strip(),
        fingerprint=fingerprint(name),
    )


def fingerprint(name: str) -> str:
    """Return name, version and a hash of the template."""
    template = _load(name)
    digest = hashlib.sha256(f"{template.system}\n{template.user}".encode()).hexdigest()[:8]
    return f"{name}@{template.header.version}-{digest}"


def declared_inputs(name: str) -> tuple[str, ...]:
    """Return the inputs that a prompt's front matter declares."""
    return _load(name).header.inputs


def source(name: str) -> str:
    """Return a prompt's text without its front matter."""
    template = _load(name)
    return f"{template.system}\n{template.user}"


@cache
def _load(name: str) -> _Template:
    text = resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    system, user = body.split("## User\n", 1)
    return _Template(
        header=_Header.model_validate(yaml.safe_load(front)),
        system=system.replace("## System\n", "", 1).strip(),
        user=user.strip(),
    )
