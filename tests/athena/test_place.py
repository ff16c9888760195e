"""URLs, settings and sessions."""

from datetime import UTC, datetime, timedelta

import pytest

from querymend.engines import open_engine
from querymend.settings import Settings
from querymend.tools.engines.athena.place import AthenaPlace, read_url
from querymend.tools.engines.athena.session import open_session
from querymend.tools.engines.wire.server import AthenaStandIn
from querymend.tools.errors import SetupError


def test_a_url_names_region_databases_and_workgroup() -> None:
    place = read_url("athena://eu-west-1/sales,web?workgroup=analysts&reuse=30&poll=0.5")
    assert (place.region, place.databases, place.workgroup) == (
        "eu-west-1",
        ("sales", "web"),
        "analysts",
    )
    assert (place.reuse_minutes, place.poll_seconds) == (30, 0.5)


def test_what_a_url_leaves_open_is_as_in_the_settings() -> None:
    base = AthenaPlace(workgroup="team", databases=("sales",), region="eu-west-1")
    assert read_url("athena://", base) == base
    assert read_url("athena:///web", base).databases == ("web",)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("athena://AKIA:secret@eu-west-1/sales", "no AWS keys"),
        ("athena://eu-west-1/sales?aws_secret_access_key=x", "no AWS keys"),
        ("athena://eu-west-1/sales?workgrop=x", "Did you mean workgroup?"),
        ("athena://eu-west-1/sales?reuse=soon", "no number"),
        ("athena://eu-west-1/sales?reuse=20000", "0 to 10,080"),
        ("athena://eu-west-1/sales?managed=maybe", "neither true nor false"),
        ("athena://eu-west-1/sales?managed=true&output=s3://a/", "exclude each other"),
        ("athena://eu-west-1/sales?output=/tmp", "no s3:// address"),
        ("athena://eu-west-1/sales/web", "separated by commas"),
    ],
)
def test_a_url_that_cannot_be_used_says_why(url: str, told: str) -> None:
    with pytest.raises(SetupError, match=told.replace("?", r"\?")) as caught:
        read_url(url)
    assert "secret" not in str(caught.value)


def test_a_region_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    with pytest.raises(SetupError, match="No AWS region"):
        open_session(AthenaPlace())


def test_a_profile_that_is_not_there_is_named() -> None:
    with pytest.raises(SetupError, match="no AWS profile 'nobody'"):
        open_session(AthenaPlace(region="eu-west-1", profile="nobody"))


def test_a_role_is_taken_on_and_its_credentials_renewed(lake: AthenaStandIn) -> None:
    place = AthenaPlace(
        region="us-east-1",
        role="arn:aws:iam::123456789012:role/reader",
        endpoint=lake.endpoint_url,
        session_name="ann",
    )
    session = open_session(place)
    before = lake.operations("sts").count("AssumeRole")
    credentials = session.get_credentials()
    first = credentials.get_frozen_credentials()
    assert lake.operations("sts").count("AssumeRole") == before + 1
    credentials._expiry_time = datetime.now(UTC) + timedelta(seconds=30)
    second = credentials.get_frozen_credentials()
    assert lake.operations("sts").count("AssumeRole") == before + 2
    assert first.access_key != second.access_key


def test_an_engine_opens_by_its_url_with_the_settings_below_it(lake: AthenaStandIn) -> None:
    athena = Settings().athena.model_copy(
        update={"endpoint_url": lake.endpoint_url, "output": lake.output, "reuse_minutes": 5}
    )
    settings = Settings().model_copy(update={"athena": athena})
    engine = open_engine("athena://us-east-1/sales?reuse=0", settings)
    try:
        assert engine.name == "Athena sales (us-east-1, workgroup primary)"
        assert engine.dialect == "athena"
        assert engine.catalog().table("orders") is not None
    finally:
        engine.close()


def test_a_workgroup_that_is_not_there_is_named(lake: AthenaStandIn) -> None:
    """Peer report: aws-athena-mcp 23, dbcode 880."""
    url = f"athena://us-east-1/sales?endpoint={lake.endpoint_url}"
    with pytest.raises(SetupError, match="workgroup") as missing:
        open_engine(f"{url}&workgroup=nobody", Settings())
    assert missing.value.setting == "QUERYMEND_ATHENA__WORKGROUP"
    with pytest.raises(SetupError, match="no result location") as bare:
        open_engine(f"{url}&workgroup=bare", Settings())
    assert bare.value.setting == "QUERYMEND_ATHENA__OUTPUT"
    open_engine(f"{url}&workgroup=bare&output={lake.output}", Settings()).close()
