"""Expected winning chances after actions, from the values of positions."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.entry import features_of, play_scripted
from wotr_agents.games.war_of_the_ring.scripted.value import load_coefficients
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_env.core.codes import MAX_SEED
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


def expected_chances(
    worlds: np.ndarray, actions: np.ndarray, depth: int, generator: np.random.Generator
) -> np.ndarray:
    """The mean winning chance of the deciding side after each action: ``float64[K]``.

    Args:
        worlds: ``STATE[W]``, with the decision pending.
        actions: ``int64[K]``.
        depth: number of decisions that the scripted policy plays before the position is evaluated.
        generator: source of randomness.
    """
    seat = int(worlds["seat"][0])
    states = np.tile(worlds, actions.size)
    # Each world goes on with other dice after each action.
    seeds = generator.integers(0, MAX_SEED, size=states.size, dtype=np.int64)
    kernel.sample_worlds(states, np.full(states.size, seat), seeds)
    masks = np.zeros((states.size, NUM_ACTIONS), dtype=np.bool_)
    kernel.step(states, masks, np.repeat(actions, worlds.size))
    if depth:
        weights = np.broadcast_to(DEFAULT_WEIGHTS, (states.size, NUM_SIDES, DEFAULT_WEIGHTS.size))
        play_scripted(states, masks, weights.copy(), seeds & 0xFFFFFFFF, decisions=depth)
    chances = 1.0 / (1.0 + np.exp(-features_of(states) @ load_coefficients()))
    chances = np.where(states["winner"] == Winner.NONE, chances, states["winner"] == Winner.FREE_PEOPLES)
    chances = np.where(states["winner"] == Winner.DRAW, 0.5, chances)
    means = chances.reshape(actions.size, worlds.size).mean(axis=1)
    return means if SEAT_SIDE[seat] == Side.FREE_PEOPLES else 1.0 - means
