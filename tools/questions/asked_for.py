"""The nouns that a question asks for: *the average salary of …*, *how many page views …*.

Whatever else a question says may be said in other words than the warehouse's; the thing asked
for seldom is. Of the questions of Spider, BIRD and defog that their databases answer, one in a
hundred asks for a noun that neither names, descriptions nor values hold.
"""

from collections.abc import Iterator, Sequence

from querymend.tools.questions.words import is_plural, singular, tokens, words_of

_ENDS = words_of(
    "is are was were do does did has have had be been being can could will would should may might "
    "must of for in on at by per with from to that which who whom whose where when and or not "
    "than as across among between during since until over under after before without within "
    "about into the a an their its our i we you they he she it this those these there each every "
    "all any no if out off made given based showing ranked sorted grouped ordered"
)
_AGGREGATES = words_of("average mean total median maximum minimum")
_SPENT = words_of("spend spent pay paid cost lose lost earn earned")
_MEASURES = words_of(
    "count number rate score amount value hour time percentage percent quantity level price total "
    "sum size index ratio share figure difference length duration"
)
"""Words that measure what stands before them: *passenger count* asks for passengers."""
_TIMES = words_of("day night week weekend month morning evening afternoon")
_PAST = words_of(
    "brought bought made sold sent won got took gave paid ran wrote held left lost met grew spent "
    "built came went saw began became drove flew sang taught led kept told put cost"
)
_ANYTHING = words_of(
    "person people thing one amount item member entity kind type sort way something anything mile "
    "dollar euro pound unit piece gallon kilogram kilometer name id title record entry "
    "live belong correspond operate make differ revenue turnover profit margin spending earning"
)
"""Words that ask for whatever the rest of the question names, or for what is worked out."""


def asked_nouns(question: str) -> tuple[str, ...]:
    """Return the nouns that a question asks for, singular, each once, in order.

    Only what the form of words makes certain: after *how many*, *how much*, *the most*, an
    aggregate, or a leading *which*; and what sets days apart (*on rainy days*). Empty otherwise.
    """
    words = tokens(question)
    found = (noun for at in range(len(words)) for noun in _at(words, at))
    kept = (singular(n) for n in found if n)
    return tuple(n for n in dict.fromkeys(kept) if n not in _ANYTHING and n not in _MEASURES)


def _at(words: Sequence[str], at: int) -> Iterator[str]:
    """Give the noun that the word at this place asks for, if it is one that asks."""
    word, before = words[at], words[at - 1] if at else ""
    run = _run(words, at + 1)
    if (before, word) == ("how", "many") or (before == "the" and word in ("most", "fewest")):
        yield _first_plural(run)
    elif (before, word) == ("how", "much") or word in _AGGREGATES:
        yield _head(_to_verb(run))
    elif word == "of" and before in ("number", "count"):
        yield _first_plural(run)
    elif word == "which" and at <= 1:
        yield _head(_to_verb(run))
    elif word == "on" and _spent_before(words, at):
        yield _head(run)
    elif word in ("on", "in", "during") and len(run) == 2 and singular(run[1]) in _TIMES:
        yield run[0]


def _run(words: Sequence[str], start: int) -> list[str]:
    """Return the words from a place on, up to one that ends a group of nouns."""
    run: list[str] = []
    for word in words[start:]:
        if word in _ENDS or word[0].isdigit():
            break
        run.append(word)
    return run


def _head(run: Sequence[str]) -> str:
    """Return the last noun that is no word of measure."""
    nouns = [w for w in run if singular(w) not in _MEASURES]
    return nouns[-1] if nouns else ""


def _first_plural(run: Sequence[str]) -> str:
    end = next((i for i, w in enumerate(run) if is_plural(w)), -1)
    return _head(run[: end + 1])


def _to_verb(run: Sequence[str]) -> Sequence[str]:
    """Cut before the verb: *shipping carrier delivered*."""
    ends = (i for i, w in enumerate(run) if i and (w.endswith("ed") or w in _PAST))
    return run[: next(ends, len(run))]


def _spent_before(words: Sequence[str], at: int) -> bool:
    return any(w in _SPENT for w in words[max(0, at - 3) : at])
