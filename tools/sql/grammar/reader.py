"""A cursor over lexemes, and the failure that carries the lexeme that fits nowhere."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from querymend.tools.sql.grammar.lexemes import Lexeme, lexemes


class Mismatch(Exception):
    """Trino's parser stops here."""

    def __init__(self, lexeme: Lexeme, expected: str) -> None:
        super().__init__(lexeme.text)
        self.lexeme = lexeme
        self.expected = expected


@cache
def reserved() -> frozenset[str]:
    """Return the words that Trino takes for no name unless they are quoted."""
    text = files("querymend.tools.sql.grammar").joinpath("reserved.txt").read_text("utf-8")
    return frozenset(text.upper().split())


class Reader:
    """Goes over a text lexeme by lexeme."""

    def __init__(self, text: str, query: "Callable[[Reader], None]") -> None:
        self.all = tuple(lexemes(text))
        self.at = 0
        self.query = query
        """Reads a whole query; what lies between its brackets is an expression's business."""

    @property
    def now(self) -> Lexeme:
        """The lexeme that is next to be read."""
        return self.all[self.at]

    def ahead(self, distance: int = 1) -> Lexeme:
        """Return a later lexeme, the end where there are none."""
        return self.all[min(self.at + distance, len(self.all) - 1)]

    def sees(self, *wanted: str) -> bool:
        """Tell whether these words or signs come next, in a row."""
        return all(self.ahead(i).upper == word for i, word in enumerate(wanted))

    def sees_any(self, *wanted: str) -> bool:
        """Tell whether one of these comes next."""
        return self.now.upper in wanted and bool(self.now.upper)

    def takes(self, *wanted: str) -> bool:
        """Go past these words or signs where they come next, in a row."""
        if not self.sees(*wanted):
            return False
        self.at += len(wanted)
        return True

    def takes_any(self, *wanted: str) -> bool:
        """Go past one of these where it comes next."""
        if not self.sees_any(*wanted):
            return False
        self.at += 1
        return True

    def expect(self, *wanted: str) -> None:
        """Go past these words or signs.

        Raises:
            Mismatch: something else comes next.
        """
        for word in wanted:
            if not self.takes(word):
                raise self.mismatch(word)

    def mismatch(self, expected: str) -> Mismatch:
        """Make the failure of what comes next."""
        return Mismatch(self.now, expected)

    def is_name(self, distance: int = 0) -> bool:
        """Tell whether a name may stand there: quoted, or a word that is not reserved."""
        lexeme = self.ahead(distance) if distance else self.now
        if lexeme.sort == "quoted":
            return lexeme.text != '""'
        return lexeme.sort == "word" and lexeme.upper not in reserved()

    def name(self) -> None:
        """Go past a name.

        Raises:
            Mismatch: no name comes next.
        """
        if not self.is_name():
            raise self.mismatch("a name")
        self.at += 1

    def sort(self, sort: str) -> bool:
        """Go past a lexeme of that sort where one comes next."""
        if self.now.sort != sort:
            return False
        self.at += 1
        return True

    def listed(self, rule: "Callable[[Reader], None]") -> None:
        """Go past one or more of what a rule reads, with commas between."""
        rule(self)
        while self.takes(","):
            rule(self)

    def names(self) -> None:
        """Go past ``a.b.c``."""
        self.name()
        while self.sees("."):
            if not self.is_name(1):
                self.at += 1
                raise self.mismatch("a name")
            self.at += 2

    def name_list(self) -> None:
        """Go past ``(a, b)``."""
        self.expect("(")
        self.listed(Reader.name)
        self.expect(")")

    def brackets(self) -> None:
        """Go past anything within brackets, as far as they are balanced."""
        self.expect("(")
        depth = 1
        while depth:
            if self.now.sort == "end":
                raise self.mismatch(")")
            depth += (self.now.upper == "(") - (self.now.upper == ")")
            self.at += 1
