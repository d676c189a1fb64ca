"""READING: the board as the scripted policy evaluates it at a decision, as one record that kernels fill."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.games.war_of_the_ring.components import NUM_REGIONS, NUM_SETTLEMENTS
from wotr_env.games.war_of_the_ring.state import NUM_SIDES, STATE

NOTHING, ARMIES, ALL = range(3)
"""The extent of a reading: nothing, everything except the pull on armies, or everything."""
READ_FIELDS = ("units", "elite", "leader", "control", "location", "options")
"""Fields of a state that a reading depends on, if no side is shared by two players."""

READING = np.dtype(
    (
        np.record,
        [
            # Of both sides.
            ("hits", np.int64, (NUM_SIDES, NUM_REGIONS)),  # hit points of their armies
            ("leadership", np.int64, (NUM_SIDES, NUM_REGIONS)),  # of their armies, characters included
            ("nearness", np.float64, (NUM_SIDES,)),  # the part of the victory points they need that they have
            # Of the deciding player: his part of the armies of his side, all of them if he has no partner.
            ("own_units", np.int64, (NUM_REGIONS,)),
            ("own_hits", np.int64, (NUM_REGIONS,)),
            ("own_leadership", np.int64, (NUM_REGIONS,)),
            # Of the deciding side.
            ("threat", np.float64, (NUM_REGIONS,)),  # to Settlements: enemy hit points, fewer with distance
            ("pull", np.float64, (NUM_REGIONS,)),  # how much it wants to have an army there
            ("weights", np.float64, (len(Weight),)),  # what it thinks things are worth
            # Settlements that pull.
            ("goals", np.int64, (NUM_SETTLEMENTS,)),
            ("worth", np.float64, (NUM_SETTLEMENTS,)),
            # What this is a reading of.
            ("extent", np.int64),  # how much is read: ``NOTHING``, ``ARMIES`` or ``ALL``
            ("side", np.int64),
            *((name, STATE[name].base, STATE[name].shape) for name in READ_FIELDS),
        ],
    )
)


def new_readings(weights: np.ndarray, count: int = 1) -> np.ndarray:
    """New ``READING[count]``, the data that the policy computes from positions. They contain the weights; all
    other fields are 0.

    Args:
        weights: ``float64[len(Weight)]``.
        count: number of readings: one, or one for each side, so that a reading can be reused when sides take
            turns.
    """
    readings = np.zeros(count, dtype=READING)
    readings["weights"] = weights
    return readings
