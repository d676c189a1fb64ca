"""Sums of products inside kernels: the same bytes as interpreted, and what they should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wotr_env.compiler.kernels import INTERPRETED, KernelSet
from wotr_env.compiler.memory import copy_bytes, unequal_flags
from wotr_env.compiler.types import array_of
from wotr_env.compiler.vectors import FEW, add_highest, add_rows, add_rows_to_few, dot, padded

KERNELS = KernelSet(Path(__file__).parent, ("test_vectors.py",))
KERNELS.argument_types |= {
    "total": array_of(np.float32),
    "totals": array_of(np.float32, 2),
    "matrix": array_of(np.float32, 2),
    "wide": array_of(np.float64, 2),
    "highest": array_of(np.float64),
    "rows": array_of(np.int64),
    "factors": array_of(np.float32),
    "factors_of_few": array_of(np.float32, 2),
    "wide_factors": array_of(np.float64),
    "values": array_of(np.int8, 2),
    "others": array_of(np.int8, 2),
    "flags": array_of(np.int64),
}


@KERNELS.entry_point()
def add(total, matrix, rows, factors, count):
    add_rows(total, matrix, rows, factors, count)


@KERNELS.entry_point()
def add_to_few(totals, matrix, rows, factors_of_few, count):
    add_rows_to_few(totals, matrix, rows, factors_of_few, count)


@KERNELS.entry_point()
def raise_to(highest, wide, rows, wide_factors, count):
    add_highest(highest, wide, rows, wide_factors, count)


@KERNELS.entry_point()
def product(totals):
    return dot(totals[0], totals[1])


@KERNELS.entry_point()
def compare(values, others, flags):
    for place in range(flags.size):
        flags[place] = unequal_flags(values, others, 64 * place)


@KERNELS.entry_point()
def copy(values, others):
    copy_bytes(values, 0, others)


@pytest.fixture(scope="module", autouse=True)
def machine_code(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(tmp_path_factory.mktemp("machine-code")))
        KERNELS.ensure_compiled(lambda *_: None)
        yield


compiled = pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
DRAW = np.random.default_rng(3)
MATRIX = DRAW.standard_normal((50, 192)).astype(np.float32)
ROWS = DRAW.integers(0, 50, 77)
FACTORS = DRAW.standard_normal((77, FEW)).astype(np.float32)


@compiled
@pytest.mark.parametrize("count", [0, 1, 77])
def test_rows_are_added_to_the_same_bytes(count):
    factors = FACTORS[:, 0].copy()
    found, wanted = MATRIX[3].copy(), MATRIX[3].copy()
    add(found, MATRIX, ROWS, factors, count)
    add.function(wanted, MATRIX, ROWS, factors, count)
    assert found.tobytes() == wanted.tobytes()
    exact = MATRIX[3] + factors[:count].astype(float) @ MATRIX[ROWS[:count]].astype(float)
    np.testing.assert_allclose(found, exact, atol=1e-4)


@compiled
def test_rows_are_added_to_a_few_as_to_each():
    found = MATRIX[:FEW].copy()
    add_to_few(found, MATRIX, ROWS, FACTORS, 77)
    for which in range(FEW):
        wanted = MATRIX[which].copy()
        add.function(wanted, MATRIX, ROWS, FACTORS[:, which].copy(), 77)
        assert found[which].tobytes() == wanted.tobytes()


@compiled
def test_a_product_has_the_same_bytes():
    both = MATRIX[:2].copy()
    assert product(both) == product.function(both)
    assert product(both) == pytest.approx(float(both[0].astype(float) @ both[1]), abs=1e-4)


@compiled
@pytest.mark.parametrize("width", [32, 33, 105, 128])
def test_numbers_are_raised_to_the_highest(width):
    wide, factors = MATRIX[:, :width].astype(float), np.abs(FACTORS[:, 0]).astype(float)
    found = np.full(width, 0.25)
    raise_to(found, wide, ROWS, factors, 77)
    np.testing.assert_array_equal(found, np.maximum(0.25, (factors[:, None] * wide[ROWS]).max(axis=0)))


@compiled
def test_unequal_bytes_are_found_and_copied():
    values = DRAW.integers(-128, 128, (21, 9), dtype=np.int8)
    others = values.copy()
    changed = [0, 8, 63, 64, 130, 188]
    others.reshape(-1)[changed] += 1
    flags = np.zeros(3, dtype=np.int64)
    compare(values, others, flags)
    found = [64 * word + bit for word in range(3) for bit in range(64) if int(flags[word]) >> bit & 1]
    assert found == changed
    copy(values, others)
    np.testing.assert_array_equal(values, others)


def test_sizes_are_filled_up():
    assert [padded(size) for size in (0, 1, 64, 65)] == [0, 64, 64, 128]
    assert padded(5, FEW) == 8
