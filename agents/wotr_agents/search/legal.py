"""Legal actions by their mask: in games of many actions ``FLAGS_PER_WORD`` flags are looked at together.

These are templates (``stand_ins.py``).
"""

from __future__ import annotations

from wotr_agents.search.stand_ins import num_actions
from wotr_env.compiler.memory import FLAGS_PER_WORD, bit_count, flag_word, lowest_bit


def list_many_legal(mask, legal):
    """As ``list_few_legal``."""
    count = 0
    for first in range(0, num_actions, FLAGS_PER_WORD):
        flags = flag_word(mask, first)
        while flags != 0:
            legal[count] = first + lowest_bit(flags)
            flags &= flags - 1
            count += 1
    return count


def choose_of_many(mask, word):
    """As ``choose_of_few``."""
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


def list_few_legal(mask, legal):
    """Writes the legal actions in order; returns how many there are."""
    count = 0
    for action in range(num_actions):
        if mask[action]:
            legal[count] = action
            count += 1
    return count


def choose_of_few(mask, word):
    """A uniform choice among the actions of a mask by 32 random bits; -1 if there is none."""
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


MANY = (list_many_legal, choose_of_many)
"""For ``FLAGS_PER_WORD`` actions or more."""
FEW = (list_few_legal, choose_of_few)
