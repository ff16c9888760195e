"""What is built and installed: the wheel in a clean environment, beside a host's own folders."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DATA = [
    "querymend/py.typed",
    "querymend/prompts/generate.md",
    "querymend/fewshot/retail/warehouse.sql",
    "querymend/fewshot/retail/questions.yaml",
    "querymend/tools/sql/functions_duckdb.txt",
]
DEMO = """
from querymend import Agent
from querymend.testing import ScriptedModel
sql = "SELECT COUNT(*) FROM sales_fact"
agent = Agent.open(pack="retail", writer=ScriptedModel(sql))
answer = agent.ask("How many sales are there?")
print(answer.outcome, answer.rows)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of what git would ship, in isolation from build/."""
    out = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source")
    for name in ("agent", "tools", "prompts", "fewshot"):
        (source / name).symlink_to(ROOT / name)
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(out), "."]
    subprocess.run(command, cwd=source, check=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_data_files_and_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [d for d in DATA if d not in names] == []
    assert {n.split("/")[0] for n in names if ".dist-info" not in n} == {"querymend"}


def test_the_installed_wheel_runs_the_demo_beside_a_hosts_own_agent_and_tools(
    wheel: Path, tmp_path: Path
) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    folder = next(home.glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(folder)
    libraries = next(p for p in sys.path if p.endswith("site-packages"))
    (folder / "libraries.pth").write_text(libraries)
    host = tmp_path / "host"
    for name in ("agent", "tools", "prompts"):
        (host / name).mkdir(parents=True)
        (host / name / "__init__.py").write_text("raise ImportError('the host owns this')")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"QUERYMEND_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [home / "bin" / "python", "-c", DEMO],
        cwd=host,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("answered (("), done.stdout
