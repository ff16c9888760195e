"""Casts that give the same value in both engines, or fail in one and never pass in silence."""

import re

from sqlglot import exp

from querymend.tools.sql.translate.known import untold
from querymend.tools.sql.types.model import INTEGERS, TEXTS, UNKNOWN, TrinoType

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?")
_MILLIS = 3
_TO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(INTEGERS, (*INTEGERS, "decimal", "real", "double", "varchar", "boolean")),
    "decimal": (*INTEGERS, "decimal", "real", "double", "varchar"),
    "real": ("real", "double"),
    "double": ("double",),
    "boolean": ("boolean", *INTEGERS, "varchar"),
    **dict.fromkeys(TEXTS, (*INTEGERS, "varchar", "date", "timestamp", "double")),
    "date": ("date", "timestamp", "varchar"),
    "timestamp": ("date", "timestamp"),
}
"""Floating point is rounded and written in other ways: no cast of it to a whole number or text."""


def hold_cast(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> None:
    """Raise ``Untranslatable`` unless a cast gives in Athena what it gives in DuckDB."""
    if given == UNKNOWN:
        return
    is_known = wanted.base in _TO.get(given.base, ())
    # DuckDB keeps no length of a text; it tries '1.5' as a whole number, which Athena does not.
    is_odd = bool(wanted.base in TEXTS and wanted.sizes)
    is_odd |= isinstance(node, exp.TryCast) and given.base in TEXTS
    if not is_known or is_odd or not _same_moment(node.this, given, wanted):
        raise untold(node)


def _same_moment(inner: exp.Expr, given: TrinoType, wanted: TrinoType) -> bool:
    """Tell whether no digit of an instant gets lost: Athena's TIMESTAMP has milliseconds."""
    if wanted.base == "timestamp" and given.base == "timestamp":
        return given.precision <= wanted.precision
    if given.base not in TEXTS or wanted.base not in ("date", "timestamp"):
        return True
    if not isinstance(inner, exp.Literal):
        return wanted.base == "date"
    form = _DATE if wanted.base == "date" else _STAMP
    return form.fullmatch(inner.name) is not None


def as_type(node: exp.Expr, kind: str) -> exp.Cast:
    """Return a copy of the node, cast."""
    inner = node.this if isinstance(node, exp.Paren) else node
    return exp.Cast(this=inner.copy(), to=exp.DataType.build(kind, dialect="trino"))
