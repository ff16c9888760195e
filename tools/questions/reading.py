"""Reading a question by rule: what its words fix for certain, and nothing more."""

import re
from dataclasses import dataclass

from querymend.tools.questions.grouping import Top, group_words, may_group, top_n
from querymend.tools.questions.quoted import quoted_phrases, without_quotes
from querymend.tools.questions.shown import shown_words
from querymend.tools.questions.superlatives import Order, Superlative, order_asked, superlatives

_LEAD_IN = (
    r"(?:(?:please|can you|could you|i want(?: to know)?|i need|tell me|show me|give me|"
    r"find out) )*"
)
_ASK = (
    r"(?:what(?:'s| is| are| was| were)|find|return|give|show|list|calculate|compute|get)(?: me)?"
)
_THE_NUMBER = (
    rf"^{_LEAD_IN}(?:{_ASK} )?(?:the )?(?:total )?(?:number|count)s? of|^{_LEAD_IN}count\b"
)
_SETTING = r"^(?:(?:in|of|among|for|from|during|since|on|at|within|out of)\b[^?]*?,? )?"
_HOW_MANY = rf"{_SETTING}how many\b"
_FOR_NUMBER = rf"{_SETTING}what (?:is|was) the (?:total )?number of"
_HOW_MUCH = r"^how much\b[^?]*\b(?:total|together|altogether|overall|combined|in all)\b"
_AGGREGATES = {
    "average": r"average|mean|avg",
    "total": r"total|sum|overall|combined",
    "maximum": r"maximum|max",
    "minimum": r"minimum|min",
    "median": r"median",
}
_AGGREGATE = "|".join(_AGGREGATES.values()) + "|grand total"
_ONE_AGGREGATE = re.compile(
    rf"^{_LEAD_IN}(?:(?:what(?:'s| is| are| was| were)|find|return|give|calculate|compute|get|show)"
    rf"(?: me)? )?(?:the |our |a )?(?:overall )?(?:{_AGGREGATE})\b"
)
_ONE_SHARE = re.compile(
    rf"^{_LEAD_IN}(?:what (?:is the )?|find the |calculate the |give the )"
    r"(?:percentage|percent|proportion|share|fraction) of\b"
)
_COUNTS = re.compile(rf"{_THE_NUMBER}|{_HOW_MANY}|{_FOR_NUMBER}")
_COUNTED = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b")
_SHARE = re.compile(
    r"\bpercent(?:age)?s?\b(?! (?:value|change|points?|growth|increase|decrease)\b)|"
    r"\bproportion\b|\bwhat fraction\b|\bwhat share\b"
)
_DISTINCT = re.compile(
    r"\b(?:different(?! from\b| than\b)|distinct|unique|without duplicates|no duplicates)\b"
)
_BOTH = re.compile(
    r"\bboth (?:the |an? |of )?([^,.;?]+?) and (?:the |an? |those |also )*([^,.;?]+?)(?=[,.;?]|$)"
)
_NEGATED = re.compile(
    r"\b(?:not|never|without|except|excluding|neither|nor|none|lack(?:s|ing)?|no|non|other than|"
    r"nobody|nothing|cannot)\b|n't\b|n\u2019t\b"
)
_LIST = re.compile(
    r"^(?:please )?(?:list|enumerate|name all|show all|show me all|give all|find all|"
    r"what are (?:all )?the (?:\w+ )?(?:names|ids|titles|codes)\b)"
)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\$?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w]|\.\d)")
_SECOND_LIST = re.compile(r"[.?!;] *(?:please )?(?:list|return|give|show|provide|include|group)\b")
_AND_WHICH = re.compile(
    r"\b(?:and|,) (?:which|who|list|show|return|their|the names?)\b|\bhow many\b.*\bhow many\b"
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a question's words fix. Whatever is not certain is None, False or empty."""

    question: str
    top: Top | None = None
    superlatives: tuple[Superlative, ...] = ()
    counts: bool = False
    """A number of things is what is asked for: how many, the number of."""
    one_value: bool | None = None
    """The result is one row; False where it certainly may be many."""
    aggregates: tuple[str, ...] = ()
    """Of average, total, maximum, minimum, count: those that the question names."""
    group_by: tuple[str, ...] = ()
    """The nouns after for each, per, by: one row for each of them."""
    shown: tuple[str, ...] = ()
    """The columns that the question enumerates, two or more."""
    distinct: bool = False
    share: bool = False
    """A percentage or proportion is asked for."""
    both: tuple[str, str] | None = None
    """Two things asked of one: both A and B."""
    negated: bool = False
    order: Order | None = None
    numbers: tuple[float, ...] = ()
    """Numbers written in digits, outside quotes."""
    quoted: tuple[str, ...] = ()


def read_question(question: str) -> Reading:
    """Read a question in English; one in another language gives an empty reading."""
    text = _plain(question)
    groups = group_words(text)
    top = top_n(text)
    return Reading(
        question=question,
        top=top,
        superlatives=superlatives(text),
        counts=bool(_COUNTS.search(text)),
        one_value=_one_value(text, grouped=bool(groups), top=top),
        aggregates=_aggregates(text),
        group_by=groups,
        shown=shown_words(text),
        distinct=bool(_DISTINCT.search(text)),
        share=bool(_SHARE.search(text)),
        both=_both(text, quoted_phrases(question)),
        negated=bool(_NEGATED.search(text)),
        order=order_asked(text),
        numbers=_numbers(question),
        quoted=quoted_phrases(question),
    )


def _plain(question: str) -> str:
    """Lower the case, but keep names apart: a capital inside the sentence becomes ``~``."""
    text = without_quotes(question).replace("\u2019", "'")
    text = re.sub(r"(?<=\bby )(?=[A-Z][a-z])", "~", text)
    return re.sub(r"\s+", " ", text.lower()).strip()


def _one_value(text: str, *, grouped: bool, top: Top | None) -> bool | None:
    """Say whether one row answers; None where the words leave it open."""
    if grouped or _LIST.search(text):
        return False
    if may_group(text) or _SECOND_LIST.search(text) or _AND_WHICH.search(text):
        return None
    if _COUNTS.search(text) or re.search(_HOW_MUCH, text):
        return True
    if _ONE_AGGREGATE.search(text) or _ONE_SHARE.search(text):
        return None if top else True
    return None


def _aggregates(text: str) -> tuple[str, ...]:
    found = [name for name, words in _AGGREGATES.items() if re.search(rf"\b(?:{words})\b", text)]
    return (*found, "count") if _COUNTED.search(text) else tuple(found)


def _both(text: str, quoted: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the two things; quoted ones as they stand in the question."""
    found = _BOTH.search(text)
    if found is None:
        return None
    one, other = (found.group(n).strip() for n in (1, 2))
    place = text[: found.start()].count('""')
    if one == other == '""' and place + 1 < len(quoted):
        return quoted[place], quoted[place + 1]
    return one, other


def _numbers(question: str) -> tuple[float, ...]:
    found = _NUMBER.findall(without_quotes(question))
    return tuple(float(n.replace(",", "")) for n in found)
