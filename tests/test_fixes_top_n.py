from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml

from querymend.tools.fixes.top_n import rank_within, split_after_choice
from querymend.tools.results.compare import same_rows

CASES = yaml.safe_load((Path(__file__).parent / "fixes" / "top_n.yaml").read_text())
DATA = """
CREATE TABLE regions (region VARCHAR); INSERT INTO regions VALUES ('north'), ('south');
CREATE TABLE sales (sku VARCHAR, region VARCHAR, amount INTEGER);
INSERT INTO sales VALUES ('a', 'north', 60), ('a', 'south', 50), ('b', 'south', 95);
INSERT INTO sales VALUES ('c', 'north', 5);
"""


@pytest.fixture(scope="module")
def sales() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(DATA)
        yield connection


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["sql"])
def test_top_n_means_n_entities(case: dict[str, Any], sales: duckdb.DuckDBPyConnection) -> None:
    tree = sqlglot.parse_one(case["sql"], read="duckdb")
    before = tree.sql("duckdb")
    if case["kind"] == "split":
        fixed = split_after_choice(tree, n=case["n"], entity=case["entity"], split=case["parts"])
    else:
        fixed = rank_within(tree, n=case["n"], entity=case["entity"], each=case["parts"])
    assert tree.sql("duckdb") == before
    if case["rows"] is None:
        assert fixed is None
    else:
        assert fixed is not None
        rows = sales.execute(fixed.sql("duckdb")).fetchall()
        assert same_rows(rows, case["rows"])
