"""Trino's functions between bytes and texts."""

from querymend.tools.engines.stand_in.runtime.scalar import Scalar, invalid, scalar

_UNKNOWN = "\ufffd"


def _from_utf8(held: bytes, instead: str) -> str:
    """Read UTF-8; every byte that is none becomes the given text."""
    if len(instead) > 1:
        raise invalid("Replacement character string must empty or a single character")
    return held.decode("utf-8", "replace").replace(_UNKNOWN, instead)


FUNCTIONS: tuple[Scalar, ...] = (scalar("from_utf8", "BLOB VARCHAR", "VARCHAR", _from_utf8),)
