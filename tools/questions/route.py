"""Which way a question goes, by rule: to SQL, to the catalog, or back with a reason."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from querymend.tools.catalog.model import Catalog
from querymend.tools.index.model import Fact, ValueLookup
from querymend.tools.questions.asked_for import asked_nouns
from querymend.tools.questions.metadata import asks_for_catalog
from querymend.tools.questions.quoted import blanked
from querymend.tools.questions.vocabulary import Cover, cover
from querymend.tools.questions.words import singular, tokens, words_of

Kind = Literal["look-up", "document", "analytical", "hybrid", "metadata", "unanswerable", "unsafe"]

RELEVANT = 0.3
"""A likeness of words from which on a synonym is taken to be meant. On the questions of
Spider-Syn, BIRD and defog without a word in common with the catalog, none of those that
the data cannot answer reached it; most of the others do."""
ENGLISH_WORDS = 2
FOREIGN_WORDS = 3
RELEVANT_NOUN = 0.6
"""The same for a noun that is asked for: of nine unknown ones in 834 questions of Spider, BIRD
and defog that can be answered none reached it; a plural or another form of a known one does."""
RELEVANT_PAIR = 0.25
"""The same for a question of two words. Of 400 questions of Spider-Syn four stay below it, of the
same questions put to other databases 145 do."""

_POLITE = (
    r"(?:(?:please|kindly|just|now|then|also|ok(?:ay)?|can you|could you|would you|will you|"
    r"go ahead and|i (?:want|need|would like) (?:you )?to|i'd like (?:you )?to|you must|you should|"
    r"you have to|let's|let us|help me)[, ]+)*"
)
_START = rf"(?:^|[.;:!?]\s*|\b(?:and|then|but|first|afterwards?|finally)[, ]+){_POLITE}"
_THING = r"(?:tables?|views?|database|schema|rows?|records?|columns?|index(?:es)?|users?|roles?)"
_OBJECT = (
    rf"(?:all|the|every(?:thing)?|these|those|this|that|them|it|any|each|my|our|a|an|from|"
    rf"{_THING}|\w+s|\w+_\w+|[\w.]+ (?:where|set|from|in|table)\b|(?:\w+ )?\d+)"
)
_CHANGES = re.compile(
    rf"(?:^|[.;:!?]\s*|\bthen )(?:and )?{_POLITE}(?:(?:update|modify|change|set|edit|correct|"
    rf"reset|rename) (?:\w+ ){{1,7}}?(?:to|=)|(?:increase|decrease|raise|lower|reduce)"
    rf" (?:\w+ ){{1,7}}?by)"
    r"(?:\s*$| (?:\d|null\b|zero\b|true\b|false\b|[a-z]+\W*$))"
)
_WRITES = re.compile(
    rf"{_START}(?:"
    rf"(?:delete|truncate|erase|wipe|purge|destroy|overwrite) (?:out )?{_OBJECT}\b"
    rf"|drop (?:(?:the|all|every|this|that|these|my|our) (?:\w+ ){{0,3}}?)?"
    rf"(?:{_THING}\b|it\b|them\b)"
    rf"|insert (?:into|a|an|the|new|some|this|these|\d+)\b"
    rf"|update (?:all|the|every|each|my|our) (?:\w+ ){{0,3}}?(?:{_THING}|prices?|status(?:es)?)\b"
    rf"|(?:alter|rename) (?:the )?{_THING}\b"
    rf"|create (?:or replace )?(?:an? |the |new )*(?:temp(?:orary)? )?"
    rf"(?:table|view|database|schema|index|user|role|function|trigger)\b"
    rf"(?! (?:of|for|show\w*|with|that|listing|comparing))"
    rf"|add (?:an? |the |new )*(?:row|record|column|entry|user|customer|order|product)s?\b"
    rf"|remove (?:all |the |every |these |those |my |our )*(?:\w+ ){{0,3}}?"
    rf"(?:{_THING}|from (?:the )?(?:database|table|warehouse|system))\b"
    rf"|(?:grant|revoke) (?:\w+ ){{0,3}}?(?:to|on|from|access|permission|privilege|select|all)\b"
    rf"|(?:vacuum|attach|detach|copy|export|unload|merge into|load) (?:the )?(?:{_THING}|\w+_\w+|"
    rf"\w+ (?:to|into|from)\b)"
    rf")"
)
_SQL_WRITE = re.compile(
    r"\b(?:delete\s+from|drop\s+(?:table|database|schema|view)|truncate\s+table|insert\s+into|"
    r"update\s+[\w.\"]+\s+set|alter\s+table|create\s+table\s+[\w.]+\s*\(|grant\s+\w+\s+on)\b"
)
_ABOUT_WRITES = re.compile(r"^(?:how|what|which|who|when|where|list|show|count|is|are|was|were)\b")
_GREETING = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?(?: you)?(?: so much)?|"
    r"bye|goodbye|how are you(?: doing)?(?: today)?|who are you|what(?:'s| is) your name|"
    r"are you (?:an? )?(?:ai|bot|human|robot)|tell me a joke|nice to meet you|lol|ok(?:ay)?)\W*$"
)
_GENERAL = re.compile(
    r"^(?:how (?:can|could|should|would|do|does|did|has|have|might) (?!the (?:average |total )?"
    r"(?:number|ratio|count|sum|share))|why\b|explain\b|define\b|write (?:me )?an?\b|translate\b|"
    r"(?:can|could|would) (?:you|i|we|\w+ be)\b|should (?:i|we)\b|do (?:our|we|you|people)\b|"
    r"is there (?:a|any)\b|are there any\b|have there been\b|is it\b)|"
    r"\b(?:should i|recommend|tips? (?:for|on)|steps? (?:should|to|for)|ways? to|advice|opinion|"
    r"meaning of|purpose of (?:life|\w+ing)|(?:risks?|benefits?|advantages?) (?:and|of)|"
    r"how to|examples? of|what does \w+ mean|key factors|in the world|ever (?:recorded|built|"
    r"lived)|in the field of|best practices?|pros and cons)\b"
)
_FUTURE = re.compile(
    r"\b(?:predict|forecast|extrapolate|project)\b(?! (?:name|id|manager|budget|code))(?=.*\b"
    r"(?:next|future|coming|will|sales|revenue|demand|\d{4})\b)|"
    r"\b(?:what|how (?:many|much)|which) .*\bwill (?:\w+ be|be|we|have|the)\b.*\b(?:next|in \d{4}|"
    r"tomorrow|future)\b"
)
_FORECAST_NAMES = words_of("forecast predicted prediction plan budget target expected projected")
_ENGLISH = words_of(
    "the of what how which is are does many show list find give who whose their with our by to "
    "there do did and have has for when where why can you"
)
_CHECKED_NAME = re.compile(
    r"`(\w+(?:\.\w+)*)`|\b(?:column|field) (\w+_\w+)\b|\b(\w+_\w+) (?:column|field)\b", re.I
)


@dataclass(frozen=True, kw_only=True)
class Route:
    """Which way a question goes, and why."""

    kind: Kind
    reason: str = ""
    """One sentence for a person; empty where the route is the usual one."""
    undecided: bool = False
    """No rule spoke: a model may decide, and without one the question goes to SQL."""
    unknown: tuple[str, ...] = ()
    """Content words that name nothing in the catalog, the facts or the values."""
    strange: bool = False
    """Not one content word names anything: synonyms at best."""
    absent: tuple[str, ...] = ()
    """Nouns asked for that name nothing here, nor are near to a name. One whose word before is
    known stands with it (``death toll``): it may be about that."""


def route(
    question: str,
    *,
    catalog: Catalog,
    facts: Sequence[Fact] = (),
    values: ValueLookup | None = None,
    relevance: Callable[[Sequence[str]], float] | None = None,
) -> Route:
    """Decide the route where rules can; otherwise analytical, marked undecided.

    Args:
        question: as asked.
        catalog: within the caller's scope.
        facts: business knowledge whose words count as known.
        values: text values whose words count as known.
        relevance: likeness (0 to 1) of words to the catalog's names, as ``Nearness`` tells it;
            asked only where no word is known. Without it only general knowledge is refused.
    """
    text = re.sub(r"\s+", " ", blanked(question).lower().replace("\u2019", "'")).strip()
    if not re.search(r"[^\W\d_]{2}", question) or _GREETING.match(text):
        return Route(kind="unanswerable", reason="This is no question about the data.")
    if writes(text):
        return Route(
            kind="unsafe",
            reason="This asks to change the data; only questions that read it are answered.",
        )
    if asks_for_catalog(question, catalog):
        return Route(kind="metadata", reason="The question is about the catalog itself.")
    return _by_content(
        question,
        text,
        cover(question, catalog, facts=facts, values=values),
        catalog=catalog,
        relevance=relevance,
    )


def writes(text: str) -> bool:
    """Tell whether a request (lower case, no quoted phrases) asks to change data."""
    if _SQL_WRITE.search(text) and not _ABOUT_WRITES.match(text):
        return True
    return bool(_WRITES.search(text) or _CHANGES.search(text))


def _by_content(
    question: str,
    text: str,
    known: Cover,
    *,
    catalog: Catalog,
    relevance: Callable[[Sequence[str]], float] | None,
) -> Route:
    if missing := _missing_name(question, catalog):
        return Route(kind="unanswerable", reason=f"There is no {missing} in this warehouse.")
    if _FUTURE.search(text) and not _forecasts(catalog):
        return Route(
            kind="unanswerable", reason="This asks for a forecast; the data holds what happened."
        )
    if _is_general(text, known) or _is_strange(question, known, relevance):
        what = ", ".join(known.unknown[:4])
        return Route(kind="unanswerable", reason=f"Nothing in this warehouse is about {what}.")
    return Route(
        kind="analytical",
        undecided=known.share < 0.5,
        unknown=known.unknown,
        strange=_is_foreign(text, known),
        absent=_absent(question, known, relevance),
    )


def _absent(
    question: str, known: Cover, relevance: Callable[[Sequence[str]], float] | None
) -> tuple[str, ...]:
    """Return the nouns asked for that are nothing here; none where likeness cannot be told."""
    if relevance is None or not _is_english(question.lower()):
        return ()
    nouns = [n for n in asked_nouns(question) if n in known.unknown]
    words = [singular(w) for w in tokens(question)]
    before = {word: previous for previous, word in pairwise(words)}
    far = [n for n in nouns if relevance([n]) < RELEVANT_NOUN]
    return tuple(f"{b} {n}" if (b := before.get(n)) in known.known else n for n in far)


def _is_general(text: str, known: Cover) -> bool:
    """It asks for advice or general knowledge, and next to nothing in it is of the warehouse."""
    if not _GENERAL.search(text) or not known.unknown:
        return False
    return len(known.known) <= 1 and known.share <= 0.25 and not _acronyms(known)


def _is_strange(
    question: str, known: Cover, relevance: Callable[[Sequence[str]], float] | None
) -> bool:
    """Nothing in the question is of the warehouse, not even by a synonym.

    Whoever asks *how many* or *the average* of a thing asks for data, in words of their own: such a
    question goes to SQL, and its answer is doubted there.
    """
    if relevance is None or len(known.unknown) < 2 or not _is_foreign(question.lower(), known):
        return False
    least = RELEVANT if len(known.unknown) >= FOREIGN_WORDS else RELEVANT_PAIR
    return not asked_nouns(question) and relevance(known.unknown) < least


def _is_foreign(text: str, known: Cover) -> bool:
    """Not one word of an English question names anything here, and none may be a short name."""
    if known.known or not known.unknown:
        return False
    return _is_english(text) and not _acronyms(known)


def _is_english(text: str) -> bool:
    return sum(w in _ENGLISH for w in tokens(text)) >= ENGLISH_WORDS


def _acronyms(known: Cover) -> bool:
    """A word without vowels may be a measure's short name, which a fact would explain."""
    return any(not re.search(r"[aeiouy]", w) and w.isalpha() for w in known.unknown)


def _missing_name(question: str, catalog: Catalog) -> str:
    """Return an identifier that the question writes out and the catalog lacks."""
    names = {n.lower() for t in catalog.tables for n in (t.name, t.qualified_name)}
    names |= {c.name.lower() for t in catalog.tables for c in t.columns}
    for found in _CHECKED_NAME.finditer(question):
        name = next(g for g in found.groups() if g)
        alone = name.lower().split(".")[-1]
        if "_" in alone and alone not in names:
            return name
    return ""


def _forecasts(catalog: Catalog) -> bool:
    names = (n.lower() for t in catalog.tables for n in (t.name, *(c.name for c in t.columns)))
    return any(word in name for name in names for word in _FORECAST_NAMES)
