"""The Chroma store: one folder (or server), several warehouses, four collections each."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from querymend.tools.errors import SetupError
from querymend.tools.index.chroma import chroma_errors, connect, local_folder, shown, slug

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import GetResult

CollectionKind = Literal["tables", "examples", "facts", "values"]
KINDS: tuple[CollectionKind, ...] = ("tables", "examples", "facts", "values")
EMBEDDING_SETTING = "QUERYMEND_EMBEDDING__NAME"
_PAGE = 2_000


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """One retrievable text: what is embedded, and what is given back."""

    id: str
    text: str
    payload: str = ""
    """JSON of the value that the chunk stands for."""

    @property
    def hash(self) -> str:
        """Changes with the text or the payload."""
        whole = json.dumps([self.text, self.payload])
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A chunk as the store holds it, without its vector."""

    id: str
    text: str
    payload: str
    hash: str


@dataclass(frozen=True, kw_only=True)
class Store:
    """One warehouse's collections. Serves threads at once; other processes may read too."""

    client: "ClientAPI"
    warehouse: str
    fingerprint: str
    place: str
    """Where it is, for messages; holds no secret."""
    folder: Path
    """Local files that belong to the index stand here."""
    _known: dict[str, "Collection"] = field(default_factory=dict, repr=False, compare=False)

    @property
    def values_path(self) -> Path:
        """The file that holds the distinct values."""
        return self.folder / f"{slug(self.warehouse)}.values.sqlite"

    def revision(self) -> str:
        """Return what changes whenever the index was written, by whichever process."""
        with chroma_errors(self.place):
            found = {c.name: c for c in self.client.list_collections()}
        mine = [found.get(self._name(kind)) for kind in KINDS]
        self._known.clear()
        self._known.update({c.name: c for c in mine if c is not None})
        return "|".join(str((c.metadata or {}).get("revision", "")) if c else "" for c in mine)

    def count(self, kind: CollectionKind) -> int:
        """Return how many chunks a collection holds."""
        collection = self._find(kind)
        return collection.count() if collection else 0

    def hashes(self, kind: CollectionKind) -> dict[str, str]:
        """Return each chunk's content hash by its id."""
        return {
            i: str(meta["hash"])
            for page in self._pages(kind, ["metadatas"])
            for i, meta in zip(page["ids"], page["metadatas"] or [], strict=True)
        }

    def chunks(self, kind: CollectionKind) -> list[Stored]:
        """Return every chunk of a collection, ordered by id."""
        found = [
            Stored(id=i, text=text or "", payload=str(meta["payload"]), hash=str(meta["hash"]))
            for page in self._pages(kind, ["metadatas", "documents"])
            for i, text, meta in zip(
                page["ids"], page["documents"] or [], page["metadatas"] or [], strict=True
            )
        ]
        return sorted(found, key=lambda chunk: chunk.id)

    def search(
        self, kind: CollectionKind, vector: Sequence[float], *, limit: int, ids: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """Return the nearest chunks' ids with their cosine, best first.

        Args:
            kind: which collection.
            vector: the question, embedded as the index was.
            limit: how many to return at most.
            ids: search among these only; all where empty.
        """
        collection = self._find(kind)
        if collection is None or limit < 1:
            return []
        with chroma_errors(self.place):
            found = collection.query(
                query_embeddings=list(vector),
                n_results=limit,
                ids=list(ids) or None,
                include=["distances"],
            )
        distances = found["distances"] or [[]]
        return [(i, 1.0 - float(d)) for i, d in zip(found["ids"][0], distances[0], strict=True)]

    def write(
        self, kind: CollectionKind, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> None:
        """Add or replace chunks with their vectors."""
        collection = self._make(kind)
        with chroma_errors(self.place):
            for start in range(0, len(chunks), _PAGE):
                page = chunks[start : start + _PAGE]
                collection.upsert(
                    ids=[c.id for c in page],
                    documents=[c.text for c in page],
                    embeddings=[*vectors[start : start + _PAGE]],
                    metadatas=[{"hash": c.hash, "payload": c.payload} for c in page],
                )

    def delete(self, kind: CollectionKind, ids: Sequence[str]) -> None:
        """Remove chunks."""
        collection = self._find(kind)
        if collection is None:
            return
        with chroma_errors(self.place):
            for start in range(0, len(ids), _PAGE):
                collection.delete(ids=list(ids[start : start + _PAGE]))

    def touch(self, kind: CollectionKind, revision: str) -> None:
        """Mark the collection as changed, so that whoever caches it reads it anew."""
        collection = self._make(kind)
        with chroma_errors(self.place):
            collection.modify(metadata={**(collection.metadata or {}), "revision": revision})

    def drop(self) -> None:
        """Delete this warehouse's collections and values."""
        with chroma_errors(self.place):
            for kind in KINDS:
                if self._find(kind) is not None:
                    self.client.delete_collection(self._name(kind))
        self._known.clear()
        self.values_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Give back the folder's files, once nobody else in this process uses them."""
        self._known.clear()
        # Its protocol lacks the method that both of its clients have.
        getattr(self.client, "close")()  # noqa: B009

    def _name(self, kind: CollectionKind) -> str:
        return f"{slug(self.warehouse)}.{kind}"

    def _find(self, kind: CollectionKind) -> "Collection | None":
        """Return the collection, or None where nothing was indexed yet."""
        from chromadb.errors import NotFoundError

        name = self._name(kind)
        if name in self._known:
            return self._known[name]
        try:
            with chroma_errors(self.place):
                found = self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None
        self._known[name] = found
        return found

    def _make(self, kind: CollectionKind) -> "Collection":
        """Return the collection, made where it is missing."""
        found = self._find(kind)
        if found is None:
            with chroma_errors(self.place):
                found = self.client.get_or_create_collection(
                    self._name(kind),
                    embedding_function=None,
                    metadata={"fingerprint": self.fingerprint, "revision": ""},
                    configuration={"hnsw": {"space": "cosine"}},
                )
            self._known[found.name] = found
        return found

    def _pages(
        self, kind: CollectionKind, include: "list[Literal['documents', 'metadatas']]"
    ) -> "Iterator[GetResult]":
        """Read a collection page by page: SQLite bounds what one statement may name."""
        collection = self._find(kind)
        offset = 0
        while collection is not None:
            with chroma_errors(self.place):
                page = collection.get(include=[*include], limit=_PAGE, offset=offset)
            yield page
            offset += _PAGE
            if len(page["ids"]) < _PAGE:
                return

    def check(self) -> None:
        """Refuse an index whose vectors another model made.

        Raises:
            SetupError: a collection of this warehouse has another fingerprint.
        """
        for kind in KINDS:
            collection = self._find(kind)
            made_by = (collection.metadata or {}).get("fingerprint") if collection else None
            if made_by is not None and made_by != self.fingerprint:
                raise SetupError(
                    f"The index at {self.place} was made with the embedding {made_by!r}, but "
                    f"{self.fingerprint!r} is set: set the former, or index again from scratch",
                    setting=EMBEDDING_SETTING,
                )


def open_store(
    place: str | Path, *, warehouse: str, fingerprint: str, folder: Path | None = None
) -> Store:
    """Open a warehouse's index.

    Args:
        place: a folder, made where it is missing, or the URL of a Chroma server.
        warehouse: which warehouse's collections to use; one place may hold several.
        fingerprint: the embedder's; an index that another one made is refused.
        folder: where local files go if ``place`` is a URL.

    Raises:
        SetupError: the place cannot be opened, or holds vectors of another model.
    """
    store = Store(
        client=connect(place),
        warehouse=warehouse,
        fingerprint=fingerprint,
        place=shown(place),
        folder=local_folder(place, folder),
    )
    store.check()
    return store
