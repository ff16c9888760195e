"""The steps of a question that no single grouping answers, each as a question of its own.

A small model that fails on "which products sold better than the average product" answers "what
did each product sell" well. The steps are read by rule; how their results are put together is a
rule too (``querymend.tools.steps.finish``). Decomposition into sub-questions is the method of
least-to-most prompting (Zhou et al. 2022, arXiv 2205.10625) and DIN-SQL (arXiv 2304.11015).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from querymend.tools.questions import step_groups, step_values
from querymend.tools.questions.grouping import Top
from querymend.tools.questions.quoted import quoted_phrases
from querymend.tools.questions.sub_questions import Found, sentences

Finish = Literal[
    "split", "difference", "beyond", "beside", "compared", "percentage", "without", "average"
]
"""How the steps' results become the answer.

``split``: what the first chose, by another part too. ``difference``, ``percentage``: of two
values. ``beyond``: those of the groups that lie beyond the average group. ``beside``: two values a
group. ``compared``: groups in which one value is below or above the other. ``without``: what the
first has and the second lacks. ``average``: over the groups.
"""

FORMS: tuple[tuple[Finish, Callable[[str], Found | None]], ...] = (
    ("difference", step_values.exceeds),
    ("difference", step_values.more_than),
    ("difference", step_values.difference),
    ("beyond", step_groups.beyond_average),
    ("beside", step_groups.beside),
    ("compared", step_groups.compared),
    ("percentage", step_values.percentage),
    ("without", step_groups.without),
    ("average", step_groups.average_of),
)
LONGEST = 500
"""Characters of a question whose form is looked at: more are several questions."""
_SPLIT = re.compile(
    r",? (?:and )?(?:broken|break|split|divided|separated|sliced|shown|listed|grouped)"
    r"(?: it| them| this)?(?: down| up| out)? by .*$|, by .*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One step: what it must find out."""

    name: str
    """A name for its CTE: ``revenue_per_product``."""
    asks: str
    """The step as a question that stands alone."""
    grain: tuple[str, ...] = ()
    """One row for each of these, in the question's words; empty where it is one row."""
    rows: int | None = None
    """At most so many rows."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What a question needs to know first, and how the answer comes of it."""

    tasks: tuple[Task, ...]
    finish: Finish
    parts: tuple[str, ...] = ()
    """What ``split`` breaks the chosen down by."""
    counted: bool = False
    """The number of what remains is asked for, not the list."""
    above: bool = True
    """``beyond`` and ``compared`` keep what is larger; False: what is smaller."""
    entity: str = ""
    """What is chosen, compared or listed, in the question's words."""


@lru_cache(maxsize=1_000)
def steps_of(question: str, top: Top | None = None) -> Steps | None:
    """Return the steps of a question in English, or None where it has no more than one.

    Args:
        question: as it was asked.
        top: the top N that was read from it.
    """
    if len(question) > LONGEST:
        return None
    main, told = sentences(question)
    if quoted_phrases(main):  # a phrase in quotes may hold any of the words that forms look for
        return None
    if top is not None:
        return _split(main, told, top) if top.split and not top.each else None
    for finish, form in FORMS:
        found = form(main)
        if found is not None:
            return _steps(finish, found, told)
    return None


def _split(main: str, told: str, top: Top) -> Steps | None:
    """Choose first, then break down: DESIGN's reading of a top N."""
    entity = top.entity or "entries"
    cut = _SPLIT.sub("", main)
    if cut == main:
        return None
    asks = f"{cut}?{told} Give one row for each of the {top.n} {entity}."
    task = Task(name=named("top", entity), asks=asks, grain=(entity,), rows=top.n)
    return Steps(tasks=(task,), finish="split", parts=top.split, entity=entity)


def _steps(finish: Finish, found: Found, told: str) -> Steps:
    return Steps(
        tasks=tuple(
            Task(
                name=_unlike(i, found),
                asks=f"{ask.text}?{told}{ask.more}",
                grain=(found.grain,) if found.grain else (),
            )
            for i, ask in enumerate(found.asks)
        ),
        finish=finish,
        counted=found.counted,
        above=found.above,
        entity=found.grain or found.entity,
    )


def _unlike(place: int, found: Found) -> str:
    """Name a step; two steps of one name are numbered."""
    names = [named(*ask.named) for ask in found.asks]
    name = names[place]
    return f"{name}_{place + 1}" if names.count(name) > 1 else name


def named(*words: str) -> str:
    """Make a plain identifier of a few words."""
    parts = re.findall(r"[a-z0-9]+", " ".join(words).lower())
    name = "_".join(parts[:5]) or "step"
    return name if name[0].isalpha() else f"step_{name}"
