"""``Codes`` enums inside kernels: namespaces of int64 constants."""

from __future__ import annotations

from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_constant, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl

from wotr_env.compiler.codes import Codes


class _CodesType(types.Type):
    def __init__(self, codes: type[Codes]) -> None:
        self.codes = codes
        members = ", ".join(f"{name}={int(value)}" for name, value in codes.__members__.items())
        super().__init__(name=f"Codes({codes.__name__}: {members})")  # types of one name are one to numba


@typeof_impl.register(type(Codes))
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
