"""Forms of questions with more than one step: one function each, from text to sub-questions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from querymend.tools.questions.words import is_plural, singular

Form = Literal["difference", "beyond", "beside", "compared", "percentage", "without", "average"]
_FORMAT = re.compile(
    r"(?:please )?(?:give|show|list|return|include|provide|order|sort|rank|answer|report|display|"
    r"express|round)\b",
    re.IGNORECASE,
)
_I = re.IGNORECASE
_WHAT = r"(?:what (?:is|are|was|were)|give|show|find|calculate|compute|tell me)(?: me)?(?: the)?"
_AMOUNT = r"(?:much|many [\w$]+|far)"
_WORD = r"(?P<word>much|many)"
_LEAD = r"(?P<lead>how many|which|what|list(?: all)?(?: the)?)"
_THINGS = r"(?P<x>[\w-]+(?: [\w-]+)??) (?:that |who |which )?"


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One sub-question, without its question mark."""

    text: str
    named: tuple[str, ...]
    """Words that the step's name is made of."""
    more: str = ""
    """A sentence that says what the rows shall be."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one form reads."""

    asks: tuple[Ask, ...]
    grain: str = ""
    """One row for each of these, in each step; empty where each gives one value."""
    counted: bool = False
    above: bool = True
    entity: str = ""


def sentences(question: str) -> tuple[str, str]:
    """Return the question's first sentence without its mark, and what else belongs to each step.

    Sentences that only say how the answer shall look are left out.
    """
    flat = " ".join(question.replace("\u2019", "'").split())
    first, *rest = re.split(r"(?<=[?.!;])\s+(?=[A-Z])", flat)
    kept = "".join(f" {s}" for s in rest if not _FORMAT.match(s))
    return first.rstrip("?.!; "), kept


def exceeds(text: str) -> Found | None:
    """By how much did the revenue of A exceed that of B."""
    found = re.match(
        rf"by how {_AMOUNT} (?:did|does|do) (?P<what>the .+?) (?P<of>of|in|from|on) (?P<a>.+?) "
        r"exceed (?:that|those|the \w+|what it was|the one) (?P=of) (?P<b>.+)$",
        text,
        _I,
    )
    return _two(found, f"What was {found['what']} {found['of']}") if found else None


def more_than(text: str) -> Found | None:
    """How much more revenue did we make in A than in B."""
    found = re.match(
        rf"(?:by )?how {_WORD} (?P<sign>more|less|fewer) (?P<head>.+?) (?P<of>in|on|during|from) "
        r"(?P<a>.+?) than (?:in|on|during|from) (?P<b>.+)$",
        text,
        _I,
    )
    if found is None:
        return None
    two = _two(found, f"How {found['word']} {found['head']} {found['of']}")
    turned = found["sign"].lower() in ("less", "fewer")
    return Found(asks=two.asks[::-1]) if turned else two


def difference(text: str) -> Found | None:
    """What is the difference in revenue between A and B."""
    found = re.match(
        rf"{_WHAT} difference (?:in|of) (?P<what>.+?) between (?P<a>.+?) and (?P<b>.+)$", text, _I
    )
    if found:
        what = re.sub(r"^the ", "", found["what"], flags=_I)
        return _two(found, f"What was the {what} of")
    found = re.match(rf"{_WHAT} difference between (?P<a>the .+?) and (?P<b>the .+)$", text, _I)
    if found is None or re.match(
        r"the (?:highest|lowest|max|min|largest|smallest)", found["a"], _I
    ):
        return None
    return _two(found, "What was")


def _two(found: "re.Match[str]", head: str) -> Found:
    """Ask the same of two things."""
    return Found(
        asks=tuple(
            Ask(text=f"{head} {found[side]}", named=("value", found[side].removeprefix("the ")))
            for side in ("a", "b")
        )
    )


