"""Names that no table, column or alias answers to."""

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.tables import check_tables


def check_names(parsed: Parsed, catalog: Catalog) -> list[Finding]:
    """Return every name that the engine will not find."""
    return check_tables(parsed, catalog)
