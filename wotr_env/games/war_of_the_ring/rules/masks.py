"""Masks of legal actions, ``bool[NUM_ACTIONS]``, read 64 flags at a time."""

from __future__ import annotations

from wotr_env.compiler.memory import FLAGS_PER_WORD, bit_count, flag_word, lowest_bit
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.codes import Verb
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
    """The legal action of a mask at an index from 0; -1 if there are not enough legal actions."""
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
    """Chooses uniformly among all ``count`` legal actions of a mask, with 32 random bits; returns -1 if there
    are none."""
    return action_at(mask, (word * count) >> 32)


@kernel
def legal_yes_or_no(state, mask):
    """The legal actions of a decision that is accepted or declined."""
    mask[Block.VERB + Verb.ACCEPT] = True
    mask[Block.VERB + Verb.DECLINE] = True
