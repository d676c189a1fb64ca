"""Random numbers of games: functions that are copied into the kernels of each game.

A state has ``key`` (``uint32[2]``) and ``counter`` (``uint32``).
"""

from __future__ import annotations

_WORD = 0xFFFFFFFF


def mix(value):
    """A bijection of 32-bit words that scatters close values (two rounds of multiply and xor-shift).

    The multipliers and shifts are the best pair below 2**31 in C. Wellons' hash-prospector search; every
    product then fits an int64.
    """
    value = value & _WORD
    value = ((value ^ (value >> 16)) * 0x21F0AAAD) & _WORD
    value = ((value ^ (value >> 15)) * 0x735A2D97) & _WORD
    return value ^ (value >> 15)


def stream_word(low, high, counter):
    """Word number ``counter`` of the random stream with the 64-bit key (low, high)."""
    return mix(mix(mix(counter ^ low) + high) ^ low)


def seed_chance(state, seed):
    """Starts the random stream of a game from a seed of up to 63 bits."""
    low = seed & _WORD
    high = (seed >> 32) & _WORD
    state.key[0] = mix(low ^ mix(high + 0x9E3779B9))
    state.key[1] = mix(high ^ mix(low + 0x7F4A7C15))
    state.counter = 0


def draw(state, count):
    """Returns a uniform random integer from 0 to count - 1."""
    counter = int(state.counter)
    word = stream_word(int(state.key[0]), int(state.key[1]), counter)
    state.counter = (counter + 1) & _WORD
    if state.counter == 0:  # all numbers of this stream are used: another begins
        state.key[1] = mix(int(state.key[1]) + 1)
    return (word * count) >> 32


def shuffle(state, row, first, last):
    """Shuffles the numbers of a row uniformly, from index first to index last - 1."""
    for place in range(last - 1, first, -1):
        other = first + draw(state, place - first + 1)
        moved = int(row[place])
        row[place] = row[other]
        row[other] = moved


OF_STATES = (seed_chance, draw, shuffle)
"""The functions that are copied for each game (``compiler.templates``), for its own state."""
