"""The compiled and the interpreted form of each function of ``wotr_env.compiler.memory`` do the same."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from wotr_env.actions import NUM_ACTIONS
from wotr_env.compiler.kernels import INTERPRETED
from wotr_env.compiler.memory import FLAGS_PER_WORD, copy_bytes, flag_word, lowest_bit, prefetch_row

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@numba.njit
def _copy_bytes(target, at, source):
    copy_bytes(target, at, source)


@numba.njit
def _flag_word(flags, first):
    return flag_word(flags, first)


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
