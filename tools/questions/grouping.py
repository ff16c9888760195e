"""What a question groups by, and the top N that it asks for."""

import re
from dataclasses import dataclass
from itertools import takewhile

from querymend.tools.questions.words import COUNT, count_of, is_plural, singular, tokens, words_of

_END = (
    r"(?=$|[,.;:?!()\"]|\s(?:for|in|on|from|with|who|whose|which|that|where|when|during|over|"
    r"between|since|before|after|than|is|are|was|were|has|have|had|do|does|did|and|or|as|of|to|"
    r"last|this|sorted|ordered|including|along|per|by|based|across|at|there|he|she|they|we|"
    r"respectively|each)\b)"
)
_NOUN = r"((?!(?:of|in|and|or|to|is|are)\b)(?:[a-z][\w-]*)(?: [a-z][\w-]*){0,3}?)"
_EACH = re.compile(
    r"\b(?:(does|did|do) )?(?:for |in |of |per |by |from |with |at |on |to |within )?"
    r"(?:each|every)(?: of the (?:last|past|previous|next) \w+| of the| different| unique|"
    rf" distinct| single)? (?!other\b|one\b|time\b|of\b){_NOUN}{_END}"
)
_DIFFERENT = re.compile(
    rf"\b(?:for|in|across|by) (?:all )?(?:the )?(?:different|various) {_NOUN}{_END}"
)
_PER = re.compile(rf"\bper {_NOUN}{_END}")
_BY = re.compile(rf"(?:^|(\S+) )by (?:the )?{_NOUN}(?:,? and (?:by )?{_NOUN})?{_END}")
_UNITS = words_of(
    "gallon capita cent second hour minute square head litre liter mile unit person annum "
    "kilometer km kg pound item share night"
)
_NO_GROUP = words_of(
    "any all a an some both its their his her our your no who whom which what how at one more "
    "default itself using"
)
_VERBS = words_of("vary differ change compare have offer make get earn spend")
_PARTICIPLES = words_of(
    "written made owned driven done given run led born sold built taken shown sung won held paid "
    "sent put set known drawn flown grown seen thrown worn begun cut hit caught taught bought "
    "brought found kept left lost met read said spent told chosen spoken broken multiplied go "
    "order sort rank followed divided sorted ordered ranked arranged identify end start stop "
    "differ vary increase decrease grow change went goes going down up by is are was close"
)
_ORDER_WORDS = re.compile(r"\b(?:order|sort|rank|arrang)(?:e|ed|ing)?\b[^.?!;]*?\bby [^.?!;,]*")
_LISTED = re.compile(r"^(?:please )?(?:list|sort|rank|order)\b")
_MEASURED = re.compile(
    r"\b(?:number|count|total|sum|average|mean|revenue|sales|amount|share|percentage)\b"
)
_ADJECTIVE = (
    r"(?:(?:most|least|best|worst|highest|lowest|largest|smallest|oldest|youngest|cheapest|"
    r"longest|shortest|biggest|newest|latest|earliest|heaviest|fewest|greatest|tallest|richest|"
    r"fastest|slowest)[\w-]*)"
)
_LEADING = re.compile(
    rf"\b(top|bottom|best|worst|lowest|highest|first|last) ({COUNT})\b(?!\s*(?:%|percent|days?|"
    rf"weeks?|months?|years?|quarters?|hours?|minutes?|letters?|characters?|digits?|and\b|st\b))"
    rf"(?: (?:most|least) \w+(?: \w+ed)?| best[ -]\w+)? ?{_NOUN}?{_END}"
)
_FOLLOWING = re.compile(
    rf"\b(?:the |which )({COUNT}) (?:(?:most|least) \w+|{_ADJECTIVE}) {_NOUN}{_END}"
)
_WITH_THE = re.compile(
    rf"\b(?:the )?({COUNT}) (?:distinct |different )?{_NOUN} (?:with|that ha\w+|which ha\w+|"
    rf"who ha\w+|ha\w+) the {_ADJECTIVE}"
)
_WITH_THE_N = re.compile(
    rf"\b{_NOUN} (?:with|that have|which have|who have|having) the ({COUNT}) {_ADJECTIVE}"
)
_BROKEN_DOWN = re.compile(
    rf"\b(?:broken|break(?: it| them| this)?|split|divided|separated|sliced)(?: down| up| out)?"
    rf" by (?:the )?{_NOUN}(?:,? and (?:by )?{_NOUN})?{_END}"
)
_COMMA_BY = re.compile(rf", (?:and )?(?:shown |listed |grouped )?by (?:the )?{_NOUN}{_END}")
_FOR_EACH = re.compile(rf"\b(?:in|for|of|per|within|from|at) (?:each|every) {_NOUN}{_END}")


@dataclass(frozen=True, kw_only=True)
class Top:
    """``top 10 products by revenue, broken down by region``."""

    n: int
    lowest: bool
    """The last N are asked for: bottom, lowest, fewest."""
    entity: str
    """What N things are asked for; empty where the words do not say."""
    measure: str = ""
    """What they are ranked by; empty where the words do not say."""
    split: tuple[str, ...] = ()
    """What the N are broken down by afterwards: N entities, more rows."""
    each: tuple[str, ...] = ()
    """What N are asked for in each of: N rows for each value."""


