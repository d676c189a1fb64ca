"""All random outcomes of the game (R0.10): a counter-based random stream, or the tape while it is not empty.

Dice and draws that the players see use ``roll_die`` and ``draw_member``, which record the purpose, the side
and the needed number. The order of a deck is drawn with ``draw_number`` and is not recorded.
"""

from __future__ import annotations

from wotr_env.core import chance
from wotr_env.games.war_of_the_ring.codes import Draw
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.state import MAX_DRAWS

MOST_COUNTED = 127
_WORD = 0xFFFFFFFF


mix = kernel(chance.mix)
stream_word = kernel(chance.stream_word)


@kernel
def seed_chance(state, seed):
    """Starts the random stream of a game from a seed of up to 63 bits; empties the tape."""
    low = seed & _WORD
    high = (seed >> 32) & _WORD
    state.key[0] = mix(low ^ mix(high + 0x9E3779B9))
    state.key[1] = mix(high ^ mix(low + 0x7F4A7C15))
    state.counter = 0
    state.tape_position = 0
    state.tape_length = 0


@kernel
def draw_number(state, low, count):
    """Draws a uniform number from low to low + count - 1: the next number of the tape, or of the random
    stream (R0.10)."""
    if state.tape_position < state.tape_length:
        value = int(state.tape[state.tape_position])
        if value < low or value >= low + count:
            raise ValueError("the next outcome on the tape does not fit this chance event")
        state.tape_position += 1
        if state.tape_position == state.tape_length:
            state.tape_position = 0
            state.tape_length = 0
            state.tape[:] = 0
        return value
    counter = int(state.counter)
    word = stream_word(int(state.key[0]), int(state.key[1]), counter)
    state.counter = (counter + 1) & _WORD
    if state.counter == 0:  # all numbers of this stream are used: another begins
        state.key[1] = mix(int(state.key[1]) + 1)
    return low + ((word * count) >> 32)


@kernel
def note_draw(state, kind, side, value, needed):
    """Records the purpose of an outcome; outcomes that do not fit into ``state.draws`` are only counted."""
    if state.num_draws < MAX_DRAWS:
        draw = state.draws[state.num_draws]
        draw[Draw.KIND] = kind
        draw[Draw.SIDE] = side
        draw[Draw.VALUE] = value
        draw[Draw.NEEDED] = needed
    if state.num_draws < MOST_COUNTED:
        state.num_draws += 1


@kernel
def forget_draws(state):
    """Clears the recorded outcomes at the start of a step."""
    if state.num_draws > 0:
        state.draws[:, :] = 0
        state.num_draws = 0


@kernel
def roll_die(state, kind, side, needed):
    """Rolls a fair d6 for a side.

    Args:
        kind: the purpose (``Roll``).
        needed: the lowest result that succeeds; 0: the roll has no target.
    """
    value = draw_number(state, 1, 6)
    note_draw(state, kind, side, value, needed)
    return value


@kernel
def draw_member(state, kind, side, zones, zone, size):
    """Draws uniformly among the indices i < size with ``zones[i] == zone``; there must be at least one.

    A tape contains the index itself: the drawn tile, the lost Companion.
    """
    return draw_member_of_both(state, kind, side, zones, zone, zone, size)


@kernel
def draw_member_of_both(state, kind, side, zones, zone, other, size):
    """As ``draw_member``, among the members of two zones together."""
    index = _member(state, zones, zone, other, size)
    note_draw(state, kind, side, index, 0)
    return index


@kernel
def _member(state, zones, zone, other, size):
    if state.tape_position < state.tape_length:
        index = draw_number(state, 0, size)
        if zones[index] != zone and zones[index] != other:
            raise ValueError("the next outcome on the tape is none of those that can be drawn")
        return index
    members = 0
    for i in range(size):
        if zones[i] == zone or zones[i] == other:
            members += 1
    place = draw_number(state, 0, members)
    for i in range(size):
        if zones[i] == zone or zones[i] == other:
            if place == 0:
                return i
            place -= 1
    return -1
