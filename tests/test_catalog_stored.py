from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from querymend.tools.catalog.model import Catalog, Column, Key, Leak, Profile, Table
from querymend.tools.catalog.stored import dump_catalog, load_catalog

CELLS = (
    None,
    True,
    7,
    1.5,
    'text with "quotes" and 東京',
    Decimal("12.30"),
    date(2024, 2, 29),
    datetime(2024, 2, 29, 12, 30, tzinfo=UTC),
    time(12, 30),
    timedelta(days=1, seconds=2),
    b"\x00\xff",
    UUID(int=7),
    [1, Decimal("2.5")],
    {"a": date(2024, 1, 1)},
)


def _catalog() -> Catalog:
    columns = tuple(
        Column(name=f"c{i}", type="T", profile=Profile(minimum=c, frequent=((c, 2),)))
        for i, c in enumerate(CELLS)
    )
    key = Key(columns=("c0",), table="other", target_columns=("id",), origin="pack")
    told = Column(name="churned", type="BOOLEAN", leaks=Leak(target="churn"), private=True)
    return Catalog(
        tables=(
            Table(name="t", columns=(*columns, told), keys=(key,), sample=((*CELLS, None),)),
            Table(name="other", schema="s", columns=(Column(name="id", type="INT"),)),
        )
    )


def test_a_stored_catalog_comes_back_equal_with_every_type_of_cell() -> None:
    assert load_catalog(dump_catalog(_catalog())) == _catalog()


@pytest.mark.parametrize("text", ["{}x", '{"tables": [{"name": 1}]}', "[]"])
def test_what_is_no_stored_catalog_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load_catalog(text)