def beyond_average(text: str) -> Found | None:
    """How many products had more revenue than the average product; whose revenue is above average."""
    found = re.match(
        rf"{_LEAD} {_THINGS}"
        r"(?P<verb>had|have|has|made|brought(?: in)?|generated|sold|earned|got|received|opened|placed|spent) "
        r"(?P<sign>more|higher|a higher|a larger|less|fewer|lower|a lower|a smaller) (?P<what>.+?) "
        r"than (?:the|an) average (?P<same>[\w-]+)(?P<rest>.*)$",
        text,
        _I,
    )
    if found is None or singular(found["same"].lower()) != singular(found["x"].lower().split()[-1]):
        return None
    what, period = _period_off(found["what"])
    entity = singular(found["x"].lower())
    if not period:
        period = re.sub(r"^ ?(?:sold|made|did|had)\b", "", found["rest"])
    asked = (
        what
        if found["verb"].lower() in ("had", "have", "has")
        else f"{what} {_done(found['verb'])}"
    )
    return Found(
        asks=(
            Ask(
                text=f"What was the total {asked.removeprefix('total ')} of each {entity}{period}",
                named=(what, "per", entity),
                more=f" Give one row for each {entity}.",
            ),
        ),
        grain=entity,
        counted=found["lead"].lower() == "how many",
        above=found["sign"].split()[-1].lower() in ("more", "higher", "larger"),
    )


def _done(verb: str) -> str:
    """Turn a verb into the word that stands after what it was done to."""
    return {"brought": "brought in", "sold": "sold"}.get(verb.lower().split()[0], verb.lower())


def _period_off(text: str) -> tuple[str, str]:
    """Split ``revenue in 2025`` before its period."""
    found = re.match(
        r"(?P<what>.+?)(?P<period> (?:in|during|since|over|for|last|this) .+)$", text, _I
    )
    return (found["what"], found["period"]) if found else (text, "")


_WHOLE = (
    r"how (?:many|much) (?!in\b|on\b|by\b|of\b|more\b|less\b)[\w-]+(?: [\w-]+)*? "
    r"(?:are|is|were|was|have|has|had|did|do|does)\b(?!.*\b(?:before|previous|prior|side)\b)"
)
"""A second question that is whole, not the rest of the first."""


def beside(text: str) -> Found | None:
    """For each plan, how many customers are there and how many tickets have they opened."""
    found = re.match(
        r"for (?:each|every) (?P<g>[^,]+?),? (?P<one>(?:how|what) .+?),? and (?P<two>(?:how|what) .+)$",
        text,
        _I,
    )
    if found is None or not re.match(_WHOLE, found["two"], _I):
        return None
    noun = re.match(
        r"how (?:many|much) ([\w-]+(?: [\w-]+)?) (?:are|is|were|was|have|do|did)", found["one"], _I
    )
    two = found["two"]
    if noun and is_plural(noun[1].lower().split()[-1]):
        two = re.sub(r"\bthey\b", f"its {noun[1]}", two, flags=_I)
        two = re.sub(r"\btheir\b", f"the {noun[1]}'", two, flags=_I)
    group = found["g"]
    return Found(
        asks=tuple(
            Ask(
                text=f"For each {group}, {ask}",
                named=(name, "by", group),
                more=f" Give {group} and the number.",
            )
            for ask, name in ((found["one"], "first"), (two, "second"))
        ),
        grain=group,
    )


def compared(text: str) -> Found | None:
    """Which regions had less revenue than their target in the last quarter."""
    found = re.match(
        rf"{_LEAD} {_THINGS}(?:had|have|has|made|brought(?: in)?|sold|opened|got|received) "
        r"(?P<sign>more|higher|less|fewer|lower) (?P<one>.+?) than (?:their|its|the) "
        r"(?P<two>(?!average)[\w-]+(?: [\w-]+)??)(?P<period>(?: (?:in|during|for|of|last|this) .+)?)$",
        text,
        _I,
    )
    if found is None:
        return None
    entity, period = singular(found["x"].lower()), found["period"]
    return Found(
        asks=tuple(
            Ask(
                text=f"What was the {one} of each {entity}{period}",
                named=(one, "by", entity),
                more=f" Give {entity} name and {one}.",
            )
            for one in (found["one"], found["two"])
        ),
        grain=entity,
        counted=found["lead"].lower() == "how many",
        above=found["sign"].lower() in ("more", "higher"),
    )


