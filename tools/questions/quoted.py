"""Quoted phrases of a question, which name values and are not read as instructions."""

import re

_QUOTED = re.compile(
    r"""(?<![\w])(?:"([^"]+)"|\u201c([^\u201d]+)\u201d|`([^`]+)`"""
    r"""|'((?:[^']|'(?=\w))+)'|\u2018((?:[^\u2018\u2019]|\u2019(?=\w))+)\u2019)(?!\w)"""
)


def quoted_phrases(question: str) -> tuple[str, ...]:
    """Return what stands between quotation marks, in order; an apostrophe is none."""
    return tuple(next(g for g in m.groups() if g) for m in _QUOTED.finditer(question))


def without_quotes(question: str) -> str:
    """Replace every quoted phrase by ``""``, so that its words are not read."""
    return _QUOTED.sub('""', question)


def blanked(question: str) -> str:
    """Blank out every quoted phrase letter by letter, so that places stay what they are."""
    return _QUOTED.sub(lambda m: " " * len(m.group()), question)
