"""Questions whose steps each give one value: differences and percentages."""

import re

from querymend.tools.questions.sub_questions import Ask, Found
from querymend.tools.questions.words import is_plural, singular

_WHAT = r"(?:what (?:is|are|was|were)|give|show|find|calculate|compute|tell me)(?: me)?(?: the)?"
_EXCEEDS = re.compile(
    r"by how (?:much|many [\w$]+|far) (?:did|does|do) (?P<what>the .+?) (?P<of>of|in|from|on) "
    r"(?P<a>.+?) exceed (?:that|those|the \w+|what it was|the one) (?P=of) (?P<b>.+)$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:by )?how (?P<word>much|many) (?P<sign>more|less|fewer) (?P<head>.+?) "
    r"(?P<of>in|on|during|from) (?P<a>.+?) than (?:in|on|during|from) (?P<b>.+)$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"{_WHAT} difference (?:in|of) (?:the )?(?P<what>.+?) between (?P<a>.+?) and (?P<b>.+)$",
    re.IGNORECASE,
)
_OF_TWO = re.compile(
    rf"{_WHAT} difference between (?!the (?:highest|lowest|max|min|largest|smallest))"
    r"(?P<a>the .+?) and (?P<b>the .+)$",
    re.IGNORECASE,
)
_VERB = r"(?:has|have|had|is|are|was|were|did|do|came|come|used|bought|opened|placed)(?= )"
_PERCENT = re.compile(
    rf"(?:{_WHAT} )?(?:what )?(?:percentage|percent|share|proportion) of (?:all |the |our )*"
    rf"(?P<x>[\w-]+(?: (?!{_VERB})[\w-]+)*?) (?P<verb>{_VERB}) (?P<what>.+)$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?P<x>[\w-]+) (?P<done>\w+ed|made|sold|sent|paid|bought)\b(?P<rest>.*)$", re.IGNORECASE
)
_WHO = re.compile(r"(?P<x>[\w-]+) (?:who|that|which) (?P<rest>.+)$", re.IGNORECASE)
_PLURAL = {"has": "have", "is": "are", "was": "were"}


def exceeds(text: str) -> Found | None:
    """By how much did the revenue of A exceed that of B."""
    found = _EXCEEDS.match(text)
    return _two(found, f"What was {found['what']} {found['of']}") if found else None


def more_than(text: str) -> Found | None:
    """How much more revenue did we make in A than in B."""
    found = _MORE.match(text)
    if found is None:
        return None
    two = _two(found, f"How {found['word']} {found['head']} {found['of']}")
    turned = found["sign"].lower() in ("less", "fewer")
    return Found(asks=two.asks[::-1]) if turned else two


def difference(text: str) -> Found | None:
    """What is the difference in revenue between A and B."""
    if found := _BETWEEN.match(text):
        return _two(found, f"What was the {found['what']} of")
    found = _OF_TWO.match(text)
    return _two(found, "What was") if found else None


def _two(found: "re.Match[str]", head: str) -> Found:
    """Ask the same of two things."""
    sides = (found["a"], found["b"])
    return Found(
        asks=tuple(
            Ask(text=f"{head} {side}", named=("value", side.removeprefix("the "))) for side in sides
        )
    )


def percentage(text: str) -> Found | None:
    """What percentage of the sales made in 2025 has been returned."""
    found = _PERCENT.match(text)
    if found is None or not is_plural(found["x"].lower().split()[0]):
        return None
    things, verb = re.sub(r" (?:that|who|which)$", "", found["x"]), found["verb"].lower()
    part = f"How many different {things} {_PLURAL.get(verb, verb)} {found['what']}"
    return Found(
        asks=(
            Ask(text=part, named=("part",)),
            Ask(text=f"How many {_there(things)}", named=("whole",)),
        ),
        entity=singular(things.lower().split()[0]),
    )


def _there(things: str) -> str:
    """Make a sentence of things: ``sales made in 2025`` were made in 2025."""
    if done := _DONE.match(things):
        return f"{done['x']} were {done['done']}{done['rest']}"
    did = _WHO.match(things)
    return f"{did['x']} {did['rest']}" if did else f"{things} are there"
