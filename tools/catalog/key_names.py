"""How far the names of two columns say that one refers to the other."""

import re

KEY_WORDS = frozenset(
    ("id", "key", "code", "no", "nr", "num", "number", "sk", "uuid", "guid", "pk")
)
NOISE = frozenset(
    ("dim", "fact", "tbl", "table", "t", "ref", "reference", "master", "fk", "f", "d")
)
PLAIN_WORDS = ("android", "avoid", "fluid", "grid", "hybrid", "liquid", "paid", "rapid", "valid")
"""They end in ``id`` without naming a key."""
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")


def words(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words, in the singular: ``OrderItemsID`` → order, item, id."""
    found = (_singular(w.lower()) for w in _WORDS.findall(name))
    return tuple(p for w in found for p in _apart(w))


def is_key_name(name: str) -> bool:
    """Tell whether a column is named like a key: its last word is id, key, code or the like."""
    found = words(name)
    return bool(found) and found[-1] in KEY_WORDS


def agreement(column: str, table: str, target_column: str, target: str) -> float:
    """Return between 0 and 1 how well ``table.column`` is named as a reference to a target.

    1: the target's name and its key (``customer_id`` for ``customers.id`` or
    ``customer_dim.customer_id``); 0.9: the same telling name in both, which is neither's own;
    0.8: the key behind a role (``billing_customer_id``), or the target's bare name
    (``customer``); 0.7: the same key behind a role in a table that it does not name, or the bare
    name behind a role; 0: no agreement. A plural is a number of things, not a reference.
    """
    here, there, subject = words(column), words(target_column), _subject(target)
    if not (here and there and subject):
        return 0.0
    rest = tuple(w for w in there if w not in subject)
    full = subject + rest if set(rest) <= KEY_WORDS else ()
    if here == full:
        return 1.0
    if here == there and _tells(there):
        return 0.0 if set(_subject(table)) <= set(here) else 0.9
    if _ends(here, full):
        return 0.8
    if here[-1:] == subject[-1:] and (here == subject or _ends(here, subject)):
        return 0.0 if _is_plural(column) else 0.8 if here == subject else 0.7
    return 0.7 if _tells(there) and _ends(here, there) else 0.0


def _subject(table: str) -> tuple[str, ...]:
    """Return a table's words without those of modelling: ``product_dim`` → product."""
    found = words(table)
    return tuple(w for w in found if w not in NOISE) or found


def _tells(name: tuple[str, ...]) -> bool:
    """Tell whether a key says whose it is: ``product_id`` does, ``id`` and ``name`` do not."""
    return len(name) > 1 and name[-1] in KEY_WORDS


def _ends(name: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return bool(end) and len(name) > len(end) and name[-len(end) :] == end


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    is_plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2
    return word[:-1] if is_plural else word


def _is_plural(name: str) -> bool:
    last = str(_WORDS.findall(name)[-1]).lower()
    return _singular(last) != last


def _apart(word: str) -> tuple[str, ...]:
    """Split ``customerid``, where nothing marks the border."""
    if word.endswith("id") and len(word) > 4 and not word.endswith(PLAIN_WORDS):
        return (_singular(word[:-2]), "id")
    return (word,)
