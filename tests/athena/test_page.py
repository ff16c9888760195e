"""docs/athena.md against what it speaks of: AWS's own checks, our calls, our parameters."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.validate import ParamValidator  # type: ignore[import-untyped]

from querymend import Agent, Settings
from querymend.settings import AthenaSettings
from querymend.testing import ScriptedModel
from querymend.tools.engines.athena.engine import open_athena
from querymend.tools.engines.athena.place import _PARAMETERS, read_url
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.wire.calls import Call
from querymend.tools.engines.wire.faults import Fault
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.server import AthenaStandIn
from querymend.tools.errors import BudgetExceeded
from querymend.tools.sql.gate import admit

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "athena.md").read_text(encoding="utf-8")
POLICY = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
OURS = [s for s in POLICY["Statement"] if not s["Sid"].startswith("Athena")]
CLIENTS = {name: boto3.client(name, region_name="us-east-1") for name in ("athena", "glue", "sts")}
OF_S3 = {
    "s3:AbortMultipartUpload",
    "s3:GetBucketLocation",
    "s3:GetObject",
    "s3:ListBucket",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
}
"""IAM's names, which are not those of the API's operations."""


def actions(statements: list[dict[str, Any]]) -> set[str]:
    lists = (s["Action"] if isinstance(s["Action"], list) else [s["Action"]] for s in statements)
    return {action for each in lists for action in each}


def action(call: Call) -> str:
    """Return what IAM calls the right to make a call."""
    if call.service != "s3":
        return f"{call.service}:{call.operation}"
    method, path = call.operation.split(" ", 1)
    return f"s3:{method.title()}Object" if path.strip("/").count("/") else "s3:ListBucket"


# The policy --------------------------------------------------------------------------------------


def test_the_policy_is_one_that_iam_takes() -> None:
    validation = pytest.importorskip("moto.iam.policy_validation")
    validation.IAMPolicyDocumentValidator(json.dumps(POLICY)).validate()
    assert {s["Effect"] for s in POLICY["Statement"]} == {"Allow"}


@pytest.mark.parametrize("name", sorted(actions(POLICY["Statement"])))
def test_an_action_of_the_policy_exists_and_only_reads_but_for_results(name: str) -> None:
    service, _, operation = name.partition(":")
    if service == "s3":
        assert name in OF_S3
    else:
        assert operation in CLIENTS[service].meta.service_model.operation_names
        assert operation.startswith(("Get", "BatchGet", "Start", "Stop"))


def test_only_results_are_written() -> None:
    writing = [s for s in POLICY["Statement"] if "s3:PutObject" in s["Action"]]
    assert [s["Resource"] for s in writing] == ["arn:aws:s3:::YOUR-RESULTS-BUCKET/querymend/*"]


@pytest.fixture
def bare(lake_file: Path) -> Iterator[AthenaStandIn]:
    """Serve the lake, without sizes in Glue."""
    tables = {"orders": GlueTable(partitions=("dt", "region"))}
    with AthenaStandIn(lake_file, database="sales", tables=tables) as server:
        yield server
        assert server.running() == []


def test_the_calls_that_are_made_are_those_that_the_policy_allows(
    bare: AthenaStandIn, tmp_path: Path
) -> None:
    settings = Settings(source=bare.url("sales"), cache_dir=tmp_path)
    sql = "SELECT COUNT(*) AS n FROM orders WHERE dt = '2026-07-03'"
    with Agent.open(settings, writer=ScriptedModel(sql)) as agent:
        assert agent.ask("How many orders were placed on 2026-07-03?").rows == ((600,),)
        agent.look_at("customers")
    stop_one(bare)
    assert {action(c) for c in bare.calls} == actions(OURS)


def stop_one(server: AthenaStandIn) -> None:
    """Let a query pass its deadline, after what it would scan was estimated."""
    engine = open_athena(read_url(server.url("sales")))
    sql = admit("SELECT name FROM customers", dialect="athena", catalog=engine.catalog()).sql
    assert sql is not None
    engine.estimate(sql)
    server.fault(Fault("slow"))
    with pytest.raises(BudgetExceeded):
        engine.run(sql, limits=Limits(seconds=0.2))
    engine.close()


def test_no_call_is_written_that_the_page_does_not_name() -> None:
    written = {name for path in sources() for name in called(path)}
    assert {"glue:GetDatabases", "sts:AssumeRole"} <= written
    assert [name for name in written if name not in PAGE] == []
    assert written - {"glue:GetDatabases", "sts:AssumeRole"} <= actions(OURS)


def sources() -> Iterator[Path]:
    for folder in ("agent", "tools/catalog", "tools/engines/athena", "tools/checks"):
        yield from (ROOT / folder).rglob("*.py")


def called(path: Path) -> Iterator[str]:
    """Yield the AWS calls that a module writes down: as a method, or by name for a paginator."""
    methods = {
        python: "s3:ListBucket" if name == "s3" else f"{name}:{api}"
        for name, client in {**CLIENTS, "s3": boto3.client("s3")}.items()
        for python, api in client.meta.method_to_api_mapping.items()
        if python != "get_session"  # botocore's own
        and (name != "s3" or python in ("list_objects", "list_objects_v2"))
    }
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in methods:
            yield methods[node.attr]
        if isinstance(node, ast.Constant) and node.value in methods:
            yield methods[str(node.value)]


# Workgroup, parameters, codes --------------------------------------------------------------------


def test_the_workgroup_is_one_that_athena_takes() -> None:
    command = re.findall(r"\$ (aws athena create-work-group .*?\}\}')", PAGE, re.DOTALL)[0]
    words = shlex.split(command)
    given = {
        "Name": words[words.index("--name") + 1],
        "Configuration": json.loads(words[words.index("--configuration") + 1]),
    }
    shape = CLIENTS["athena"].meta.service_model.operation_model("CreateWorkGroup").input_shape
    assert not ParamValidator().validate(given, shape).has_errors()
    assert given["Configuration"]["BytesScannedCutoffPerQuery"] >= 10_000_000
    assert given["Configuration"]["EnforceWorkGroupConfiguration"] is True


@pytest.mark.parametrize("name", ["create_role", "put_role_policy"])
def test_a_command_for_the_role_has_the_options_that_it_needs(name: str) -> None:
    iam = boto3.client("iam").meta.service_model
    command = re.findall(rf"\$ aws iam {name.replace('_', '-')} (.*)", PAGE)[0]
    given = {w.removeprefix("--") for w in shlex.split(command) if w.startswith("--")}
    shape = iam.operation_model("".join(p.title() for p in name.split("_"))).input_shape
    assert given == {re.sub(r"(?<!^)([A-Z])", r"-\1", m).lower() for m in shape.required_members}


def test_the_table_of_settings_names_every_parameter_and_its_default() -> None:
    lines = (line.split("|")[1:4] for line in PAGE.splitlines() if line.count("|") == 5)
    rows = [[cell.strip() for cell in line] for line in lines]
    named = {v for _, names, _ in rows for v in re.findall(r"`([A-Z_]+)`", names)}
    assert {f.upper() for f in AthenaSettings.model_fields} <= named
    told = {u for urls, _, _ in rows for u in re.findall(r"`(\w+)`", urls)}
    assert set(_PARAMETERS) <= told
    for _, names, default in rows:
        for name in re.findall(r"`([A-Z_]+)`", names):
            kept = AthenaSettings.model_fields[name.lower()].default
            shown = default.strip("`").replace(",", "")
            if isinstance(kept, bool | int | float):
                assert str(kept).lower() == shown or float(kept) == float(shown), name


@pytest.mark.parametrize("code", sorted(set(re.findall(r"`(partition_\w+)`", PAGE))))
def test_a_code_that_the_page_explains_is_one_that_the_checks_have(code: str) -> None:
    texts = (p.read_text(encoding="utf-8") for p in (ROOT / "tools").rglob("*.py"))
    assert any(f'"{code}"' in text for text in texts)
