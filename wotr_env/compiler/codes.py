"""Enums that kernels see as namespaces of int64 constants.

Inside a kernel a member of a ``Codes`` enum is a plain int64 constant, so that a function called with a
member and with a computed number is compiled once. Outside kernels the members are ordinary ``IntEnum``s.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any


class _CodesMeta(enum.EnumMeta):
    """Marks the enums that kernels see as namespaces of int64 constants."""


class Codes(enum.IntEnum, metaclass=_CodesMeta):
    """An ``IntEnum`` whose members are int64 constants inside kernels."""


class _TableCodesMeta(_CodesMeta):
    """Makes type checkers accept members that they cannot see."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> int: ...


class TableCodes(Codes, metaclass=_TableCodesMeta):
    """``Codes`` whose members come from a table; type checkers accept every name as a member."""

    @classmethod
    def of(cls, name: str, members: Mapping[str, int]) -> type[TableCodes]:
        """Creates an enum with these members."""
        made: Any = cls(name, members)
        return made
