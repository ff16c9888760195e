"""The type that proves a SQL text went through the gate."""


class Admitted(str):
    """SQL that the gate let through, in the text that will be sent.

    Engines take nothing else, so no engine call can go round the gate. Only
    ``querymend.tools.sql.gate`` makes one; a test holds every other module to that.
    """

    __slots__ = ()
