"""Which columns a question enumerates: ``the name, country and age of …``."""

import re

_ASK = (
    r"(?:what(?:'s| is| are| was| were)|list(?: down| out)?|show|give|find|return|provide|get|"
    r"tell|display|report|select)(?: me| us)?"
)
_DETERMINER = (
    r"(?:(?:all|the|different|distinct|unique|both|of|a|an|their|its|his|her|or|each|every|"
    r"only|respective|corresponding) |[\w-]+'s? )*"
)
_NO_WORD = (
    r"(?!(?:and|or|of|for|whose|that|where|which|who|whom|between|both|have|has|had|as|with|is|"
    r"are|do|does|did|how|what|when|not|be|ratio|difference|in|by|than)\b)"
)
_ITEM = rf"(?:(?:the|their|its|a|an) )?{_NO_WORD}[a-z][\w-]*(?: {_NO_WORD}[a-z][\w-]*){{0,3}}?"
_STOP = (
    r"(?= (?:of|for|from|in|that|which|who|whose|where|with|by|when|on|to|at|is|are|do|does|did|"
    r"have|has|had|ordered|sorted|included|caused|across|among|per|based|as|if|belonging|"
    r"corresponding|associated|used|along|together|covered|given|made)\b|[.?!;:]|$)"
)
_LIST = re.compile(rf"\b{_ASK} {_DETERMINER}({_ITEM}(?:, {_ITEM})*,? and {_ITEM}){_STOP}")


def shown_words(text: str) -> tuple[str, ...]:
    """Return the items of the first enumeration that a question (lower case) asks to see.

    ``the average, minimum and maximum age of …`` gives three items, each as written.
    Empty where the question asks for one thing, or does not say it plainly.
    """
    found = _LIST.search(text)
    if found is None:
        return ()
    items = re.split(r",? and |, ", found.group(1))
    return tuple(re.sub(r"^(?:the|their|its|a|an) ", "", i.strip()) for i in items if i.strip())
