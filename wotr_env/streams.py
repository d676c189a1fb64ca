"""Chance of games beside War of the Ring: functions whose copies become kernels in each game's own set.

A state has ``key`` (``uint32[2]``) and ``counter`` (``uint32``), as that of War of the Ring (R0.10).
"""

from __future__ import annotations

from wotr_env.rules.chance import mix, stream_word

_WORD = 0xFFFFFFFF


def seed_chance(state, seed):
    """Starts the stream of a game from a seed of up to 63 bits."""
    low = seed & _WORD
    high = (seed >> 32) & _WORD
    state.key[0] = mix(low ^ mix(high + 0x9E3779B9))
    state.key[1] = mix(high ^ mix(low + 0x7F4A7C15))
    state.counter = 0


def draw(state, count):
    """A fair number from 0 to count - 1."""
    counter = int(state.counter)
    word = stream_word(int(state.key[0]), int(state.key[1]), counter)
    state.counter = (counter + 1) & _WORD
    if state.counter == 0:  # all numbers of this stream are used: another begins
        state.key[1] = mix(int(state.key[1]) + 1)
    return (word * count) >> 32


def shuffle(state, row, first, last):
    """Puts the numbers of a row from first to last - 1 in any order, each equally likely."""
    for place in range(last - 1, first, -1):
        other = first + draw(state, place - first + 1)
        moved = int(row[place])
        row[place] = row[other]
        row[other] = moved


OF_STATES = (seed_chance, draw, shuffle)
"""Those of which each game has copies (``compiler.templates``), for its own state."""
