"""Moving bytes inside kernels.

numba turns ``a[:] = b`` into a copy by single bytes that first asks whether the arrays overlap. Each function
here has two forms: the one written in Python, for interpreted kernels, and below it the LLVM code.
"""

from __future__ import annotations

import numpy as np
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global


def copy_bytes(target: np.ndarray, at: int, source: np.ndarray) -> None:
    """Writes all of ``source`` (int8, contiguous) into ``target`` (int8[N]) from ``at`` >= 0 on.

    Compiled, neither the room in ``target`` nor an overlap is checked, and a size that is a constant of the
    layout takes a few moves of words.
    """
    target[at : at + source.size] = source.reshape(-1)


@infer_global(copy_bytes)
class _CopyBytes(AbstractTemplate):
    def generic(self, args, _keywords):  # noqa: ANN001, ANN202 (numba's protocol)
        return types.none(args[0], types.intp, args[2])


@lower_builtin(copy_bytes, types.Array, types.intp, types.Array)
def _lower_copy_bytes(context, builder, signature, args):  # noqa: ANN001, ANN202 (numba's protocol)
    target = context.make_array(signature.args[0])(context, builder, args[0])
    source = context.make_array(signature.args[2])(context, builder, args[2])
    cgutils.raw_memcpy(builder, builder.gep(target.data, [args[1]]), source.data, source.nitems, 1)
    return context.get_dummy_value()
