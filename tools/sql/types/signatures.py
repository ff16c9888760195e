"""Trino's functions by overload, and which of them a call means."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from querymend.tools.sql.types.coercion import coerces, common_type
from querymend.tools.sql.types.model import UNKNOWN, VARCHAR, TrinoType
from querymend.tools.sql.types.operators import can_compare
from querymend.tools.sql.types.results import result_sizes
from querymend.tools.sql.types.spelling import read_type

Bound = dict[str, TrinoType | None]


@dataclass(frozen=True, kw_only=True)
class Signature:
    """One overload: ``date_diff(varchar(x), date, date) -> bigint``."""

    name: str
    arguments: tuple[TrinoType, ...]
    result: TrinoType
    kind: str
    """``scalar``, ``aggregate`` or ``window``."""
    repeats: bool = False
    """Whether there may be more of the last argument."""
    ordered: frozenset[str] = frozenset()
    """The letters whose types must have an order."""

    def __str__(self) -> str:
        """Spell it as Trino does when it says what it expected."""
        more = ", …" if self.repeats else ""
        return f"{self.name}({', '.join(map(str, self.arguments))}{more})"

    def takes(self, count: int) -> bool:
        """Tell whether it may be called with so many arguments."""
        return count == len(self.arguments) or (self.repeats and count >= len(self.arguments))

    def expected(self, count: int) -> tuple[TrinoType, ...]:
        """Return its arguments for a call with so many."""
        return self.arguments + self.arguments[-1:] * (count - len(self.arguments))


@dataclass(kw_only=True)
class Match:
    """One overload held against a call."""

    signature: Signature
    arguments: tuple[TrinoType, ...]
    types: Bound = field(default_factory=dict)
    """What the letters stand for; None for one that the call leaves open."""

    def result(self) -> TrinoType | None:
        """Return the type of the call, None where a letter is open."""
        sizes = result_sizes(self.signature, self.arguments)
        return sizes or filled(self.signature.result, self.types)


@cache
def _lines() -> dict[str, list[str]]:
    text = files("querymend.tools.sql.types").joinpath("signatures.txt").read_text("utf-8")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            found.setdefault(line.partition("(")[0], []).append(line)
    return found


@cache
def overloads(name: str) -> tuple[Signature, ...]:
    """Return what Trino has under a name (lower case), none where it has no such function."""
    return tuple(_read(line) for line in _lines().get(name, ()))


def _read(line: str) -> Signature:
    head, _, kind = line.partition(" | ")
    call, _, result = head.rpartition(" -> ")
    name, _, inside = call.partition("(")
    inside = inside.removesuffix(")")
    repeats = inside.endswith(" ...")
    inside = inside.removesuffix(" ...")
    given = read_type(f"function({inside})") if inside else TrinoType("function")
    shown = read_type(result)
    assert given is not None, line
    assert shown is not None, line
    words = kind.split()
    ordered = frozenset(w.partition(":")[0] for w in words[1:])
    return Signature(
        name=name,
        arguments=given.parts,
        result=shown,
        kind=words[0],
        repeats=repeats,
        ordered=ordered,
    )


def is_letter(kind: TrinoType) -> bool:
    """Tell whether a type in a signature stands for any type."""
    return len(kind.base) <= 2 and not kind.parts


def filled(kind: TrinoType, types: Bound) -> TrinoType | None:
    """Put the bound types and sizes for the letters of a signature's type."""
    if is_letter(kind):
        return types.get(kind.base)
    parts = [filled(p, types) for p in kind.parts]
    if any(p is None for p in parts):
        return None
    sizes = tuple(_size(s, types) for s in kind.sizes)
    if kind.base == "varchar" and any(s is None for s in sizes):
        return VARCHAR
    if any(s is None for s in sizes):
        return None
    known = tuple(s for s in sizes if s is not None)
    return TrinoType(kind.base, known, tuple(p for p in parts if p), kind.names)


def _size(size: int | str, types: Bound) -> int | None:
    if isinstance(size, int):
        return size
    bound = types.get(f"#{size}")
    return bound.precision if bound is not None else None


