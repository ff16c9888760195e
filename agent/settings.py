"""Settings, read once from the environment (prefix ``QUERYMEND_``) or given as arguments.

A variable with the prefix that names no setting is an error that names the nearest one.
"""

import difflib
import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal, get_args

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from querymend.budget import Budget
from querymend.tools.catalog.model import Scope
from querymend.tools.errors import SetupError

PREFIX = "QUERYMEND_"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(_Part):
    """Which model writes the SQL. Without a ``base_url`` the local model serves."""

    base_url: str = ""
    """An OpenAI-compatible endpoint: ``https://api.openai.com/v1``, ``http://localhost:11434/v1``."""
    name: str = ""
    """The model's name at that endpoint."""
    api_key: SecretStr = SecretStr("")
    headers: dict[str, str] = {}
    """Further headers, for gateways that ask for them (Azure: ``api-key``)."""
    query: dict[str, str] = {}
    """Further query parameters (Azure: ``api-version``)."""
    max_tokens: int = Field(default=400, ge=16, le=8192)
    """New tokens at most in one reply."""
    weights: Path | None = None
    """The local model's GGUF file, where it is already on this machine."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of the local model; every core without it."""


class EmbeddingSettings(_Part):
    """What turns texts into vectors. Without a ``base_url`` a static model serves, offline."""

    base_url: str = ""
    name: str = ""
    api_key: SecretStr = SecretStr("")


class IndexSettings(_Part):
    """Where the index lives: a Chroma server by URL, else a folder in the cache."""

    url: str = ""
    path: Path | None = None


class RetrievalSettings(_Part):
    """What goes into the prompt."""

    tokens: int = Field(default=900, ge=100)
    """Tokens of schema, facts and examples at most."""
    examples: int = Field(default=2, ge=0, le=20)
    """Examples shown at most."""
    min_example_score: float = Field(default=0.55, ge=0, le=1)
    """An example further away than this is not shown."""
    facts: int = Field(default=5, ge=0, le=50)
    sample_rows: int = Field(default=3, ge=0, le=20)
    """Sample rows shown with each table."""


class AthenaSettings(_Part):
    """How Athena is reached and used; what the ``athena://`` URL says stands before it."""

    region: str = ""
    """Empty: what the profile or the environment say."""
    workgroup: str = "primary"
    databases: list[str] = []
    """The first is the default of unqualified names; none: every database of the catalog."""
    catalog: str = "AwsDataCatalog"
    output: str = ""
    """Where results go, ``s3://bucket/prefix/``; empty: where the workgroup says."""
    managed_results: bool = False
    """The workgroup keeps results itself."""
    role_arn: str = ""
    """A role to take on; its credentials are renewed before they expire."""
    external_id: str = ""
    session_name: str = "querymend"
    """What CloudTrail calls the role's session."""
    profile: str = ""
    """A profile of the AWS configuration files."""
    endpoint_url: str = ""
    """Another address for every AWS service: a stand-in, or a private endpoint."""
    reuse_minutes: int = Field(default=60, ge=0, le=10_080)
    """Take the rows of an equal query that ran so many minutes ago at most; 0: never."""
    poll_seconds: float = Field(default=0.25, gt=0, le=10)
    """Time between two looks at a running query."""
    usd_per_tb: float = Field(default=5.0, ge=0)
    """List price of a scanned terabyte in the region."""
    explain_bytes: int = Field(default=100_000_000, ge=0)
    """Athena judges a statement by EXPLAIN before it scans more than this, or an unknown amount."""
    drift_minutes: float = Field(default=10.0, ge=0)
    """How often, at most, the tables in use are compared with Glue."""


class BudgetSettings(_Part):
    """What one question may spend."""

    max_repairs: int = Field(default=2, ge=0, le=10)
    model_calls: int = Field(default=4, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    """60 s; 180 s on the local model."""
    rows: int = Field(default=1_000, ge=1)
    bytes: int = Field(default=1_000_000_000, ge=1)
    approval_bytes: int | None = Field(default=None, ge=0)
    """A scan that is estimated to be larger waits for leave; unset: none does."""
    index_bytes: int = Field(default=1_000_000_000, ge=1)
    """Bytes that reading one table for the index may scan, where scans cost money."""

    def budget(self, *, local: bool) -> Budget:
        """Return the budget of a question, by where the model runs."""
        seconds = self.seconds or (180.0 if local else 60.0)
        return Budget(
            max_repairs=self.max_repairs,
            model_calls=self.model_calls,
            seconds=seconds,
            rows=self.rows,
            bytes=self.bytes,
            approval_bytes=self.approval_bytes,
        )


class Settings(BaseSettings):
    """Everything that can be set. Nested names are joined by ``__``: ``QUERYMEND_MODEL__NAME``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
    )

    source: str = ""
    """What to ask: a .duckdb or .sqlite file, a folder or glob of Parquet, CSV or JSON, a URL."""
    dialect: Literal["", "duckdb", "athena"] = ""
    """``athena``: local data is asked in Athena's SQL, DuckDB standing in for Athena."""
    source_password: SecretStr = SecretStr("")
    """What the source asks for besides a user's name; no URL holds it."""
    pack: str = ""
    """A pack's folder, or the name of one that ships: descriptions, facts, examples."""
    cache_dir: Path = Path(platformdirs.user_cache_dir("querymend"))
    """Copies of sources, indexes, the local model."""
    scope: dict[str, list[str]] | None = None
    """Tables a caller may use, each with its allowed columns (none listed: all of them)."""
    today: date | None = None
    """What "today" means; the clock's date without it."""
    fiscal_start_month: int = Field(default=1, ge=1, le=12)
    steps: bool = True
    """A multi-step question whose first query is at fault is answered step by step."""
    model: ModelSettings = ModelSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    index: IndexSettings = IndexSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    budget: BudgetSettings = BudgetSettings()
    athena: AthenaSettings = AthenaSettings()

    @property
    def sources_dir(self) -> Path:
        """Where private copies of sources and built packs are."""
        return self.cache_dir / "sources"

    @property
    def index_dir(self) -> Path:
        """Where the index is, and what belongs to it if a Chroma server holds the rest."""
        return self.index.path or self.cache_dir / "index"

    def allowed(self) -> Scope | None:
        """Return the scope that every question has, or None for all."""
        if self.scope is None:
            return None
        return Scope(tables={t: tuple(c) for t, c in self.scope.items()})


def load_settings(**given: object) -> Settings:
    """Read the settings, arguments before environment.

    Raises:
        SetupError: a value does not fit, or a variable names no setting; says which and the cure.
    """
    _refuse_unknown(os.environ)
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise _as_setup_error(error) from error


def _as_setup_error(error: ValidationError) -> SetupError:
    first = error.errors(include_url=False, include_input=False)[0]
    name = PREFIX + "__".join(str(part) for part in first["loc"]).upper()
    return SetupError(f"{name}: {first['msg']}.", setting=name)


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    known = set(_names(Settings, PREFIX))
    for name in environ:
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            if any(name.upper().startswith(k + "__") for k in known):
                continue
            near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.5)
            cure = f" Did you mean {near[0]}?" if near else ""
            raise SetupError(f"{name} names no setting.{cure}", setting=name)


def _names(model: type[BaseModel], prefix: str) -> Iterator[str]:
    """Yield the variables' names; a mapping's own name stands for all its keys."""
    for field, info in model.model_fields.items():
        name = (prefix + field).upper()
        kinds = (info.annotation, *get_args(info.annotation))
        parts = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
        if parts:
            yield from _names(parts[0], f"{name}__")
        else:
            yield name
