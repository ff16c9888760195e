"""The output file of an evaluation: one JSON line a question, which a rerun goes on from."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Literal

from querymend.evaluation.score import DELIVERED, Score
from querymend.settings import Settings
from querymend.tools.errors import SetupError
from querymend.tools.results.plain import Plain, plain

Mode = Literal["loop", "single"]
"""The whole loop, or one pass without repair."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """What became of one question: all that one needs to see why."""

    key: str
    mode: Mode
    digest: str
    """Which text and golds the question had."""
    question: str
    db: str = ""
    tags: tuple[str, ...] = ()
    answerable: bool = True
    outcome: str = "failed"
    score: Score | None = None
    """None where it could not be scored, since no gold of it runs."""
    route: str = ""
    text: str = ""
    sql: str = ""
    rows: list[Plain] = field(default_factory=list)
    """The first few rows of the answer."""
    row_count: int = 0
    truncated: bool = False
    findings: list[Plain] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    confidence: float | None = None
    attempts: list[Plain] = field(default_factory=list)
    first: dict[str, Plain] = field(default_factory=dict)
    """The first attempt: ``verdict`` (right, wrong, failed, none) and the worst ``severity``."""
    gold: dict[str, Plain] = field(default_factory=dict)
    cost: dict[str, Plain] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    """Fingerprints of the prompts in use."""
    error: str = ""
    """What broke, where no answer came back: a fault of QueryMend or of the gold."""

    @property
    def delivered(self) -> bool:
        """Tell whether the user got a right result."""
        return self.score in DELIVERED

    def number(self, name: str) -> float:
        """Return one figure of the cost, 0 where it is not known."""
        value = self.cost.get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(plain(asdict(self)), ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> "Record":
        """Read a record back; fields of other versions are passed over."""
        known = {f.name for f in fields(cls)}
        given = {k: v for k, v in data.items() if k in known}
        tags = given.get("tags")
        return cls(**{**given, "tags": tuple(tags if isinstance(tags, list) else ())})  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class RunId:
    """What results depend on: records of another run are not gone on from."""

    settings: dict[str, Plain]
    prompts: dict[str, str]
    code: str
    """A hash of QueryMend's own sources."""

    @property
    def fingerprint(self) -> str:
        """Return a short hash of all of it."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def differences(self, other: Mapping[str, object]) -> list[str]:
        """Name what differs from the header of an output file."""
        mine = asdict(self)
        return [name for name in mine if mine[name] != other.get(name)]


def run_id(settings: Settings) -> RunId:
    """Describe this run by its settings (nothing secret), prompts and code."""
    from querymend import prompts

    dumped = settings.model_dump(mode="json", exclude={"cache_dir", "source", "index"})
    for part in ("model", "embedding"):
        dumped[part].pop("api_key", None)
        dumped[part].pop("headers", None)
    return RunId(
        settings=dumped,
        prompts={name: prompts.fingerprint(name) for name in prompts.names()},
        code=_code_hash(),
    )


@cache
def _code_hash() -> str:
    digest = hashlib.sha256()
    for name, text in sorted(_sources(resources.files("querymend"), "")):
        digest.update(name.encode() + b"\0" + text)
    return digest.hexdigest()[:10]


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield what answers depend on; how they are shown is no part of it."""
    for entry in folder.iterdir():
        here = f"{path}/{entry.name}"
        if entry.is_dir() and entry.name not in ("cli", "__pycache__"):
            yield from _sources(entry, here)
        elif entry.name.endswith((".py", ".txt", ".json", ".yaml")):
            yield here, entry.read_bytes()


def read_records(path: Path) -> tuple[dict[str, object], list[Record]]:
    """Read an output file: its header, and its records (a later one replaces an earlier one).

    Raises:
        SetupError: the file cannot be read, or is none of ours.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}.") from error
    header: dict[str, object] = {}
    found: dict[tuple[str, str], Record] = {}
    for number, line in enumerate(lines, start=1):
        data = _parse(path, number, line)
        if "key" in data:
            record = Record.from_dict(data)
            found[record.key, record.mode] = record
        else:
            header = data
    return header, list(found.values())


def _parse(path: Path, number: int, line: str) -> dict[str, object]:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise SetupError(f"{path}, line {number}: no output of `querymend eval`.") from error
    if not isinstance(data, dict) or not ({"key", "fingerprint"} & data.keys()):
        raise SetupError(f"{path}, line {number}: no output of `querymend eval`.")
    return data


@dataclass(kw_only=True)
class Output:
    """An output file that is being written, and what it already holds."""

    path: Path
    done: list[Record]
    """Finished records of this very run, from an earlier start."""
    notes: list[str]
    """What the user should be told about going on or starting anew."""
    stream: IO[str]

    def write(self, record: Record) -> None:
        """Add one record; it is on disk when this returns."""
        self.stream.write(record.to_json() + "\n")
        self.stream.flush()


@contextmanager
def open_output(path: Path, run: RunId, *, fresh: bool = False) -> Iterator[Output]:
    """Open an output file to go on with it, or to start it.

    Records of another run (other settings, prompts or code) are put aside beside it.

    Raises:
        SetupError: another process writes it, or it is none of ours.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(path.name + ".lock").open("w") as guard:
        _lock(guard, path)
        done, notes = _go_on(path, run, fresh=fresh)
        with path.open("a", encoding="utf-8") as stream:
            if stream.tell() == 0:
                header = {"fingerprint": run.fingerprint, **asdict(run)}
                stream.write(json.dumps(header, ensure_ascii=False) + "\n")
            yield Output(path=path, done=done, notes=notes, stream=stream)


def _lock(guard: IO[str], path: Path) -> None:
    """Hold the file for this process alone, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise SetupError(f"Another process is writing {path}; name another --out.") from error


def _go_on(path: Path, run: RunId, *, fresh: bool) -> tuple[list[Record], list[str]]:
    if not path.exists() or path.stat().st_size == 0:
        return [], []
    _drop_torn_line(path)
    header, records = read_records(path)
    if fresh and records:
        return [], [f"Starting anew; the earlier records are in {_put_aside(path, header)}."]
    differing = run.differences(header)
    if differing and records:
        aside = _put_aside(path, header)
        return [], [
            f"Starting anew, since {' and '.join(differing)} changed; the {len(records)} earlier"
            f" records are in {aside}."
        ]
    if differing or fresh:
        path.unlink()
        return [], []
    return _finished(records), [f"Going on: {len(records)} records are there already."]


def _finished(records: Sequence[Record]) -> list[Record]:
    """Leave out what broke, so that it is tried again."""
    return [r for r in records if not r.error]


def _put_aside(path: Path, header: Mapping[str, object]) -> Path:
    stem = f"{path.stem}.{header.get('fingerprint', 'old')}"
    aside, twin = path.with_name(stem + path.suffix), 1
    while aside.exists():
        twin += 1
        aside = path.with_name(f"{stem}-{twin}{path.suffix}")
    return path.rename(aside)


def _drop_torn_line(path: Path) -> None:
    """Cut off a last line whose writer was killed half-way."""
    with path.open("r+b") as stream:
        whole = stream.read()
        stream.truncate(whole.rfind(b"\n") + 1)
