"""The compiled entry points of the scripted policy."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import AGENTS, FLOAT_TABLE, READINGS, WORDS, entry_point
from wotr_agents.games.war_of_the_ring.scripted.choice import choose, load_weights
from wotr_agents.games.war_of_the_ring.scripted.odds import battle_odds
from wotr_agents.games.war_of_the_ring.scripted.policy import score_actions
from wotr_agents.games.war_of_the_ring.scripted.reading import new_readings
from wotr_agents.games.war_of_the_ring.scripted.value import NUM_FEATURES, write_features
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_env.compiler.types import array_of
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.rules.flow import apply, run
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


def ensure_agents() -> float:
    """Compiles the bots, except for searches, if necessary; returns the seconds that this took."""
    battle_odds()  # takes a moment, so not in the middle of a decision
    return AGENTS.ensure_compiled()


def prepare_agents() -> None:
    """Calls ``ensure_agents``, unless another process compiles the kernels: the bots are fast enough until
    then."""
    battle_odds()
    AGENTS.prepare()


@entry_point(scores=FLOAT_TABLE, readings=READINGS)
def _score(states, masks, scores, readings, odds):
    board = readings[0]
    for game in range(states.size):
        score_actions(states[game], masks[game], scores[game], board, odds)


@entry_point(weights=array_of(np.float64, 3), noise=FLOAT_TABLE, streams=WORDS, readings=READINGS)
def _play(states, masks, weights, readings, scores, odds, noise, streams, decisions):
    made = 0
    for game in range(states.size):
        state = states[game]
        for side in range(NUM_SIDES):
            load_weights(readings[side], weights[game, side])
        for _ in range(decisions):
            if state.winner != Winner.NONE:
                break
            side = deciding_side(state)
            board = readings[side]
            action = choose(state, masks[game], scores, board, odds, noise[game, side], streams[game])
            streams[game] += 1 << 32
            apply(state, action)
            run(state, masks[game])
            made += 1
    return made


def play_scripted(
    states: np.ndarray,
    masks: np.ndarray,
    weights: np.ndarray,
    streams: np.ndarray,
    noise: float | np.ndarray = 0.1,
    decisions: int = 100_000,
) -> int:
    """Continues games with the scripted policy, in place; returns the number of decisions made.

    Args:
        states: ``STATE[N]``, each with a pending decision.
        masks: ``bool[N, NUM_ACTIONS]``: the legal actions.
        weights: ``float64[N, 2, len(Weight)]``: the weights of both sides in each game.
        streams: ``int64[N]``: the positions of the noise streams; advanced.
        noise: size of the uniform noise on every score, or ``float64[N, 2]`` by game and side; with very
            large noise, play is uniformly random.
        decisions: maximal number of decisions in each game.
    """
    readings, scores = new_readings(DEFAULT_WEIGHTS, NUM_SIDES), np.zeros(NUM_ACTIONS)
    odds = battle_odds().reshape(-1)
    noises = np.array(np.broadcast_to(np.asarray(noise, dtype=np.float64), (states.size, NUM_SIDES)))
    return _play(states, masks, weights, readings, scores, odds, noises, streams, decisions)


def score_views(
    states: np.ndarray, masks: np.ndarray, scores: np.ndarray, weights: np.ndarray = DEFAULT_WEIGHTS
) -> None:
    """Scores the legal actions of games.

    Args:
        states: ``STATE[B]``; hidden cards of other seats are not read.
        masks: ``bool[B, NUM_ACTIONS]``: the legal actions.
        scores: ``float64[B, NUM_ACTIONS]``, written; ``NO_SCORE`` for illegal actions.
        weights: ``float64[len(Weight)]``.
    """
    masks = np.ascontiguousarray(masks)
    _score(np.ascontiguousarray(states), masks, scores, new_readings(weights), battle_odds().reshape(-1))


@entry_point(features=FLOAT_TABLE)
def _features(states, features):
    for game in range(states.size):
        write_features(states[game], features[game])


def features_of(states: np.ndarray) -> np.ndarray:
    """The features of positions (``STATE[N]``): ``float64[N, NUM_FEATURES]`` (``value.py``)."""
    features = np.zeros((states.size, NUM_FEATURES))
    _features(np.ascontiguousarray(states), features)
    return features
