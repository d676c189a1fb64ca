"""Sets of regions: two int64 words, as in ``NEIGHBOUR_BITS``.

Bit r of the first word, ``low``, is region r, from 0 to 52. Bit r - 53 of the second word, ``high``, is any
other region r. A loop over a set is

    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
"""

from __future__ import annotations

from wotr_env.compiler.memory import lowest_bit, pair_flags
from wotr_env.games.war_of_the_ring.components import NATION_BITS, NEIGHBOUR_BITS, SETTLEMENT_BITS
from wotr_env.games.war_of_the_ring.components import REGIONS_PER_WORD as WORD
from wotr_env.games.war_of_the_ring.kernels import kernel

_WORD_BITS = (1 << WORD) - 1


@kernel
def only(region):
    """The set of one region."""
    if region < WORD:
        return 1 << region, 0
    return 0, 1 << (region - WORD)


@kernel
def contains(low, high, region):
    if region < WORD:
        return low >> region & 1 == 1
    return high >> (region - WORD) & 1 == 1


@kernel
def first_region(low, high):
    """The first region of a set, which must not be empty."""
    if low != 0:
        return lowest_bit(low)
    return WORD + lowest_bit(high)


@kernel
def without_first(low, high):
    """The set without its first region; the set must not be empty."""
    if low != 0:
        return low & (low - 1), high
    return 0, high & (high - 1)


@kernel
def regions_with_units(state, side):
    """The regions with units of a side."""
    return pair_flags(state.units, side, 0) & _WORD_BITS, pair_flags(state.units, side, WORD)


@kernel
def neighbours_among(origin, low, high):
    """The neighbours of a region that are in a set."""
    return low & NEIGHBOUR_BITS[origin, 0], high & NEIGHBOUR_BITS[origin, 1]


@kernel
def regions_of(nation):
    """The regions of a nation."""
    return NATION_BITS[nation, 0], NATION_BITS[nation, 1]


@kernel
def settlements_of(nation):
    """The regions of a nation that have a Settlement."""
    return SETTLEMENT_BITS[nation, 0], SETTLEMENT_BITS[nation, 1]
