"""The compiled and the interpreted form of each function of ``wotr_env.compiler.memory`` do the same."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from wotr_env.compiler.kernels import INTERPRETED
from wotr_env.compiler.lowering import memory as _lowerings  # noqa: F401 (which teaches numba these functions)
from wotr_env.compiler.memory import (
    FLAGS_PER_WORD,
    bit_count,
    copy_bytes,
    equal_flags,
    equal_flags_of_few,
    flag_word,
    local_numbers,
    lowest_bit,
    pair_flags,
    prefetch_row,
)
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.components import NUM_CARDS, NUM_REGIONS

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@numba.njit
def _copy_bytes(target, at, source):
    copy_bytes(target, at, source)


@numba.njit
def _flag_word(flags, first):
    return flag_word(flags, first)


@numba.njit
def _pair_flags(pairs, column, first):
    return pair_flags(pairs, column, first)


@numba.njit
def _equal_flags(values, value, first):
    return equal_flags(values, value, first)


@numba.njit
def _equal_flags_of_8(values, value):
    return equal_flags_of_few(values, value, 8)


@numba.njit
def _equal_flags_of_32(values, value):
    return equal_flags_of_few(values, value, 32)


@numba.njit
def _bit_count(word):
    return bit_count(word)


@numba.njit
def _backwards(values):
    kept = local_numbers(5)
    for place in range(5):
        kept[place] = values[place]
    for place in range(5):
        values[place] = kept[4 - place]


@numba.njit
def _lowest_bit(word):
    return lowest_bit(word)


@numba.njit
def _prefetch_row(array, row):
    prefetch_row(array, row)


@pytest.mark.parametrize("shape", [(1,), (6,), (8,), (2, 7), (38,)])
def test_copying_bytes_writes_the_source_and_nothing_else(shape):
    source = np.arange(1, 1 + np.prod(shape), dtype=np.int8).reshape(shape)
    compiled = np.zeros(64, dtype=np.int8)
    interpreted = compiled.copy()
    _copy_bytes(compiled, 5, source)
    copy_bytes(interpreted, 5, source)
    assert (compiled == interpreted).all()
    assert (compiled[5 : 5 + source.size] == source.ravel()).all()
    assert np.count_nonzero(compiled) == source.size


@pytest.mark.parametrize("size", [FLAGS_PER_WORD, FLAGS_PER_WORD + 1, NUM_ACTIONS])
def test_the_words_of_flags_have_a_bit_for_each_flag(size):
    flags = np.random.default_rng(size).random(size) < 0.3
    bits = ""
    for first in range(0, size, FLAGS_PER_WORD):
        word = flag_word(flags, first)
        assert _flag_word(flags, first) % 2**FLAGS_PER_WORD == word
        bits += f"{word:064b}"[::-1]
    assert bits[:size] == "".join(str(int(flag)) for flag in flags)
    assert "1" not in bits[size:]


@pytest.mark.parametrize("first", [0, 1, 41, 53, NUM_REGIONS - 1])
@pytest.mark.parametrize("column", [0, 1])
def test_the_flags_of_pairs_are_those_of_a_column(column, first):
    pairs = np.random.default_rng(first).integers(-1, 3, (NUM_REGIONS, 2)).astype(np.int8)
    word = pair_flags(pairs, column, first)
    assert _pair_flags(pairs, column, first) % 2**FLAGS_PER_WORD == word
    assert [word >> place & 1 for place in range(64)][: NUM_REGIONS - first] == [
        int(value != 0) for value in pairs[first:, column][:64]
    ]


@pytest.mark.parametrize("first", [0, 24, 48, 72, NUM_CARDS - 1])
@pytest.mark.parametrize("value", [-1, 0, 97])
def test_the_flags_of_equal_values(value, first):
    values = np.random.default_rng(first).choice([-1, 0, 97], NUM_CARDS).astype(np.int8)
    word = equal_flags(values, value, first)
    assert _equal_flags(values, value, first) % 2**FLAGS_PER_WORD == word
    assert [word >> place & 1 for place in range(64)][: NUM_CARDS - first] == [
        int(other == value) for other in values[first:][:64]
    ]


@pytest.mark.parametrize(
    ("compiled", "size"), [(_equal_flags_of_8, 8), (_equal_flags_of_8, 13), (_equal_flags_of_32, 36)]
)
@pytest.mark.parametrize("value", [-3, 0, 104])
def test_the_flags_of_few_equal_values(compiled, size, value):
    values = np.random.default_rng(size).choice([-3, 0, 104], size).astype(np.int8)
    word = equal_flags_of_few(values, value, 8)
    assert compiled(values, value) == word
    assert [word >> place & 1 for place in range(64)] == [
        *(int(other == value) for other in values),
        *[0] * (64 - size),
    ]


@pytest.mark.parametrize("word", [0, 1, 0b1011, 2**63 - 1, -1, -(2**63)])
def test_bits_are_counted(word):
    assert bit_count(word) == _bit_count(word) == bin(word % 2**64).count("1")


def test_local_numbers_are_room_for_a_kernel():
    compiled, interpreted = np.arange(5), np.arange(5)
    _backwards(compiled)
    _backwards.py_func(interpreted)
    assert compiled.tolist() == interpreted.tolist() == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("place", [0, 1, 31, 62])
def test_the_lowest_bit_is_found_below_others(place):
    word = 1 << place | 1 << 62
    assert lowest_bit(word) == _lowest_bit(word) == place


def test_the_highest_bit_of_a_word_is_found():
    assert _lowest_bit(-(2**63)) == 63


def test_asking_for_a_row_changes_nothing():
    array = np.arange(300).astype(np.int8).reshape(3, 100)
    before = array.copy()
    _prefetch_row(array, 1)
    prefetch_row(array, 1)
    assert (array == before).all()