def group_words(text: str) -> tuple[str, ...]:
    """Return the nouns that a question (lower case, no quoted phrases) certainly groups by."""
    nouns = [_without_verb(m.group(2), asked=bool(m.group(1))) for m in _EACH.finditer(text)]
    nouns += [m.group(1) for m in _DIFFERENT.finditer(text)]
    nouns += [m.group(1) for m in _PER.finditer(text) if not _is_rate(m, text)]
    nouns += _by_nouns(text)
    return tuple(dict.fromkeys(n for n in nouns if n not in _UNITS and n.count(" ") < 3))


def _without_verb(noun: str, *, asked: bool) -> str:
    """Cut the verb off: how many courses does each department offer."""
    words = noun.split()
    return " ".join(words[:-1]) if len(words) > 1 and (asked or words[-1] in _VERBS) else noun


def may_group(text: str) -> bool:
    """Tell whether anything hints at more than one group, however faintly."""
    hints = (
        r"\beach\b|\bevery\b|\bper\b|\bdifferent\b(?<!how many different)|\brespective|"
        r"\bcorrespond|\b(?:month|week|year|dai|quarter)ly\b|\bannual|\btrend|"
        r"\bover (?:the|time)\b|"
        r"\bbreak ?down|\bbroken\b|\bdistribution|\bhistogram|\bcompar|\bversus\b|\bvs\b|"
        r"\bvary\b|\bvaries\b|\bdiffer\b|\bchange[sd]?\b|\bgroup|\bacross (?!all\b)|\bmonth over\b|"
        r"\byear over\b|\b(?:mom|yoy|qoq)\b|\bamong (?:the )?various\b|\bby\b"
    )
    return bool(re.search(hints, _without_agents(text)))


def top_n(text: str) -> Top | None:
    """Return the top N that a question (lower case, no quoted phrases) asks for, or None."""
    found = _leading(text) or _following(text)
    if found is None:
        return None
    count, lowest, entity, rest = found
    split, measure = _split(rest)
    each = [m.group(1) for m in _FOR_EACH.finditer(text)]
    each += [m.group(1) for m in _PER.finditer(text) if not _is_rate(m, text)]
    entity = re.sub(r"^.* of (?:the )?", "", entity)
    each = [e for e in each if singular(e) != singular(entity)]
    return Top(
        n=count, lowest=lowest, entity=entity, measure=measure, split=split, each=tuple(each)
    )


def _leading(text: str) -> tuple[int, bool, str, str] | None:
    for found in _LEADING.finditer(text):
        word, count, noun = found.groups()
        if not re.search(r"\b(?:past|of the) $", text[: found.start()] + " "):
            lowest = word in {"bottom", "worst", "lowest"} or _low_after(text[found.end() :])
            return count_of(count), lowest, noun or "", text[found.end() :]
    return None


def _following(text: str) -> tuple[int, bool, str, str] | None:
    if found := _WITH_THE_N.search(text):
        return count_of(found.group(2)), _low(found.group()), found.group(1), text[found.end() :]
    for pattern in (_FOLLOWING, _WITH_THE):
        if found := pattern.search(text):
            count, noun = found.group(1), found.group(2)
            return count_of(count), _low(found.group()), noun, text[found.end() :]
    return None


def _low(words: str) -> bool:
    return bool(
        re.search(r"\b(?:least|lowest|smallest|fewest|cheapest|shortest|youngest|worst)", words)
    )


def _low_after(rest: str) -> bool:
    return bool(
        re.match(
            r"[^,.;]*\b(?:with|having|that have) (?:the )?(?:least|lowest|fewest|smallest)", rest
        )
    )


def _split(rest: str) -> tuple[tuple[str, ...], str]:
    """Read the words after the N things: what they are split by, what they are ranked by."""
    split = [g for m in _BROKEN_DOWN.finditer(rest) for g in m.groups() if g]
    rest = _BROKEN_DOWN.sub("", rest).rstrip()
    first = re.search(rf"\bby (?:the )?((?:(?:total )?number of )?{_NOUN}){_END}", rest)
    if first:
        split += [m.group(1) for m in _COMMA_BY.finditer(rest[first.end() :])]
    return tuple(dict.fromkeys(split)), first.group(1) if first else ""


def _by_nouns(text: str) -> list[str]:
    """Return what stands after a grouping ``by``: no agent, no order, no measure of a top N."""
    if top := top_n(text):
        return list(top.split)
    if _LISTED.match(text) and not _MEASURED.search(text):
        return []
    text = _without_agents(_ORDER_WORDS.sub("", text))
    found: list[str] = []
    for m in _BY.finditer(text):
        before, one, other = m.groups()
        if before is None and m.start() != 0:
            continue
        found += takewhile(_is_group_noun, filter(None, (one, other)))
    return found


def _is_group_noun(noun: str) -> bool:
    words = tokens(noun)
    if not words or words[0] in _NO_GROUP or words[-1].endswith("ing"):
        return False
    return not is_plural(words[-1])


def _without_agents(text: str) -> str:
    """Blank out ``by`` where it names who did something: directed by, written by."""

    def keep(m: re.Match[str]) -> str:
        word = m.group(1)
        agent = word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3)
        grouped = word in {"grouped", "aggregated", "summed", "summarized", "summarised"}
        return f"{word} BY" if agent and not grouped else m.group()

    return re.sub(r"\b(\w+) by\b", keep, text)


def _is_rate(per: re.Match[str], text: str) -> bool:
    """An average per something is one number as often as a group."""
    unit = tokens(per.group(1))[-1] in _UNITS
    if unit or re.search(r"\bon average\b", text):
        return True
    return bool(re.search(r"\b(?:average|mean|ratio|rate|avg)\b", text[: per.start()]))
