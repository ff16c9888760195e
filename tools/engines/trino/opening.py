"""Opens a Trino by its URL, and says what is missing where it cannot."""

from typing import TYPE_CHECKING

from querymend.tools.engines.trino.address import read_address
from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from querymend.tools.engines.trino.engine import TrinoEngine


def open_trino(url: str, *, password: str = "") -> "TrinoEngine":
    """Open ``trino://user@host:port/catalog/schema``; nothing is sent before the first statement.

    Args:
        url: as ``read_address`` takes it.
        password: the user's; sent over TLS alone.

    Raises:
        SetupError: the URL is not right, or the extra ``trino`` is not installed.
    """
    address = read_address(url, password=bool(password))
    try:
        from querymend.tools.engines.trino.engine import Access, TrinoEngine
    except ModuleNotFoundError as error:
        raise SetupError(
            f"Trino needs the package {error.name!r}: pip install 'querymend[trino]'."
        ) from error
    return TrinoEngine(Access(address=address, password=password))
