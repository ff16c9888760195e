"""Result sizes that Trino computes by formulas which its list of functions does not tell."""

from collections.abc import Callable
from typing import Protocol

from querymend.tools.sql.types.model import ZONED, TrinoType, decimal, varchar
from querymend.tools.sql.types.operators import arithmetic

_MOST = 2**31 - 1
_Arguments = tuple[TrinoType, ...]


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def _whole(given: _Arguments) -> TrinoType:
    p, s = given[0].precision, given[0].scale
    return decimal(p - s + min(s, 1), 0)


def _round(given: _Arguments) -> TrinoType:
    if len(given) == 1:
        return _whole(given)
    return decimal(given[0].precision + 1, given[0].scale)


def _truncate(given: _Arguments) -> TrinoType:
    p, s = given[0].precision, given[0].scale
    return decimal(max(p - s, 1), 0) if len(given) == 1 else given[0]


def _mod(given: _Arguments) -> TrinoType | None:
    return arithmetic("%", given[0], given[1])


_DECIMALS: dict[str, Callable[[_Arguments], TrinoType | None]] = {
    "ceil": _whole,
    "ceiling": _whole,
    "floor": _whole,
    "round": _round,
    "truncate": _truncate,
    "mod": _mod,
}


def _replace(given: _Arguments) -> TrinoType | None:
    if len(given) == 2:
        return given[0]
    x, z = given[0].precision, given[2].precision
    return varchar(min(_MOST, x + z * (x + 1)))


def _regexp_replace(given: _Arguments) -> TrinoType | None:
    if len(given) == 2:
        return given[0]
    x, y = given[0].precision, given[2].precision
    return varchar(min(_MOST, x + max(x * y // 2, y) * (x + 1)))


def _url_encode(given: _Arguments) -> TrinoType:
    return varchar(min(_MOST, given[0].precision * 12))


_TEXTS: dict[str, Callable[[_Arguments], TrinoType | None]] = {
    "replace": _replace,
    "regexp_replace": _regexp_replace,
    "url_encode": _url_encode,
}


def _iso(moment: TrinoType) -> TrinoType:
    digits = moment.precision + 1 if moment.precision else 0
    return varchar((28 if moment.base.endswith(ZONED) else 22) + digits)


def result_sizes(signature: _Named, arguments: _Arguments) -> TrinoType | None:
    """Return a result whose size is a formula of the arguments'; None for all others."""
    first = arguments[0] if arguments else None
    if first is None:
        return None
    if signature.name == "to_iso8601" and first.base.startswith("timestamp"):
        return _iso(first)
    if first.base == "decimal" and signature.name in _DECIMALS:
        return _DECIMALS[signature.name](arguments)
    texts = all(a.base == "varchar" and a.sizes for a in (first, *arguments[2:]))
    return _TEXTS[signature.name](arguments) if texts and signature.name in _TEXTS else None
