"""Bring an index in step, and say what was written."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict

import typer
from rich.console import Console

from querymend.cli.opening import opening, settings_from
from querymend.model.writer import Prompt, Written
from querymend.tools.errors import SetupError
from querymend.tools.index.sync import SyncReport
from querymend.warehouse import Warehouse, open_warehouse


class NoModel:
    """Stands where a model would; indexing asks none, so none is loaded."""

    name = "no model"

    def write(
        self,
        prompt: Prompt,
        *,
        seconds: float = 60.0,
        cancelled: Callable[[], bool] | None = None,
        on_token: Callable[[str], None] | None = None,
    ) -> Written:
        """Refuse: nothing here asks a model."""
        raise SetupError(f"No model was opened, but {prompt.kind} asked one.")


def index_and_show(*, source: str, pack: str, as_json: bool) -> None:
    """Index what the settings name, and print what changed."""
    console = Console(stderr=as_json)
    with opening(console) as shown:
        warehouse = open_warehouse(
            settings_from(source=source, pack=pack),
            writer=NoModel(),
            progress=shown.progress,
            log=shown.log,
            fresh=True,
        )
    with closing(warehouse):
        report = warehouse.report or SyncReport()
        if as_json:
            typer.echo(json.dumps(_as_dict(warehouse, report), ensure_ascii=False))
        else:
            console.print(_line(warehouse, report), markup=False, highlight=False, soft_wrap=True)


def _line(warehouse: Warehouse, report: SyncReport) -> str:
    tables = warehouse.deps.catalog.tables
    return (
        f"{warehouse.deps.engine.name}: {len(tables)} tables; index: {report.added} added,"
        f" {report.changed} changed, {report.deleted} deleted, {report.unchanged} unchanged"
    )


def _as_dict(warehouse: Warehouse, report: SyncReport) -> dict[str, object]:
    deps = warehouse.deps
    return {"engine": deps.engine.name, "tables": len(deps.catalog.tables), **asdict(report)}
