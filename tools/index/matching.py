"""Which phrases of a question are values of the warehouse."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from querymend.tools.catalog.model import Catalog
from querymend.tools.index.masking import quoted_spans
from querymend.tools.index.model import ValueHit
from querymend.tools.index.values import Held, ValueIndex, normal
from querymend.tools.index.words import STOP, spelled, words

READ = 4_000
"""Characters of a question that are looked at."""
LONGEST = 8
"""Words of a phrase at most."""
PER_PHRASE = 4
NEAR_PHRASES = 8
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class _Phrase:
    start: int
    end: int
    text: str
    norm: str
    named: bool
    """Written as a name: in quotes, or with capitals."""
    quoted: bool = False


def match(
    question: str,
    index: ValueIndex,
    catalog: Catalog | None = None,
    *,
    known: Collection[str] | None = None,
) -> list[ValueHit]:
    """Return the values that the question names, in the order of their phrases.

    A phrase matches a value that equals it but for case, plural, diacritics and signs (score 1),
    or is near it (a misspelling, from 0.88). A longer phrase wins over those inside it; phrases
    of stop words alone never match.

    Args:
        question: what was asked.
        index: the warehouse's values.
        catalog: what the caller may see; values elsewhere are not looked at.
        known: words of its names, where somebody has them already; such a word is a value only
            if it stands in quotes.
    """
    text = question[:READ]
    schema = schema_words(catalog) if known is None else known
    phrases = [p for p in _phrases(text) if p.quoted or p.norm not in schema]
    held = index.held(p.norm for p in phrases)
    exact = [(p, 1.0, _seen(held[p.norm], catalog)) for p in phrases]
    taken = _longest([hit for hit in exact if hit[2]])
    near = [(p, *_near(p, index, catalog)) for p in _misspelt(phrases, [h[0] for h in taken])]
    hits = taken + _longest([hit for hit in near if hit[2]])
    hits.sort(key=lambda hit: hit[0].start)
    return [_hit(p, score, h) for p, score, found in hits for h in found[:PER_PHRASE]]


def _hit(phrase: _Phrase, score: float, held: Held) -> ValueHit:
    return ValueHit(
        phrase=phrase.text, table=held.table, column=held.column, value=held.value, score=score
    )


def _phrases(text: str) -> Iterator[_Phrase]:
    """Yield quoted phrases, then every run of words that could be a value."""
    for start, end in quoted_spans(text):
        inner = text[start + 1 : end - 1].strip()
        yield _Phrase(start=start, end=end, text=inner, norm=normal(inner), named=True, quoted=True)
    found = list(_WORD.finditer(text))
    shouting = text.isupper()
    for first, begin in enumerate(found):
        for last in found[first : first + LONGEST]:
            phrase = text[begin.start() : last.end()]
            named = not shouting and any(c.isupper() for c in phrase[(1 if first == 0 else 0) :])
            if _may_be_value(phrase, named):
                yield _Phrase(
                    start=begin.start(),
                    end=last.end(),
                    text=phrase,
                    norm=normal(phrase),
                    named=named,
                )


def _may_be_value(phrase: str, named: bool) -> bool:
    """Tell whether a run of words says more than grammar or a number does."""
    found = _WORD.findall(phrase)
    if len(found) == 1 and phrase.isdigit():
        return len(phrase) >= 4
    if len(phrase) == 1:
        return phrase.isupper() and phrase not in "AI"
    if all(w.lower() in STOP or (w.isdigit() and len(w) < 4) for w in found):
        return named and phrase.isupper() and len(found) == 1
    return True


def _seen(held: list[Held], catalog: Catalog | None) -> list[Held]:
    """Keep what stands in columns that the caller may see."""
    if catalog is None:
        return held
    tables = {h.table: catalog.table(h.table) for h in held}
    return [h for h in held if (t := tables[h.table]) is not None and t.column(h.column)]


def _longest(
    hits: list[tuple[_Phrase, float, list[Held]]],
) -> list[tuple[_Phrase, float, list[Held]]]:
    """Keep the longest of overlapping phrases; of equal ones, the better match."""
    kept: list[tuple[_Phrase, float, list[Held]]] = []
    for hit in sorted(hits, key=lambda h: (h[0].start - h[0].end, -h[1], h[0].start)):
        if not any(_overlap(hit[0], other[0]) for other in kept):
            kept.append(hit)
    return kept


def _overlap(one: _Phrase, other: _Phrase) -> bool:
    return one.start < other.end and other.start < one.end


def _misspelt(phrases: list[_Phrase], taken: Collection[_Phrase]) -> list[_Phrase]:
    """Return the phrases worth a search for near values: names first, then single long words."""
    free = [p for p in phrases if len(p.norm) >= 5 and not any(_overlap(p, t) for t in taken)]
    runs = [p for p in free if p.named and _is_name(p.text)]
    plain = [p for p in runs if STOP.isdisjoint(w.lower() for w in _WORD.findall(p.text))]
    names = [hit[0] for some in (plain, runs) for hit in _longest([(p, 1.0, []) for p in some])]
    single = [p for p in free if " " not in p.norm and len(p.norm) >= 6]
    return list(dict.fromkeys([*names, *single]))[:NEAR_PHRASES]


def _is_name(text: str) -> bool:
    """Tell whether a phrase is a name from its first to its last word: ``Bank of England``."""
    found = _WORD.findall(text)
    inside = all(w[0].isupper() or w[0].isdigit() or w in STOP for w in found)
    return inside and found[0].lower() not in STOP and found[-1].lower() not in STOP


def _near(phrase: _Phrase, index: ValueIndex, catalog: Catalog | None) -> tuple[float, list[Held]]:
    """Return the best near value that the caller may see, with its likeness."""
    near = index.near(phrase.norm) if not phrase.norm.isdigit() else []
    held = index.held(norm for norm, _ in near)
    for norm, score in near:
        if seen := _seen(held[norm], catalog):
            return score, seen
    return 0.0, []


def schema_words(catalog: Catalog | None) -> frozenset[str]:
    """Return the words of the tables' and columns' names."""
    tables = catalog.tables if catalog else ()
    names = (n for t in tables for n in (t.name, *(c.name for c in t.columns)))
    return frozenset(word for name in names for word in words(spelled(name)))
