"""The arrays of a batch of games, as the kernel reads and writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.state import NUM_SEATS, NUM_SIDES

BOOK = np.dtype(
    (
        np.record,
        [
            ("episode", np.int64),  # being played, from 0
            ("length", np.int64),  # decisions made in it
            # The last game that ended here; winner is -1 if none did in the last call.
            ("winner", np.int8),
            ("reason", np.int8),
            ("victory_points", np.int8, (NUM_SIDES,)),
            ("corruption", np.int8),
            ("mordor_step", np.int8),
            ("turn", np.int16),
            ("won", np.int8, (NUM_SEATS,)),  # 1 for the seats that win, of partners those of R13.8
            ("decisions", np.int64),
            # All games that ended here.
            ("winners", np.int64, (len(Winner) - 1,)),
            ("all_won", np.int64, (NUM_SEATS,)),
            ("reasons", np.int64, (len(Reason),)),
            ("all_turns", np.int64),
            ("all_decisions", np.int64),
        ],
    )
)
"""The dtype of the statistics that a batch keeps for each of its games."""


class Buffers(NamedTuple):
    """The arrays of a batch of N games that the kernel reads and writes in place."""

    states: np.ndarray
    """``STATE[N]``"""
    masks: np.ndarray
    """``bool[N, NUM_ACTIONS]``"""
    observations: np.ndarray
    """``int8[N, OBSERVATION_SIZE]``, or without rows"""
    seats: np.ndarray
    """``int8[N]``: the deciding seat"""
    rewards: np.ndarray
    """``float32[N, S]``, by seat"""
    bonuses: np.ndarray
    """``float32[N]``: an addition to the reward of a seat that wins within a side that two players share"""
    terminated: np.ndarray
    """``bool[N]``"""
    books: np.ndarray
    """``BOOK[N]``"""
    streams: np.ndarray
    """``int64[N]``: the positions of the random streams from which actions are chosen"""
    options: np.ndarray
    """``int8[N, NUM_OPTIONS]``: the ruleset of each game"""
    max_turns: np.ndarray
    """``int64[N]``"""
