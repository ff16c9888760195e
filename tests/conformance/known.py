"""The differences that are known: ``known.yaml``, which is also the table of the documentation."""

from pathlib import Path

import yaml


def known_differences(part: str = "different") -> dict[str, str]:
    """Return statement → what differs: ``different`` (the stand-in's result) or ``checks``."""
    text = (Path(__file__).parent / "known.yaml").read_text(encoding="utf-8")
    return {entry["sql"]: entry["why"] for entry in yaml.safe_load(text)[part] or ()}
