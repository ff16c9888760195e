"""Athena's operations: each takes the call's fields and gives the answer's, or a Refusal."""

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from querymend.tools.engines.wire import requests, translate
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.executions import Asked, Execution, Executions
from querymend.tools.engines.wire.failures import CONCURRENCY_TEXT, Refusal
from querymend.tools.engines.wire.requests import Fields
from querymend.tools.engines.wire.shapes import cell_text, column_info, shape
from querymend.tools.engines.wire.statement import is_repeatable, statement
from querymend.tools.engines.wire.work import Work
from querymend.tools.engines.wire.workgroups import Workgroup
from querymend.tools.findings import Finding
from querymend.tools.sql.grammar.judge import unreadable
from querymend.tools.sql.parse import MAX_BYTES, Parsed, parse
from querymend.tools.sql.reserved import unquoted_reserved_words
from querymend.tools.sql.subject import Subject

CATALOG = "AwsDataCatalog"
PATIENCE_SECONDS = 0.02
"""How long a poll waits for a query to end: small queries need one poll, and no client sleeps."""
Answer = dict[str, object]


class Athena:
    """Answers Athena's API for one server."""

    def __init__(
        self,
        work: Work,
        executions: Executions,
        beneath: Beneath,
        workgroups: Mapping[str, Workgroup],
        *,
        most_active: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._work = work
        self._executions = executions
        self._beneath = beneath
        self._workgroups = workgroups
        self._most_active = most_active
        self._clock = clock
        self._starting = threading.Lock()
        self._operations: dict[str, Callable[[Fields], Answer]] = {
            "StartQueryExecution": self._start,
            "GetQueryExecution": self._execution,
            "BatchGetQueryExecution": self._batch,
            "ListQueryExecutions": self._list,
            "GetQueryResults": self._results,
            "StopQueryExecution": self._stop,
            "GetWorkGroup": self._workgroup,
            "ListWorkGroups": self._list_workgroups,
            "ListDataCatalogs": self._catalogs,
            "ListDatabases": self._databases,
            "GetDatabase": self._database,
            "ListTableMetadata": self._tables,
            "GetTableMetadata": self._table,
        }

    def answer(self, operation: str, fields: Fields) -> Answer:
        """Answer one call.

        Raises:
            Refusal: the answer is an error.
        """
        asked = self._operations.get(operation)
        if asked is None:
            raise Refusal(
                f"The stand-in has no {operation}.", code="UnknownOperationException", status=404
            )
        return asked(fields)

    def _start(self, fields: Fields) -> Answer:
        asked = self._asked(fields)
        with self._starting:
            again = self._executions.of_token(asked.token) if asked.token else None
            if again is not None:
                if again.asked != asked:
                    raise Refusal("Idempotent parameters do not match")
                return {"QueryExecutionId": again.id}
            execution = self._new(asked)
        self._work.start(execution)
        return {"QueryExecutionId": execution.id}

    def _new(self, asked: Asked) -> Execution:
        if len(self._executions.running()) >= self._most_active:
            raise Refusal(
                CONCURRENCY_TEXT,
                code="TooManyRequestsException",
                fields={"Reason": "CONCURRENT_QUERY_LIMIT_EXCEEDED"},
            )
        told = statement(asked.sql)
        parsed = parse(told.body, self._work.behind.dialect)
        refused = translate.refused_text([*parsed.findings, *self._unreadable(parsed)])
        if refused is not None:
            raise refused
        if parsed.tree is not None:
            told = replace(told, is_repeatable=is_repeatable(parsed))
        execution = Execution(
            id=str(uuid.uuid4()), asked=asked, statement=told, submitted=self._clock()
        )
        self._executions.add(execution)
        return execution

    def _unreadable(self, parsed: Parsed) -> list[Finding]:
        """Ask Trino's grammar too, which reads less than the parser does."""
        if not isinstance(parsed.tree, exp.Query):
            return []
        catalog = self._work.behind.places.shared.catalog
        subject = Subject(parsed=parsed, catalog=catalog)
        return [*unreadable(subject), *unquoted_reserved_words(subject)]

    def _asked(self, fields: Fields) -> Asked:
        sql = requests.needed(fields, "QueryString")
        if len(sql.encode()) > MAX_BYTES:
            raise Refusal(
                "1 validation error detected: Value at 'queryString' failed to satisfy constraint:"
                f" Member must have length less than or equal to {MAX_BYTES}"
            )
        workgroup = self._group(requests.text(fields, "WorkGroup", "primary"))
        if not workgroup.enabled:
            raise Refusal(f"WorkGroup {workgroup.name} is disabled.")
        configuration = requests.part(fields, "ResultConfiguration")
        output = workgroup.output_for(requests.text(configuration, "OutputLocation"))
        self._check_bucket(output)
        context = requests.part(fields, "QueryExecutionContext")
        reuse = requests.part(
            requests.part(fields, "ResultReuseConfiguration"), "ResultReuseByAgeConfiguration"
        )
        minutes = requests.number(reuse, "MaxAgeInMinutes")
        return Asked(
            sql=sql,
            database=requests.text(context, "Database", "default"),
            catalog=requests.text(context, "Catalog", CATALOG),
            workgroup=workgroup.name,
            output=output,
            managed=workgroup.managed,
            parameters=requests.texts(fields, "ExecutionParameters"),
            reuse_minutes=(60 if minutes is None else minutes)
            if requests.flag(reuse, "Enabled")
            else None,
            token=requests.text(fields, "ClientRequestToken"),
        )

    def _check_bucket(self, output: str) -> None:
        bucket = output.removeprefix("s3://").partition("/")[0]
        if output and not self._beneath.has_bucket(bucket):
            raise Refusal(f"Unable to verify/create output bucket {bucket}")

    def _execution(self, fields: Fields) -> Answer:
        execution = self._found(requests.needed(fields, "QueryExecutionId"))
        execution.ended.wait(PATIENCE_SECONDS)
        return {"QueryExecution": execution.described()}

    def _batch(self, fields: Fields) -> Answer:
        found: list[object] = []
        missing: list[object] = []
        for identifier in requests.texts(fields, "QueryExecutionIds"):
            execution = self._executions.get(identifier)
            if execution is not None:
                found.append(execution.described())
            else:
                missing.append(
                    {
                        "QueryExecutionId": identifier,
                        "ErrorCode": "INVALID_INPUT",
                        "ErrorMessage": f"QueryExecution {identifier} was not found",
                    }
                )
        return {"QueryExecutions": found, "UnprocessedQueryExecutionIds": missing}

    def _list(self, fields: Fields) -> Answer:
        group = requests.text(fields, "WorkGroup", "primary")
        ids = [e.id for e in self._executions if e.asked.workgroup == group][::-1]
        begin, end, token = requests.page(fields, len(ids), most=50, least=0)
        return _paged({"QueryExecutionIds": ids[begin:end]}, token)

    def _results(self, fields: Fields) -> Answer:
        execution = self._found(requests.needed(fields, "QueryExecutionId"))
        if execution.is_running:
            raise Refusal(f"Query has not yet finished. Current state: {execution.state}")
        if execution.state != "SUCCEEDED" or execution.result is None:
            raise Refusal(
                f"Query did not finish successfully. Final query state: {execution.state}"
            )
        result, dialect = execution.result, self._work.behind.dialect
        header = 0 if execution.statement.explain else 1
        begin, end, token = requests.page(fields, len(result.rows) + header, most=1_000)
        kinds = [shape(c.type, dialect) for c in result.columns]
        rows: list[object] = []
        if header and begin == 0 and end > 0:
            rows.append(_row([c.name for c in result.columns]))
        for row in result.rows[max(begin - header, 0) : max(end - header, 0)]:
            rows.append(_row([cell_text(v, k) for v, k in zip(row, kinds, strict=True)]))
        columns = [column_info(c, dialect) for c in result.columns]
        shown = {"Rows": rows, "ResultSetMetadata": {"ColumnInfo": columns}}
        return _paged({"UpdateCount": 0, "ResultSet": shown}, token)

    def _stop(self, fields: Fields) -> Answer:
        execution = self._found(requests.needed(fields, "QueryExecutionId"))
        if execution.is_running:
            self._work.stop(execution)
        return {}

    def _found(self, identifier: str) -> Execution:
        execution = self._executions.get(identifier)
        if execution is None:
            raise Refusal(f"QueryExecution {identifier} was not found")
        return execution

    def _group(self, name: str) -> Workgroup:
        if name not in self._workgroups:
            raise Refusal(f"WorkGroup {name} is not found.")
        return self._workgroups[name]

    def _workgroup(self, fields: Fields) -> Answer:
        return {"WorkGroup": self._group(requests.needed(fields, "WorkGroup")).described()}

    def _list_workgroups(self, fields: Fields) -> Answer:
        groups = [g.summary() for g in self._workgroups.values()]
        begin, end, token = requests.page(fields, len(groups), most=50)
        return _paged({"WorkGroups": groups[begin:end]}, token)

    def _catalogs(self, fields: Fields) -> Answer:
        return {
            "DataCatalogsSummary": [
                {"CatalogName": CATALOG, "Type": "GLUE", "Status": "CREATE_COMPLETE"}
            ]
        }

    def _databases(self, fields: Fields) -> Answer:
        names = self._beneath.databases()
        begin, end, token = requests.page(fields, len(names), most=50)
        return _paged({"DatabaseList": [{"Name": n} for n in names[begin:end]]}, token)

    def _database(self, fields: Fields) -> Answer:
        name = requests.needed(fields, "DatabaseName").lower()
        self._check_database(name)
        return {"Database": {"Name": name}}

    def _tables(self, fields: Fields) -> Answer:
        name = requests.needed(fields, "DatabaseName").lower()
        self._check_database(name)
        tables = self._beneath.tables(name, requests.text(fields, "Expression"))
        begin, end, token = requests.page(fields, len(tables), most=50)
        return _paged({"TableMetadataList": [_metadata(t) for t in tables[begin:end]]}, token)

    def _table(self, fields: Fields) -> Answer:
        database = requests.needed(fields, "DatabaseName").lower()
        name = requests.needed(fields, "TableName").lower()
        self._check_database(database)
        for table in self._beneath.tables(database, ""):
            if table["Name"] == name:
                return {"TableMetadata": _metadata(table)}
        raise _absent(f"Table {name} not found.")

    def _check_database(self, name: str) -> None:
        if name not in self._beneath.databases():
            raise _absent(f"Database {name} not found.")


def _paged(answer: Answer, token: str) -> Answer:
    return {**answer, "NextToken": token} if token else answer


def _row(values: list[str] | list[str | None]) -> Answer:
    return {"Data": [{} if v is None else {"VarCharValue": v} for v in values]}


def _absent(text: str) -> Refusal:
    return Refusal(
        f"EntityNotFoundException: {text} (Service: AmazonDataCatalog; Status Code: 400; Error"
        " Code: EntityNotFoundException; Request ID: 00000000; Proxy: null)",
        code="MetadataException",
    )


def _metadata(table: Mapping[str, object]) -> Answer:
    storage = requests.part(table, "StorageDescriptor")
    parameters = {str(k): str(v) for k, v in requests.part(table, "Parameters").items()}
    described: Answer = {
        "Name": table["Name"],
        "TableType": table.get("TableType", "EXTERNAL_TABLE"),
        "Columns": storage.get("Columns", []),
        "PartitionKeys": table.get("PartitionKeys", []),
        "Parameters": {**parameters, "location": str(storage.get("Location", ""))},
    }
    return described
