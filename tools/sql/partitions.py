"""Partitioned tables: does the statement say which partitions it needs?

A scan of every partition is slow and dear, not wrong: a warning. A key whose values are injected
must be given, or the engine refuses.
"""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import PartitionKey
from querymend.tools.findings import Finding
from querymend.tools.sql.parse import position, written
from querymend.tools.sql.partition_terms import Scan, Term, scans
from querymend.tools.sql.partition_values import kind
from querymend.tools.sql.subject import Subject

COSTLY = ("partition_scan", "partition_wrapped", "partition_or")
"""Findings that are about what a scan costs, and about nothing else."""
_PRUNING = ("athena", "trino")


def check_partitions(subject: Subject) -> Iterator[Finding]:
    """Yield what is wrong with the predicates on partition keys."""
    if subject.dialect not in _PRUNING:
        return
    for scan in scans(subject):
        yield from _injected(scan, subject)
        yield from (_illegal(scan, t, subject) for t in scan.terms if t.fault == "value")
        yield from (_of_type(scan, t, subject) for t in scan.terms if t.fault == "type")
        if not scan.usable and not any(t.fault in ("type", "value") for t in scan.terms):
            yield _unpruned(scan, subject)


def _injected(scan: Scan, subject: Subject) -> Iterator[Finding]:
    given = {t.key for t in scan.usable if t.how == "equal"}
    for key in scan.table.partition_keys:
        if key.projection == "injected" and key.name not in given:
            yield Finding(
                code="partition_injected",
                kind="literal",
                severity="block",
                message=f"{scan.table.name}.{key.name} must be given one value, or a list of"
                " values: Athena knows its partitions in no other way.",
                clause=written(scan.source.node, subject.parsed.text),
                hint=f"Add {key.name} = '…' or {key.name} IN ('…', '…') to WHERE.",
                position=position(scan.source.node, subject.parsed.text),
            )


def _of_type(scan: Scan, term: Term, subject: Subject) -> Finding:
    column = scan.table.column(term.key)
    own = column.type.lower() if column else "?"
    return _finding(
        "partition_type",
        scan,
        term,
        subject,
        f"The partition key {scan.table.name}.{term.key} is {own}; it is compared with another"
        " type, which Athena refuses or cannot use to leave partitions out.",
    )


def _illegal(scan: Scan, term: Term, subject: Subject) -> Finding:
    key = scan.table.partition_key(term.key) or PartitionKey(name=term.key)
    return _finding(
        "partition_value",
        scan,
        term,
        subject,
        f"{scan.table.name}.{term.key} has no such value.",
        hint=f"Its values are {', '.join(repr(v) for v in key.values[:12])}.",
    )


def _unpruned(scan: Scan, subject: Subject) -> Finding:
    """Blame the predicate that could have helped, else the table as a whole."""
    faulty = [t for t in scan.terms if t.fault in ("wrapped", "or")]
    if not faulty:
        return _whole_table(scan, subject)
    term = next((t for t in faulty if t.cure is not None), faulty[0])
    if term.fault == "or":
        return _finding(
            "partition_or",
            scan,
            term,
            subject,
            f"An OR opens the predicate on the partition key {scan.table.name}.{term.key}, so"
            " every partition is read.",
            hint=f"Say in every arm of the OR which {term.key} is meant.",
        )
    return _finding(
        "partition_wrapped",
        scan,
        term,
        subject,
        f"The predicate on the partition key {scan.table.name}.{term.key} cannot be used to leave"
        " partitions out.",
        hint=f"Compare {term.key} itself with constants: {_example(scan, term.key)}.",
    )


def _whole_table(scan: Scan, subject: Subject) -> Finding:
    keys = ", ".join(_described(scan, k) for k in scan.table.partition_keys)
    keys = keys or ", ".join(scan.table.partitions)
    return Finding(
        code="partition_scan",
        kind="engine",
        severity="warn",
        message=f"Every partition of {scan.table.name} is read: nothing is said about its"
        f" partition keys ({', '.join(scan.table.partitions)}).",
        clause=written(scan.source.node, subject.parsed.text),
        evidence=f"partition keys: {keys}",
        hint=f"Add a predicate such as {_example(scan, scan.table.partitions[0])} to WHERE.",
        position=position(scan.source.node, subject.parsed.text),
    )


def _described(scan: Scan, key: PartitionKey) -> str:
    column = scan.table.column(key.name)
    newest = f", newest {key.latest}" if key.latest else ""
    return f"{key.name} ({column.type.lower() if column else '?'}{newest})"


def _example(scan: Scan, name: str) -> str:
    """Write a predicate on a key with a value that it has."""
    key, column = scan.table.partition_key(name), scan.table.column(name)
    value = key.latest or next(iter(key.values), "") if key else ""
    mine = kind(column) if column else ""
    if not value:
        return f"{name} = …" if mine == "number" else f"{name} = '…'"
    if mine == "number":
        return f"{name} = {value}"
    return f"{name} = DATE '{value}'" if mine == "date" else f"{name} = '{value}'"


def _finding(
    code: str, scan: Scan, term: Term, subject: Subject, message: str, *, hint: str = ""
) -> Finding:
    cure = term.cure.sql(subject.dialect) if term.cure is not None else ""
    return Finding(
        code=code,
        kind="type" if code == "partition_type" else "engine",
        severity="warn",
        message=message,
        clause=written(term.node, subject.parsed.text),
        hint=f"Write {cure}." if cure else hint,
        fix=_with(subject, [(term.node, term.cure)]) if term.cure is not None else None,
        position=position(term.node, subject.parsed.text),
    )


def _with(subject: Subject, changes: Iterable[tuple[exp.Expr, exp.Expr]]) -> str:
    """Return the statement with predicates replaced, the tree at hand left as it is."""
    swaps = {id(old): new for old, new in changes}
    tree = subject.tree.copy()
    for old, copy in zip(subject.tree.walk(), list(tree.walk()), strict=True):
        if id(old) in swaps:
            copy.replace(swaps[id(old)].copy())
            break
    return tree.sql(subject.dialect)