def matches(
    candidates: Iterable[Signature], given: list[TrinoType | None], *, exact: bool
) -> Iterator[Match]:
    """Yield the overloads that take these arguments; lambdas are given as None."""
    for signature in candidates:
        if signature.takes(len(given)):
            match = Match(signature=signature, arguments=signature.expected(len(given)))
            if all(
                kind is None or _bind(wanted, kind, match, exact=exact)
                for wanted, kind in zip(match.arguments, given, strict=True)
            ):
                match = _settled(match, given)
                if _in_order(match):
                    yield match


def _settled(match: Match, given: list[TrinoType | None]) -> Match:
    """Write what each argument turns into."""
    kinds = []
    for wanted, kind in zip(match.arguments, given, strict=True):
        kinds.append(filled(wanted, match.types) or kind or wanted)
    return Match(signature=match.signature, arguments=tuple(kinds), types=match.types)


def _in_order(match: Match) -> bool:
    kinds = (match.types.get(letter) for letter in match.signature.ordered)
    return all(k is None or can_compare(k, ordered=True) for k in kinds)


def _bind(wanted: TrinoType, given: TrinoType, match: Match, *, exact: bool) -> bool:
    """Hold one argument against its place; note what the letters stand for."""
    if wanted.base == "function":
        return False
    if is_letter(wanted):
        return _bind_letter(wanted.base, given, match.types, exact=exact)
    if given == UNKNOWN:
        return not exact
    if wanted.base == given.base:
        return _bind_same(wanted, given, match, exact=exact)
    if exact:
        return False
    return _bind_cast(wanted, given, match)


def _bind_letter(letter: str, given: TrinoType, types: Bound, *, exact: bool) -> bool:
    known = types.get(letter)
    if known is None or known == given:
        types[letter] = given
        return True
    common = common_type(known, given)
    if common is None or (exact and UNKNOWN not in (known, given) and known.base != given.base):
        return False
    types[letter] = common
    return True


def _bind_same(wanted: TrinoType, given: TrinoType, match: Match, *, exact: bool) -> bool:
    if wanted.parts:
        return len(wanted.parts) == len(given.parts) and all(
            _bind(w, g, match, exact=exact) for w, g in zip(wanted.parts, given.parts, strict=True)
        )
    for i, size in enumerate(wanted.sizes):
        if isinstance(size, str):
            _bind_size(size, given.sizes[i] if i < len(given.sizes) else None, match.types)
        elif i < len(given.sizes) and isinstance(given.sizes[i], int):
            if wanted.base == "varchar" and given.sizes[i] > size:  # type: ignore[operator]
                return False
        elif wanted.base == "varchar":
            return False
    return True


def _bind_size(size: str, given: int | str | None, types: Bound) -> None:
    """Note a size; two different ones make the larger, an unbounded text none."""
    key = f"#{size}"
    if not isinstance(given, int):
        types[key] = None
    elif key not in types:
        types[key] = TrinoType("#", (given,))
    elif (known := types[key]) is not None:
        types[key] = TrinoType("#", (max(known.precision, given),))


def _bind_cast(wanted: TrinoType, given: TrinoType, match: Match) -> bool:
    """Hold an argument against a place of another type, which Trino may cast it to."""
    if wanted.parts or wanted.base == "row":
        return False
    if any(isinstance(s, str) for s in wanted.sizes):
        target = common_type(given, _smallest(wanted))
        if target is None or target.base != wanted.base:
            return False
        return _bind_same(wanted, target, match, exact=False)
    return coerces(given, wanted)


def _smallest(wanted: TrinoType) -> TrinoType:
    """Return the smallest type of a family: what a cast to ``decimal(p,s)`` starts from."""
    if wanted.base == "decimal":
        return TrinoType("decimal", (1, 0))
    return TrinoType(wanted.base, (0,) * len(wanted.sizes))


def choose(found: list[Match]) -> Match | None:
    """Return the overload whose arguments every other could take; None where none stands out."""
    if len(found) == 1:
        return found[0]
    return next((m for m in found if all(_is_above(m, r) for r in found if r is not m)), None)


def _is_above(mine: Match, rival: Match) -> bool:
    """Tell whether an overload is the more specific of two, by Trino's rule."""
    given: list[TrinoType | None] = list(mine.arguments)
    return any(True for _ in matches([rival.signature], given, exact=False))
