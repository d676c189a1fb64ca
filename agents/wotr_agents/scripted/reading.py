"""READING: what the scripted policy sees on the board when it decides, as one record that kernels fill."""

from __future__ import annotations

import numpy as np

from wotr_agents.scripted.weights import Weight
from wotr_env.components import NUM_REGIONS
from wotr_env.state import NUM_SIDES

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
        ],
    )
)


def new_reading(weights: np.ndarray) -> np.ndarray:
    """A reading of no board yet: ``READING[1]``.

    Args:
        weights: ``float64[len(Weight)]``.
    """
    reading = np.zeros(1, dtype=READING)
    reading["weights"] = weights
    return reading
