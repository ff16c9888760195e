"""Workgroups: where results go, and how much one query may scan."""

from dataclasses import dataclass

from querymend.tools.engines.wire.executions import ENGINE_VERSION
from querymend.tools.engines.wire.failures import Refusal

LEAST_CUTOFF = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Workgroup:
    """One workgroup's settings."""

    name: str = "primary"
    output: str = ""
    """``s3://bucket/prefix/``; empty leaves it to the client."""
    enforce: bool = False
    """Whether the client's own output location is ignored."""
    cutoff: int | None = None
    """Bytes that one query may scan; Athena takes 10,000,000 and more."""
    managed: bool = False
    """Whether Athena keeps results itself."""
    description: str = ""
    enabled: bool = True

    def __post_init__(self) -> None:
        if self.cutoff is not None and self.cutoff < LEAST_CUTOFF:
            raise ValueError(f"Athena takes a cutoff of {LEAST_CUTOFF:,} bytes at least.")

    @property
    def state(self) -> str:
        """Athena's WorkGroupState."""
        return "ENABLED" if self.enabled else "DISABLED"

    def output_for(self, wanted: str) -> str:
        """Return where the result of a query goes; empty with managed results.

        Raises:
            Refusal: nobody says where.
        """
        if self.managed:
            return ""
        chosen = self.output if self.output and (self.enforce or not wanted) else wanted
        if not chosen:
            raise Refusal(
                "No output location provided. An output location is required either through the"
                " Workgroup result configuration setting or as an API input."
            )
        return chosen

    def summary(self) -> dict[str, object]:
        """Return an entry of ListWorkGroups."""
        return {
            "Name": self.name,
            "State": self.state,
            "Description": self.description,
            "EngineVersion": ENGINE_VERSION,
        }

    def described(self) -> dict[str, object]:
        """Return GetWorkGroup's WorkGroup."""
        configuration: dict[str, object] = {
            "ResultConfiguration": {"OutputLocation": self.output} if self.output else {},
            "EnforceWorkGroupConfiguration": self.enforce,
            "PublishCloudWatchMetricsEnabled": False,
            "RequesterPaysEnabled": False,
            "EngineVersion": ENGINE_VERSION,
        }
        if self.cutoff is not None:
            configuration["BytesScannedCutoffPerQuery"] = self.cutoff
        if self.managed:
            configuration["ManagedQueryResultsConfiguration"] = {"Enabled": True}
        return {
            "Name": self.name,
            "State": self.state,
            "Description": self.description,
            "Configuration": configuration,
        }
