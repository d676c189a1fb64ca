"""Masks of legal actions, ``bool[NUM_ACTIONS]``, read 64 flags at a time."""

from __future__ import annotations

from wotr_env.compiler.memory import FLAGS_PER_WORD, bit_count, flag_word, lowest_bit
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.kernels import kernel


@kernel
def count_actions(mask):
    """The number of legal actions of a mask."""
    count = 0
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        count += bit_count(flag_word(mask, first))
    return count


@kernel
def action_at(mask, place):
    """The action at a place among the legal actions of a mask, from 0; -1 if there are not enough."""
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        here = bit_count(legal)
        if place < here:
            for _ in range(place):
                legal &= legal - 1
            return first + lowest_bit(legal)
        place -= here
    return -1


@kernel
def choose_any(mask, count, word):
    """A uniform choice among all actions of a mask, ``count``, by 32 random bits; -1 if there is none."""
    return action_at(mask, (word * count) >> 32)
