"""Enums that kernels see as namespaces of constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.kernels import INTERPRETED, KernelSet

FIRST, SECOND = (
    KernelSet(Path(__file__).parent, ("test_codes.py", other), name=other.partition(".")[0])
    for other in ("test_dispatch.py", "test_vectors.py")
)


def entry_with(codes: type[Codes], kernels: KernelSet):
    """An entry point that reads the enum ``Word`` of its module, as two games have one of the same name."""
    names: dict = {"Word": codes, "__name__": f"{__name__}.{kernels.name}"}
    exec("def read(number):\n    return Word.VALUE + number\n", names)
    return kernels.entry_point()(names["read"])


class _First:
    class Word(Codes):
        VALUE = 3


class _Second:
    class Word(Codes):
        OTHER = 1
        VALUE = 40


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_enums_of_one_name_keep_their_own_members(monkeypatch, tmp_path):
    """Compiled in one process, one after the other."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first, second = entry_with(_First.Word, FIRST), entry_with(_Second.Word, SECOND)
    assert first(1) == 4 and second(1) == 41
