"""The Chroma store and its synchronisation: what is written, what is refused, who may read."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from querymend.tools.catalog.model import Catalog, Column, Profile, Table
from querymend.tools.errors import SetupError
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.model import Example, Fact
from querymend.tools.index.store import KINDS, Store, open_store
from querymend.tools.index.sync import SyncReport, read_example, read_fact, sync
from querymend.tools.index.values import ColumnValues, ValueIndex

EXAMPLE = Example(
    id="e1",
    question="Sales in Rome in 2024?",
    sql="SELECT SUM(amount) FROM sales WHERE city = 'Rome'",
    tables=("sales",),
    note='braces {"a": 1} and {x}',
)
FACT = Fact(id="f1", text="Net = amount - tax {x}", tables=("sales",), terms=("net",))


class Counting:
    """The static embedder, with a count of the texts that it was given."""

    def __init__(self, fingerprint: str = StaticEmbedder.fingerprint) -> None:
        self.fingerprint = fingerprint
        self.texts: list[str] = []
        self._real = StaticEmbedder()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return self._real.embed(texts)


def _table(name: str, *columns: str) -> Table:
    made = tuple(Column(name=c, type="VARCHAR") for c in columns)
    return Table(name=name, columns=made)


CATALOG = Catalog(tables=(_table("sales", "city", "amount"), _table("shops", "city", "street")))


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "index", warehouse="w", fingerprint=Counting().fingerprint)
    yield opened
    opened.close()


def test_what_was_indexed_comes_back_as_it_was(store: Store, embedder: Counting) -> None:
    sync(store, embedder, catalog=CATALOG, examples=[EXAMPLE], facts=[FACT])
    assert [read_example(c) for c in store.chunks("examples")] == [EXAMPLE]
    assert [read_fact(c) for c in store.chunks("facts")] == [FACT]
    assert [c.id for c in store.chunks("tables")] == ["sales", "shops"]


def test_indexing_again_writes_and_embeds_nothing(store: Store, embedder: Counting) -> None:
    first = sync(store, embedder, catalog=CATALOG, examples=[EXAMPLE], facts=[FACT])
    revision, embedded = store.revision(), len(embedder.texts)
    again = sync(store, embedder, catalog=CATALOG, examples=[EXAMPLE], facts=[FACT])
    assert first == SyncReport(added=4)
    assert again == SyncReport(unchanged=4)
    assert (store.revision(), len(embedder.texts)) == (revision, embedded)


def test_a_renamed_column_leaves_no_stale_chunk(store: Store, embedder: Counting) -> None:
    sync(store, embedder, catalog=CATALOG)
    renamed = Catalog(tables=(_table("sales", "town", "amount"), CATALOG.tables[1]))
    report = sync(store, embedder, catalog=renamed)
    assert report == SyncReport(changed=1, unchanged=1)
    assert store.count("tables") == 2
    assert not any("city" in c.text for c in store.chunks("tables") if c.id == "sales")


def test_what_is_gone_is_deleted(store: Store, embedder: Counting) -> None:
    sync(store, embedder, catalog=CATALOG, examples=[EXAMPLE], facts=[FACT])
    assert sync(store, embedder, catalog=Catalog(tables=CATALOG.tables[:1])) == SyncReport(
        deleted=3, unchanged=1
    )
    assert [store.count(kind) for kind in KINDS] == [1, 0, 0, 0]


def test_only_changed_chunks_are_embedded(store: Store, embedder: Counting) -> None:
    facts = [replace(FACT, id=f"f{i}", text=f"fact {i}") for i in range(1_200)]
    sync(store, embedder, catalog=CATALOG, facts=facts)
    embedder.texts.clear()
    sync(store, embedder, catalog=CATALOG, facts=[*facts[1:], replace(FACT, id="f0")])
    assert embedder.texts == ["net: Net = amount - tax {x}"]
    assert store.count("facts") == 1_200


def test_an_index_of_another_embedding_is_refused_at_opening(
    store: Store, embedder: Counting, tmp_path: Path
) -> None:
    sync(store, embedder, catalog=CATALOG)
    with pytest.raises(
        SetupError, match="made with the embedding 'wordllama/l2_supercat/256'"
    ) as caught:
        open_store(tmp_path / "index", warehouse="w", fingerprint="openai/text-embedding-3")
    assert caught.value.setting == "QUERYMEND_EMBEDDING__NAME"
    store.drop()
    other = open_store(tmp_path / "index", warehouse="w", fingerprint="openai/text-embedding-3")
    assert other.count("tables") == 0
    other.close()


def test_one_folder_holds_several_warehouses(
    store: Store, embedder: Counting, tmp_path: Path
) -> None:
    other = open_store(tmp_path / "index", warehouse="ŵ/2", fingerprint=embedder.fingerprint)
    values = [ColumnValues(table="sales", column="city", values=(("Rome", 1),))]
    sync(store, embedder, catalog=CATALOG, values=values)
    sync(other, embedder, catalog=Catalog(tables=CATALOG.tables[:1]))
    assert (store.count("tables"), other.count("tables")) == (2, 1)
    assert ValueIndex(store.values_path).holding("rome") == [("sales", "city", "Rome")]
    assert ValueIndex(other.values_path).holding("rome") == []
    other.close()


def test_nothing_private_is_on_disk(store: Store, embedder: Counting, tmp_path: Path) -> None:
    column = Column(
        name="mail",
        type="VARCHAR",
        private=True,
        profile=Profile(distinct=1, frequent=(("canary@example.org", 1),)),
    )
    catalog = Catalog(tables=(Table(name="sales", columns=(column,)),))
    values = [ColumnValues(table="sales", column="mail", values=(("canary@example.org", 1),))]
    sync(store, embedder, catalog=catalog, values=values)
    files = [p for p in (tmp_path / "index").rglob("*") if p.is_file()]
    assert files
    assert not any(b"canary" in p.read_bytes() for p in files)


def test_neither_a_dotenv_file_nor_the_environment_changes_chroma(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI\nALLOW_RESET=1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANONYMIZED_TELEMETRY", "true")
    monkeypatch.setenv("IS_PERSISTENT", "perhaps")
    opened = open_store(tmp_path / "i", warehouse="w", fingerprint="f")
    settings = opened.client.get_settings()
    assert settings.anonymized_telemetry is False
    assert settings.allow_reset is False
    assert (tmp_path / "i" / "chroma.sqlite3").is_file()
    opened.close()


def test_an_environment_that_chroma_cannot_take_is_told(tmp_path: Path) -> None:
    opening = (
        "from querymend.tools.index.store import open_store\n"
        f"open_store({str(tmp_path)!r}, warehouse='w', fingerprint='f')"
    )
    done = subprocess.run(
        [sys.executable, "-c", opening],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "IS_PERSISTENT": "secret"},
    )
    assert "SetupError: Chroma cannot be loaded: is_persistent" in done.stderr
    assert "secret" not in done.stderr


def test_a_place_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SetupError, match="cannot be opened"):
        open_store(tmp_path / "file", warehouse="w", fingerprint="f")


def test_a_server_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    url = "http://user:secret@127.0.0.1:9"
    with pytest.raises(SetupError, match=r"http://127.0.0.1:9 cannot be opened") as caught:
        open_store(url, warehouse="w", fingerprint="f", folder=tmp_path)
    assert "secret" not in str(caught.value)


def test_threads_read_while_another_writes(store: Store, embedder: Counting) -> None:
    sync(store, embedder, catalog=CATALOG)
    vector = embedder.embed(["sales per city"])[0]
    found: list[str] = []

    def read() -> None:
        for _ in range(10):
            found.extend(name for name, _ in store.search("tables", vector, limit=1))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    sync(store, embedder, catalog=CATALOG, facts=[FACT])
    for thread in threads:
        thread.join()
    assert found == ["sales"] * 30


READER = """
import json, sys
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.store import open_store
embedder = StaticEmbedder()
store = open_store(sys.argv[1], warehouse="w", fingerprint=embedder.fingerprint)
found = store.search("tables", embedder.embed(["sales per city"])[0], limit=1)
print(json.dumps([store.count("tables"), found[0][0]]))
"""


def test_two_processes_read_at_once(store: Store, embedder: Counting, tmp_path: Path) -> None:
    sync(store, embedder, catalog=CATALOG)
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(tmp_path / "index")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [reader.communicate(timeout=60)[0] for reader in readers]
    assert [json.loads(line) for line in said] == [[2, "sales"]] * 2


def test_another_process_s_writing_is_seen(
    store: Store, embedder: Counting, tmp_path: Path
) -> None:
    sync(store, embedder, catalog=CATALOG)
    before = store.revision()
    writer = READER.replace(
        "found =",
        "from querymend.tools.index.model import Fact\n"
        "from querymend.tools.index.sync import sync\n"
        "from querymend.tools.catalog.model import Catalog\n"
        "sync(store, embedder, catalog=Catalog(), facts=[Fact(id='n', text='new')])\nfound =",
    )
    writer = writer.replace("print(", "print(1) if not found else print(")
    subprocess.run([sys.executable, "-c", writer, str(tmp_path / "index")], check=True, timeout=60)
    assert store.revision() != before
    assert (store.count("tables"), store.count("facts")) == (0, 1)
