"""Questions whose steps each give one row for each thing: what a store sold, who bought."""

import re

from querymend.tools.questions.sub_questions import Ask, Found, period_behind, period_off
from querymend.tools.questions.words import is_plural, singular

_LEAD = r"(?P<lead>how many|which|what|list(?: all)?(?: the)?)"
_THINGS = r"(?P<x>[\w-]+(?: [\w-]+)??) (?:that |who |which )?"
_BEYOND = re.compile(
    rf"{_LEAD} {_THINGS}(?P<verb>had|have|has|made|brought(?: in)?|generated|sold|earned|got|"
    r"received|opened|placed|spent) "
    r"(?P<sign>more|higher|a higher|a larger|less|fewer|lower|a lower|a smaller) (?P<what>.+?) "
    r"than (?:the|an) average (?P<same>[\w-]+)(?P<rest>.*)$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"for (?:each|every) (?P<g>[^,]+?),? (?P<one>(?:how|what) .+?),? and "
    r"(?P<two>how (?:many|much) (?!(?:in|on|by|of|more|less)\b)[\w-]+(?: [\w-]+)*? "
    r"(?:are|is|were|was|have|has|had|did|do|does)\b(?!.*\b(?:before|previous|prior|side)\b).*)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"how (?:many|much) ([\w-]+(?: [\w-]+)?) (?:are|is|were|was|have|do|did)", re.IGNORECASE
)
_COMPARED = re.compile(
    rf"{_LEAD} {_THINGS}(?:had|have|has|made|brought(?: in)?|sold|opened|got|received) "
    r"(?P<sign>more|higher|less|fewer|lower) (?P<one>.+?) than (?:their|its|the) "
    r"(?P<two>(?!average)[\w-]+(?: [\w-]+)??)"
    r"(?P<period>(?: (?:in|during|for|of|last|this) .+)?)$",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    rf"{_LEAD} {_THINGS}(?P<verb>[\w]+(?:ed|t|ld|de|ew)|made) (?P<what>.+?) "
    r"(?P<in>in|during|on|from) (?P<a>.+?),? but (?:not|nothing|none|never|no \w+)(?: \w+)? ?"
    r"(?P<in2>in|during|on|from|since|after) (?P<b>.+)$",
    re.IGNORECASE,
)
_AVERAGE = re.compile(
    r"(?:what (?:is|are|was|were)|give|show|find|calculate|compute)(?: me)? (?:the |our )*average "
    r"(?P<what>number of [\w -]+?|total [\w -]+?|[\w -]*?(?:revenue|sales|spending|units)) "
    r"(?:per|of each|for each|by) (?P<x>[\w-]+)(?P<rest>(?!.*\b(?:and|by|per|each|every)\b).*)$",
    re.IGNORECASE,
)


def beyond_average(text: str) -> Found | None:
    """How many products had more revenue than the average product."""
    found = _BEYOND.match(text)
    if found is None or singular(found["same"].lower()) != singular(found["x"].lower().split()[-1]):
        return None
    entity = singular(found["x"].lower())
    what, period = period_off(found["what"])
    asked = _of_each(what, found["verb"].lower(), entity) + (period or period_behind(found["rest"]))
    return Found(
        asks=(_each(asked, what, entity),),
        grain=entity,
        counted=_counted(found),
        above=found["sign"].split()[-1].lower() in ("more", "higher", "larger"),
    )


def _of_each(what: str, verb: str, entity: str) -> str:
    """Ask for each thing what it adds up to: a number of things, or an amount."""
    done = {"had": "", "have": "", "has": "", "brought": "brought in"}.get(verb, verb)
    if is_plural(what.split()[-1].lower()) and what.lower() != "sales":
        return f"How many {what} " + (f"were {done} by each" if done else "has each") + f" {entity}"
    done = f" {done}" if done else ""
    return f"What was the total {what.removeprefix('total ')}{done} of each {entity}"


def _each(text: str, what: str, entity: str) -> Ask:
    named = (what.removeprefix("number of "), "per", entity)
    return Ask(text=text, named=named, more=f" Give one row for each {entity}.")


def average_of(text: str) -> Found | None:
    """What is the average number of orders per customer."""
    found = _AVERAGE.match(text)
    if found is None:
        return None
    entity, what = singular(found["x"].lower()), found["what"]
    asked = f"What was the {what} of each {entity}{found['rest']}"
    return Found(asks=(_each(asked, what, entity),), grain=entity)


def beside(text: str) -> Found | None:
    """For each plan, how many customers are there and how many tickets have they opened."""
    found = _BESIDE.match(text)
    if found is None:
        return None
    group, one = found["g"], found["one"]
    more = f" Give {group} and the number."
    asks = ((one, "first"), (_spelt_out(found["two"], one), "second"))
    return Found(
        asks=tuple(
            Ask(text=f"For each {group}, {ask}", named=(name, "by", group), more=more)
            for ask, name in asks
        ),
        grain=group,
    )


def _spelt_out(two: str, one: str) -> str:
    """Put the things that the first question counts where the second says ``they``."""
    noun = _COUNTED.match(one)
    if noun is None or not is_plural(noun[1].lower().split()[-1]):
        return two
    two = re.sub(r"\bthey\b", f"its {noun[1]}", two, flags=re.IGNORECASE)
    return re.sub(r"\btheir\b", f"the {noun[1]}'", two, flags=re.IGNORECASE)


def compared(text: str) -> Found | None:
    """Which regions had less revenue than their target in the last quarter."""
    found = _COMPARED.match(text)
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
        counted=_counted(found),
        above=found["sign"].lower() in ("more", "higher"),
    )


def without(text: str) -> Found | None:
    """How many customers bought something in 2024 but nothing in 2025."""
    found = _WITHOUT.match(text)
    if found is None:
        return None
    entity, head = (
        singular(found["x"].lower()),
        f"Which {found['x']} {found['verb']} {found['what']}",
    )
    spans = ((f"{found['in']} {found['a']}", "with"), (f"{found['in2']} {found['b']}", "later"))
    more = f" Give only the ID of each {entity}, each once."
    return Found(
        asks=tuple(
            Ask(text=f"{head} {span}", named=(found["x"], name), more=more) for span, name in spans
        ),
        grain=entity,
        counted=_counted(found),
    )


def _counted(found: "re.Match[str]") -> bool:
    return found["lead"].lower() == "how many"
