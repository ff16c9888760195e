"""The type that proves a SQL text went through the gate."""


class Admitted(str):
    """SQL that the gate let through, in the text that will be sent.

    Engines take nothing else, so no engine call can go round the gate. Only
    ``querymend.tools.sql.gate`` makes one; a test holds every other module to that.
    """

    __slots__ = ()


def require_admitted(sql: str) -> Admitted:
    """Return the text as it is if the gate let it through; what every engine asks first.

    Raises:
        TypeError: it is a plain string.
    """
    if not isinstance(sql, Admitted):
        raise TypeError("The engine takes only SQL that the gate admitted, not a plain string.")
    return sql
