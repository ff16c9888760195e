"""Types as Trino knows them: values with Trino's own spelling."""

from dataclasses import dataclass

ZONED = " with time zone"


@dataclass(frozen=True, slots=True)
class TrinoType:
    """One type: ``decimal(12,2)``, ``array(row(sku varchar, qty integer))``, ``timestamp(3)``."""

    base: str
    """Lower case: ``bigint``, ``timestamp with time zone``, ``interval day to second``, ``row``."""
    sizes: tuple[int | str, ...] = ()
    """Length, precision, precision and scale; in a signature also names that stand for them."""
    parts: tuple["TrinoType", ...] = ()
    """The element of an array, key and value of a map, the fields of a row."""
    names: tuple[str | None, ...] = ()
    """The names of a row's fields, None where a field has none."""

    def __str__(self) -> str:
        """Spell it as Trino does."""
        if self.base == "row":
            fields = zip(self.names or (None,) * len(self.parts), self.parts, strict=True)
            return f"row({', '.join(f'{n} {p}' if n else str(p) for n, p in fields)})"
        if self.parts:
            return f"{self.base}({', '.join(map(str, self.parts))})"
        if not self.sizes:
            return self.base
        sizes = f"({','.join(map(str, self.sizes))})"
        stem, zone, _ = self.base.partition(ZONED)
        return f"{stem}{sizes}{zone}"

    def displayed(self) -> str:
        """Spell it as the heading of a result does: ``decimal(12, 2)``, intervals in capitals."""
        if self.base.startswith("interval"):
            return self.base.upper()
        if self.parts:
            inner = tuple(TrinoType(p.displayed()) for p in self.parts)
            return str(TrinoType(self.base, (), inner, self.names))
        return str(self).replace(",", ", ")

    def field(self, name: str) -> "TrinoType | None":
        """Return the type of a row's field of that name, in any case."""
        for own, part in zip(self.names, self.parts, strict=False):
            if own is not None and own.lower() == name.lower():
                return part
        return None

    @property
    def precision(self) -> int:
        """The first size as a number: length, precision; 0 where there is none."""
        return self.sizes[0] if self.sizes and isinstance(self.sizes[0], int) else 0

    @property
    def scale(self) -> int:
        """The digits after a decimal's point."""
        return self.sizes[1] if len(self.sizes) > 1 and isinstance(self.sizes[1], int) else 0


UNKNOWN = TrinoType("unknown")
"""Trino's type of a bare NULL; what this package cannot tell is None instead."""
BOOLEAN = TrinoType("boolean")
INTEGER = TrinoType("integer")
BIGINT = TrinoType("bigint")
REAL = TrinoType("real")
DOUBLE = TrinoType("double")
VARCHAR = TrinoType("varchar")
DATE = TrinoType("date")
JSON = TrinoType("json")
DAY_SECOND = TrinoType("interval day to second")
YEAR_MONTH = TrinoType("interval year to month")

INTEGERS = ("tinyint", "smallint", "integer", "bigint")
NUMBERS = (*INTEGERS, "decimal", "real", "double")
TEXTS = ("varchar", "char")
INTERVALS = (DAY_SECOND.base, YEAR_MONTH.base)
TIMES = ("timestamp", f"timestamp{ZONED}", "time", f"time{ZONED}")


def decimal(precision: int, scale: int) -> TrinoType:
    """Return a decimal type, its precision cut to what Trino can hold."""
    return TrinoType("decimal", (min(38, precision), scale))


def varchar(length: int) -> TrinoType:
    """Return the type of a text of at most that length."""
    return TrinoType("varchar", (length,))


def array(element: TrinoType) -> TrinoType:
    """Return the type of arrays of that element."""
    return TrinoType("array", (), (element,))


def row(*fields: tuple[str | None, TrinoType]) -> TrinoType:
    """Return the type of a row with these fields."""
    return TrinoType("row", (), tuple(t for _, t in fields), tuple(n for n, _ in fields))
