"""What an evaluation is about: its questions, their databases, and the agent on each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from querymend.evaluation.questions import Question, find_database, of_pack, read_jsonl
from querymend.evaluation.records import Mode, Output, Record, RunId
from querymend.evaluation.runner import Open, Opened, run_questions
from querymend.settings import Settings
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack
    from querymend.model.writer import Writer

Log = Callable[[str], None]
Progress = Callable[[str, float], None]
SQLITE_ENDINGS = (".sqlite", ".sqlite3", ".db")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The questions of one evaluation."""

    name: str
    """What output files are named after."""
    questions: tuple[Question, ...]
    pack: "Pack | None" = None


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where the questions' databases are."""

    databases: Path | None = None
    """The folder that holds them, by name."""
    source: str = ""
    """The one database of a file whose questions name none."""


def select(
    file: str, *, settings: Settings, offset: int = 0, limit: int | None = None
) -> Selection:
    """Load the questions of a pack (name, folder or its questions.yaml) or of a JSONL file.

    Raises:
        SetupError: there is nothing of that name, or it holds no questions.
    """
    path = Path(file).expanduser()
    if path.suffix in (".jsonl", ".json", ".ndjson") or (path.is_file() and path.suffix != ".yaml"):
        selection = Selection(name=path.stem, questions=read_jsonl(path))
    else:
        selection = _of_pack(str(path.parent) if path.is_file() else file)
    if not selection.questions:
        raise SetupError(f"{file} holds no questions.")
    stop = None if limit is None else offset + limit
    return Selection(
        name=selection.name, questions=selection.questions[offset:stop], pack=selection.pack
    )


def default_output(selection: Selection, file: str, modes: Sequence[Mode], cache: Path) -> Path:
    """Return the output file of such an evaluation where none is named."""
    import hashlib

    where = hashlib.sha256(str(Path(file).expanduser().resolve()).encode()).hexdigest()[:6]
    name = f"{selection.name}-{where}-{'+'.join(modes)}.jsonl"
    return cache / "evals" / name


def go(
    selection: Selection, open_agent: Open, output: Output, *, modes: Sequence[Mode], run: RunId
) -> Iterator[Record]:
    """Ask what the output file lacks, write each record, and yield it."""
    done = frozenset((r.key, r.mode, r.digest) for r in output.done)
    for record in run_questions(
        selection.questions, open_agent, modes=modes, done=done, prompts=run.prompts
    ):
        output.write(record)
        yield record


def belonging(records: Sequence[Record], selection: Selection, mode: Mode) -> list[Record]:
    """Return the records of these questions in one mode, in the questions' order."""
    found = {(r.key, r.digest): r for r in records if r.mode == mode}
    keys = [(q.key, q.digest) for q in selection.questions]
    return [found[k] for k in keys if k in found]


def opener(
    selection: Selection,
    places: Places,
    *,
    settings: Settings,
    writer: "Writer | None",
    log: Log,
    progress: Progress,
) -> Open:
    """Return what opens an agent on one database; all agents share the writer."""
    settings = _as_without_writer(settings)

    def open_one(db: str) -> Opened:
        from querymend.agent import Agent

        source = _source(db, selection, places, settings)
        pack = str(selection.pack.folder) if selection.pack else settings.pack
        given = settings.model_copy(update={"source": source, "pack": pack})
        agent = Agent.open(given, writer=writer, log=log, progress=progress)
        path = Path(source)
        return Opened(agent=agent, sqlite=path if path.suffix in SQLITE_ENDINGS else None)

    return open_one


def _as_without_writer(settings: Settings) -> Settings:
    """Keep the local model's time budget, which an agent with a given writer would not have."""
    seconds = settings.budget.budget(local=not settings.model.base_url).seconds
    return settings.model_copy(
        update={"budget": settings.budget.model_copy(update={"seconds": seconds})}
    )


@contextmanager
def shared_writer(
    settings: Settings, *, keep: bool, log: Log, progress: Progress
) -> Iterator["Writer"]:
    """Give the model that all agents share, its answers kept in the cache folder if asked."""
    from querymend.model.endpoint import writer_for

    yield writer_for(settings.model, settings.cache_dir, progress=progress, log=log, keep=keep)


def _of_pack(name: str) -> Selection:
    from querymend.fewshot.pack import load_pack

    pack = load_pack(name)
    return Selection(name=pack.name, questions=of_pack(pack), pack=pack)


def _source(db: str, selection: Selection, places: Places, settings: Settings) -> str:
    if db:
        if places.databases is None:
            raise SetupError(
                f"The questions name databases ({db}); --databases DIR says where they are."
            )
        return str(find_database(places.databases, db))
    own = selection.pack is not None and selection.pack.warehouse_sql is not None
    return places.source or ("" if own else settings.source)
