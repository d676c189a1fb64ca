"""Kernels for masks, ``bool[A]``, made for a number of actions: they list the legal actions in order, or
choose one at random.

For ``FLAGS_PER_WORD`` actions or more, they read this number of flags at once. The kernels are templates
(``templates.specialize``). A kernel set that uses them must declare the types of ``mask`` and ``legal``
(``KernelSet.argument_types``).
"""

from __future__ import annotations

import types
from typing import NamedTuple

from wotr_env.compiler.memory import FLAGS_PER_WORD, bit_count, flag_word, lowest_bit
from wotr_env.compiler.templates import specialize

num_actions = 0
"""The number of actions, A, in a copy."""


def _list_many(mask, legal):
    """As ``_list_few``."""
    count = 0
    for first in range(0, num_actions, FLAGS_PER_WORD):
        flags = flag_word(mask, first)
        while flags != 0:
            legal[count] = first + lowest_bit(flags)
            flags &= flags - 1
            count += 1
    return count


def _choose_of_many(mask, word):
    """As ``_choose_of_few``."""
    count = 0
    for first in range(0, num_actions, FLAGS_PER_WORD):
        count += bit_count(flag_word(mask, first))
    place = (word * count) >> 32
    for first in range(0, num_actions, FLAGS_PER_WORD):
        flags = flag_word(mask, first)
        here = bit_count(flags)
        if place < here:
            for _ in range(place):
                flags &= flags - 1
            return first + lowest_bit(flags)
        place -= here
    return -1


def _list_few(mask, legal):
    """Writes the legal actions in order; returns their number."""
    count = 0
    for action in range(num_actions):
        if mask[action]:
            legal[count] = action
            count += 1
    return count


def _choose_of_few(mask, word):
    """Chooses uniformly among the actions of a mask with 32 random bits; returns -1 if the mask is empty."""
    count = 0
    for action in range(num_actions):
        count += mask[action]
    place = (word * count) >> 32
    for action in range(num_actions):
        if mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


class MaskKernels(NamedTuple):
    """Kernels for masks of one size."""

    list_legal: types.FunctionType
    """Writes the legal actions of a mask into ``int64[A]``, in order; returns their number."""
    choose_at_random: types.FunctionType
    """Chooses uniformly among the actions of a mask with 32 random bits; returns -1 if the mask is empty."""


def mask_kernels(actions: int) -> MaskKernels:
    """Returns the kernels for masks of this size."""
    many = actions >= FLAGS_PER_WORD
    both = (_list_many, _choose_of_many) if many else (_list_few, _choose_of_few)
    return MaskKernels(*specialize(both, {"num_actions": actions}).values())
