"""The range of characters that move alone: Companions and the Mouth of Sauron (R7.6, R7.7.3, R9.8.2)."""

from __future__ import annotations

from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Side
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_LEVEL,
    NEIGHBOUR_BITS,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import MouthStrongholds, Option
from wotr_env.games.war_of_the_ring.rules.armies import holds_stronghold, is_besieger, is_garrison
from wotr_env.games.war_of_the_ring.rules.regions import WORD, contains, first_region, only, without_first
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS

SHADOWFAX_LEVEL = 4


@kernel
def is_closed(state, side, region):
    """Whether a region is a friendly Stronghold under siege, which is closed to characters that travel alone
    (R7.6.4, R7.7.3).

    Also R7.13.6.
    """
    return is_garrison(state, side, region) and holds_stronghold(state, side, region)


@kernel
def is_open_to_minions(state, region):
    """Whether a region is no Stronghold controlled by the Free Peoples, or one that the Shadow besieges
    (R7.7.2, R7.7.3)."""
    return not holds_stronghold(state, Side.FREE_PEOPLES, region) or is_besieger(state, Side.SHADOW, region)


@kernel
def _may_enter(state, side, region):
    """Whether a character may enter a region: it is not closed; with an option, the Mouth enters Strongholds
    controlled by the Free Peoples only if they are under siege (R7.7.3, RG61)."""
    if is_closed(state, side, region):
        return False
    if side == Side.FREE_PEOPLES or state.options[Option.MOUTH_STRONGHOLDS] == MouthStrongholds.STOP:
        return True
    return is_open_to_minions(state, region)


@kernel
def _open_among(state, side, regions, first):
    """The regions of a word that may be entered; its lowest bit is region ``first``."""
    rest = regions
    while rest != 0:
        place = lowest_bit(rest)
        rest &= rest - 1
        if not _may_enter(state, side, first + place):
            regions &= ~(1 << place)
    return regions


@kernel
def reach(state, side, start, steps):
    """The regions that characters of a side can reach in a number of steps, including the start, as a set in
    two 64-bit words.

    Characters stop when they enter a region with an enemy-controlled Stronghold (R7.6.3). They neither enter
    nor leave a friendly Stronghold under siege (R7.6.4). Armies do not matter (R7.6.2). With an option, the
    Mouth does not enter a Stronghold controlled by the Free Peoples that the Shadow does not besiege
    (R7.7.3).
    """
    low, high = only(start)
    if is_closed(state, side, start):
        return low, high
    front_low = low
    front_high = high
    for step in range(steps):
        next_low = 0
        next_high = 0
        for word in range(2):
            front = front_low if word == 0 else front_high
            while front != 0:
                region = word * WORD + lowest_bit(front)
                front &= front - 1
                if step == 0 or not holds_stronghold(state, 1 - side, region):
                    next_low |= NEIGHBOUR_BITS[region, 0]
                    next_high |= NEIGHBOUR_BITS[region, 1]
        next_low = _open_among(state, side, next_low & ~low, 0)
        next_high = _open_among(state, side, next_high & ~high, WORD)
        if next_low == 0 and next_high == 0:
            break
        low |= next_low
        high |= next_high
        front_low = next_low
        front_high = next_high
    return low, high


@kernel
def group_level(characters):
    """The highest Level of a group; 4 for Gandalf the White alone or with one Hobbit (R7.6.1, R14.8).

    Also R7.6.7.
    """
    level = 0
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            level = max(level, int(CHARACTER_LEVEL[character]))
    white = 1 << Character.GANDALF_WHITE
    hobbits = 1 << Character.MERIADOC | 1 << Character.PEREGRIN
    rest = characters & ~white
    if characters & white and rest & ~hobbits == 0 and rest != hobbits:
        return SHADOWFAX_LEVEL
    return level


@kernel
def mark_reach(state, mask, side, start, steps):
    """Marks the regions within reach, including the start."""
    low, high = reach(state, side, start, steps)
    while low | high != 0:
        mask[Block.REGION + first_region(low, high)] = True
        low, high = without_first(low, high)


@kernel
def mark_besieged_ends(state, mask, side, start, steps):
    """Marks the friendly Strongholds under siege in which a card allows the move to end (fp-char-15, 16)."""
    if steps == 0 or is_closed(state, side, start):
        return
    low, high = reach(state, side, start, steps - 1)
    for region in range(NUM_REGIONS):
        crossed = region == start or not holds_stronghold(state, 1 - side, region)
        if not crossed or not contains(low, high, region):
            continue
        for i in range(NUM_NEIGHBOURS[region]):
            if is_closed(state, side, NEIGHBOURS[region, i]):
                mask[Block.REGION + NEIGHBOURS[region, i]] = True


@kernel
def can_travel(state, side, start):
    """Whether a character of Level 1 or more can leave the region."""
    if is_closed(state, side, start):
        return False
    for i in range(NUM_NEIGHBOURS[start]):
        if _may_enter(state, side, NEIGHBOURS[start, i]):
            return True
    return False


@kernel
def is_companion_to_move(state, character):
    """Whether a character is a Companion on the board that has not moved in this action (R7.6.1)."""
    return (
        character <= Character.ARAGORN
        and state.location[character] >= 0
        and state.moved_characters >> character & 1 == 0
        and can_travel(state, Side.FREE_PEOPLES, int(state.location[character]))
    )
