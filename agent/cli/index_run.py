"""Bring an index in step, and say what was written."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict

import typer
from rich.console import Console

from querymend.cli.opening import opening, settings_from
from querymend.model.writer import Prompt, Written
from querymend.tools.errors import QuerymendError, SetupError
from querymend.tools.index.sync import SyncReport
from querymend.upkeep import look_at
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


def index_and_show(*, source: str, pack: str, as_json: bool, tables: Sequence[str] = ()) -> None:
    """Index what the settings name, and print what changed.

    Args:
        source: what to index.
        pack: descriptions, facts and examples.
        as_json: print the counts as JSON.
        tables: whose data to look at, where that costs money.
    """
    console = Console(stderr=as_json)
    with opening(console) as shown:
        warehouse = open_warehouse(
            settings_from(source=source, pack=pack),
            writer=NoModel(),
            progress=shown.progress,
            log=shown.log,
            fresh=True,
        )
        if tables:
            warehouse = _looked_at(warehouse, tables, shown.log)
    with closing(warehouse):
        report = warehouse.report or SyncReport()
        if as_json:
            typer.echo(json.dumps(_as_dict(warehouse, report), ensure_ascii=False))
        else:
            console.print(_line(warehouse, report), markup=False, highlight=False, soft_wrap=True)


def _looked_at(
    warehouse: Warehouse, tables: Sequence[str], log: Callable[[str], None]
) -> Warehouse:
    """Look at some tables' data; a failure gives the engine back."""
    try:
        return look_at(warehouse, tables, log=log)
    except QuerymendError:
        warehouse.close()
        raise


def _line(warehouse: Warehouse, report: SyncReport) -> str:
    tables = warehouse.deps.catalog.tables
    return (
        f"{warehouse.deps.engine.name}: {len(tables)} tables; index: {report.added} added,"
        f" {report.changed} changed, {report.deleted} deleted, {report.unchanged} unchanged"
    )


def _as_dict(warehouse: Warehouse, report: SyncReport) -> dict[str, object]:
    deps = warehouse.deps
    return {"engine": deps.engine.name, "tables": len(deps.catalog.tables), **asdict(report)}
