"""Beliefs without training, for tests of what plays by them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wotr_agents.belief.model import Belief, BeliefWeights, belief_bytes, load_belief
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE

WIDTH, HIDDEN = 12, 8


def random_weights(seed: int = 0) -> BeliefWeights:
    """Weights that say something different of every card in every position."""
    rng = np.random.default_rng(seed)

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float16).astype(np.float32)

    return BeliefWeights(
        first=numbers(OBSERVATION_SIZE, WIDTH),
        first_bias=numbers(WIDTH),
        norm=numbers(WIDTH),
        norm_bias=numbers(WIDTH),
        hidden=numbers(WIDTH, HIDDEN),
        hidden_bias=numbers(HIDDEN),
        cards=numbers(HIDDEN, NUM_CARDS),
        cards_bias=numbers(NUM_CARDS),
    )


def write_belief(folder: Path, seed: int = 0) -> Path:
    """Writes a small belief with random weights; returns its file."""
    path = folder / f"belief-{seed}.safetensors"
    path.write_bytes(belief_bytes(Belief(random_weights(seed), {"seed": seed})))
    return path


def random_belief(folder: Path, seed: int = 0) -> Belief:
    """The same, read from its file."""
    return load_belief(write_belief(folder, seed))