def percentage(text: str) -> Found | None:
    """What percentage of the sales made in 2025 has been returned."""
    found = re.match(
        rf"(?:{_WHAT} )?(?:what )?(?:percentage|percent|share|proportion) of (?:all |the |our |all the )*"
        r"(?P<x>[\w-]+(?: (?!has\b|have\b|had\b|is\b|are\b|was\b|were\b|did\b|do\b)[\w-]+)*?) "
        r"(?P<verb>has|have|had|is|are|was|were|did|do|came|come|used|bought|opened|placed) (?P<what>.+)$",
        text,
        _I,
    )
    if found is None or not is_plural(found["x"].lower().split()[0]):
        return None
    verb = {"has": "have", "is": "are", "was": "were"}.get(found["verb"].lower(), found["verb"])
    return Found(
        asks=(
            Ask(text=f"How many different {found['x']} {verb} {found['what']}", named=("part",)),
            Ask(text=f"How many {_there(found['x'])}", named=("whole",)),
        ),
        entity=singular(found["x"].lower().split()[0]),
    )


def _there(nouns: str) -> str:
    """Turn ``sales made in 2025`` into ``sales were made in 2025``."""
    found = re.match(
        r"(?P<x>[\w-]+) (?P<done>\w+ed|made|sold|sent|paid|bought)\b(?P<rest>.*)$", nouns, _I
    )
    if found:
        return f"{found['x']} were {found['done']}{found['rest']}"
    return f"{nouns} are there"


def without(text: str) -> Found | None:
    """How many customers bought something in 2024 but nothing in 2025."""
    found = re.match(
        rf"{_LEAD} {_THINGS}(?P<verb>[\w]+(?:ed|t|ld|de|ew)|made) (?P<what>.+?) "
        r"(?P<in>in|during|on|from) (?P<a>.+?),? but (?:not|nothing|none|never|no \w+)(?: \w+)? ?"
        r"(?P<in2>in|during|on|from|since|after) (?P<b>.+)$",
        text,
        _I,
    )
    if found is None:
        return None
    entity = singular(found["x"].lower())
    head = f"Which {found['x']} {found['verb']} {found['what']}"
    more = f" Give only the ID of each {entity}, each once."
    return Found(
        asks=(
            Ask(text=f"{head} {found['in']} {found['a']}", named=(found["x"], "with"), more=more),
            Ask(text=f"{head} {found['in2']} {found['b']}", named=(found["x"], "later"), more=more),
        ),
        grain=entity,
        counted=found["lead"].lower() == "how many",
    )


def average_of(text: str) -> Found | None:
    """What is the average number of orders per customer."""
    found = re.match(
        rf"(?:{_WHAT} |{_WHAT} our )?average (?P<what>number of [\w -]+?|total [\w -]+?|[\w -]*?(?:revenue|sales|spending|units)) "
        r"(?:per|of each|for each|by) (?P<x>[\w-]+)(?P<rest>.*)$",
        text,
        _I,
    )
    if found is None or re.match(r" (?:and|by|per|for each)\b", found["rest"], _I):
        return None
    entity, what = singular(found["x"].lower()), found["what"]
    return Found(
        asks=(
            Ask(
                text=f"What was the {what} of each {entity}{found['rest']}",
                named=(what.removeprefix("number of "), "per", entity),
                more=f" Give one row for each {entity}.",
            ),
        ),
        grain=entity,
    )


FORMS: tuple[tuple[Form, Callable[[str], Found | None]], ...] = (
    ("difference", exceeds),
    ("difference", more_than),
    ("difference", difference),
    ("beyond", beyond_average),
    ("beside", beside),
    ("compared", compared),
    ("percentage", percentage),
    ("without", without),
    ("average", average_of),
)
