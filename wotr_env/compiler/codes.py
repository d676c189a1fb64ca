"""Enums that kernels see as namespaces of int64 constants.

Inside a kernel a member of a ``Codes`` enum is a plain int64 constant, so that a function called with a
member and with a computed number is compiled once. Outside kernels the members are ordinary ``IntEnum``s.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_constant, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl


class _CodesMeta(enum.EnumMeta):
    """Marks the enums that kernels see as namespaces of int64 constants."""


class Codes(enum.IntEnum, metaclass=_CodesMeta):
    """An ``IntEnum`` whose members are int64 constants inside kernels."""


class _TableCodesMeta(_CodesMeta):
    """Tells a type checker that members it cannot see are there."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> int: ...


class TableCodes(Codes, metaclass=_TableCodesMeta):
    """``Codes`` whose members come from a table: a type checker takes any name."""

    @classmethod
    def of(cls, name: str, members: Mapping[str, int]) -> type[TableCodes]:
        """The enum of these members."""
        made: Any = cls(name, members)
        return made


class _CodesType(types.Type):
    def __init__(self, codes: type[Codes]) -> None:
        self.codes = codes
        super().__init__(name=f"Codes({codes.__name__})")


@typeof_impl.register(_CodesMeta)
def _type_of_codes(value: type[Codes], _context: object) -> _CodesType:
    return _CodesType(value)


register_default(_CodesType)(OpaqueModel)


@lower_constant(_CodesType)
def _lower_codes(context, _builder, _type, _value):  # noqa: ANN001, ANN202 (numba's protocol)
    return context.get_dummy_value()


@infer_getattr
class _CodesAttribute(AttributeTemplate):
    key = _CodesType

    def generic_resolve(self, codes_type: _CodesType, name: str) -> types.Type | None:
        return types.int64 if name in codes_type.codes.__members__ else None


@lower_getattr_generic(_CodesType)
def _lower_member(context, _builder, codes_type, _value, name):  # noqa: ANN001, ANN202 (numba's protocol)
    return context.get_constant(types.int64, int(codes_type.codes[name]))
