"""What a query gives: the file that Athena writes, and the answers to EXPLAIN."""

import json

from sqlglot import exp

from querymend.tools.engines.engine import Result, ResultColumn
from querymend.tools.engines.wire.executions import Execution
from querymend.tools.engines.wire.scan import Read
from querymend.tools.engines.wire.shapes import cell_text, shape


def explained(execution: Execution, plan: str, found: list[Read], scanned: int) -> Result:
    """Return what EXPLAIN answers, by its kind.

    Args:
        execution: the EXPLAIN.
        plan: the engine's own plan.
        found: what the statement reads.
        scanned: how many bytes it would scan.
    """
    kind = execution.statement.explain
    if kind == "validate":
        return _column("Valid", "boolean", [True])
    if kind == "io":
        return _column("Query Plan", "varchar", [_io(found, execution.asked.database, scanned)])
    return _column("Query Plan", "varchar", plan.splitlines())


def _column(name: str, kind: str, values: list[str] | list[bool]) -> Result:
    return Result(
        columns=(ResultColumn(name=name, type=kind),), rows=tuple((value,) for value in values)
    )


def _io(found: list[Read], database: str, scanned: int) -> str:
    """Tell the tables that are read and the conditions on their partition keys, as Trino does."""
    tables = [
        {
            "table": {
                "catalog": "awsdatacatalog",
                "schemaTable": {
                    "schema": read.table.schema or database,
                    "table": read.table.name.lower(),
                },
            },
            "constraint": {
                "none": False,
                "columnConstraints": [
                    {"columnName": c.name.lower(), "condition": condition.sql("trino")}
                    for condition in read.conditions
                    for c in condition.find_all(exp.Column)
                ],
            },
        }
        for read in found
    ]
    whole = {"inputTableColumnInfos": tables, "estimate": {"outputSizeInBytes": scanned}}
    return json.dumps(whole, indent=2)


def result_file(result: Result, dialect: str, explain: str) -> bytes:
    """Return the file of a result: CSV with a header, or the plain text of an EXPLAIN."""
    if explain:
        return "\n".join(str(row[0]) for row in result.rows).encode()
    kinds = [shape(c.type, dialect) for c in result.columns]
    lines = [_line([c.name for c in result.columns])]
    lines += [
        _line([cell_text(v, k) for v, k in zip(row, kinds, strict=True)]) for row in result.rows
    ]
    return "".join(lines).encode()


def _line(values: list[str] | list[str | None]) -> str:
    quoted = ('"' + v.replace('"', '""') + '"' if v is not None else "" for v in values)
    return ",".join(quoted) + "\n"
