"""Fits the value of positions to scripted self-play.

``python -m wotr_experiments.games.war_of_the_ring.fit_value [GAMES]``

Positions are taken from games of the scripted policy. Noise on its scores makes the games different. The
winning chance of the Free Peoples is fitted to the results of the games by logistic regression (Newton's
method, with a small ridge penalty). A tenth of the games is held out to measure the fit. Writes
``agents/wotr_agents/games/war_of_the_ring/scripted/value.json``.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.entry import ensure_agents, features_of, play_scripted
from wotr_agents.games.war_of_the_ring.scripted.value import COEFFICIENTS_FILE, NUM_FEATURES, Feature
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_env import STATE, Ruleset
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_experiments.files import write_json

GAMES = 20_000
SEED = 20_261_121
BATCH = 500
STEP = 25
"""Number of decisions between two positions of a game."""
NOISES = (0.1, 2.0, 6.0)
MAX_TURNS = 40
RIDGE = 1.0
NEWTON_STEPS = 30


def positions(games: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of scripted games.

    Returns:
        Features ``float64[P, NUM_FEATURES]``, results ``float64[P]`` (1 if the Free Peoples won, 0.5 for a
        draw) and the game of each position ``int64[P]``.
    """
    ensure_agents()
    ruleset = Ruleset(max_turns=MAX_TURNS)
    features, owners = [], []
    results = np.zeros(games)
    for first in range(0, games, BATCH):
        count = min(BATCH, games - first)
        states = np.zeros(count, dtype=STATE)
        masks = np.zeros((count, NUM_ACTIONS), dtype=np.bool_)
        seeds = np.random.SeedSequence((seed, first)).generate_state(count, np.uint64) >> np.uint64(1)
        kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)
        weights = np.broadcast_to(DEFAULT_WEIGHTS, (count, 2, DEFAULT_WEIGHTS.size)).copy()
        streams = (seeds & np.uint64(0xFFFFFFFF)).astype(np.int64)
        while len(live := np.flatnonzero(states["winner"] == Winner.NONE)):
            features.append(features_of(states[live]))
            owners.append(first + live)
            play_scripted(
                states, masks, weights, streams, NOISES[first // BATCH % len(NOISES)], decisions=STEP
            )
        won = np.where(states["winner"] == Winner.FREE_PEOPLES, 1.0, 0.0)
        results[first : first + count] = np.where(states["winner"] == Winner.DRAW, 0.5, won)
    owner = np.concatenate(owners)
    return np.concatenate(features), results[owner], owner


def fit(features: np.ndarray, results: np.ndarray) -> np.ndarray:
    """Returns the coefficients of a logistic regression: ``float64[NUM_FEATURES]``."""
    coefficients = np.zeros(NUM_FEATURES)
    for _ in range(NEWTON_STEPS):
        chances = predict(features, coefficients)
        gradient = features.T @ (results - chances) - RIDGE * coefficients
        weights = chances * (1 - chances)
        hessian = (features * weights[:, None]).T @ features + RIDGE * np.eye(NUM_FEATURES)
        step = np.linalg.solve(hessian, gradient)
        coefficients += step
        if np.abs(step).max() < 1e-9:
            break
    return coefficients


def predict(features: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The winning chance of the Free Peoples: ``float64[P]``."""
    return 1.0 / (1.0 + np.exp(-features @ coefficients))


def fit_value(games: int = GAMES) -> dict[str, Any]:
    """Plays games, fits, tests and writes the coefficients; returns the written data."""
    features, results, owner = positions(games)
    tested = owner % 10 == 0
    coefficients = fit(features[~tested], results[~tested])
    chances = np.clip(predict(features[tested], coefficients), 1e-6, 1 - 1e-6)
    truth = results[tested]
    loss = -(truth * np.log(chances) + (1 - truth) * np.log(1 - chances)).mean()
    fitted = {
        "games": games,
        "positions": len(results),
        "brier": round(float(((chances - truth) ** 2).mean()), 4),
        "brier_of_the_mean": round(float(truth.var()), 4),
        "log_loss": round(float(loss), 4),
        "coefficients": {feature.name.lower(): round(float(coefficients[feature]), 4) for feature in Feature},
    }
    write_json(COEFFICIENTS_FILE, fitted)
    return fitted


if __name__ == "__main__":
    print(fit_value(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES))
