"""The compiled entry points of the Duel's scripted policy."""

from __future__ import annotations

import numpy as np

from wotr_agents.duel.kernels import entry_point
from wotr_agents.duel.policy import NO_SCORE, ROOM, choose, score_legal_actions
from wotr_agents.duel.weights import DEFAULT_WEIGHTS
from wotr_env.compiler.types import array_of
from wotr_env.duel.actions import NUM_ACTIONS
from wotr_env.duel.state import GOING_ON
from wotr_env.duel.turn import apply, run

_TABLE = array_of(np.float64, 2)


@entry_point(scores=_TABLE)
def _score(states, masks, scores, room, weights):
    for game in range(states.size):
        score_legal_actions(states[game], masks[game], scores[game], room, weights)
        for action in range(NUM_ACTIONS):
            if not masks[game, action]:
                scores[game, action] = NO_SCORE


@entry_point(weights=array_of(np.float64, 2), streams=array_of(np.int64))
def _play(states, masks, weights, scores, room, noise, streams, decisions):
    made = 0
    for game in range(states.size):
        state = states[game]
        for _ in range(decisions):
            if state.winner != GOING_ON:
                break
            mask = masks[game]
            own = weights[int(state.seat)]
            action = choose(state, mask, scores, room, own, noise, streams[game])
            streams[game] += 1 << 32
            apply(state, action)
            run(state, mask)
            made += 1
    return made


def score_views(
    states: np.ndarray, masks: np.ndarray, scores: np.ndarray, weights: np.ndarray = DEFAULT_WEIGHTS
) -> None:
    """Scores the legal actions of games.

    Args:
        states: ``STATE[B]``, of which nothing is read that the deciding seat cannot know.
        masks: ``bool[B, NUM_ACTIONS]``.
        scores: ``float64[B, NUM_ACTIONS]``, written; ``NO_SCORE`` for illegal actions.
        weights: ``float64[NUM_WEIGHTS]``.
    """
    masks = np.ascontiguousarray(masks)
    _score(np.ascontiguousarray(states), masks, scores, np.zeros(ROOM), np.array(weights))


def play_scripted(
    states: np.ndarray,
    masks: np.ndarray,
    weights: np.ndarray,
    streams: np.ndarray,
    noise: float = 0.1,
    decisions: int = 100_000,
) -> int:
    """Plays games on by the scripted policy, in place; returns the decisions made.

    Args:
        states: ``STATE[N]``, each with a pending decision.
        masks: ``bool[N, NUM_ACTIONS]``.
        weights: ``float64[2, NUM_WEIGHTS]``, of both sides.
        streams: ``int64[N]``, the positions of the noise's own streams, advanced.
        noise: uniform noise of this size on every score.
        decisions: at most, in each game.
    """
    scores, room = np.zeros(NUM_ACTIONS), np.zeros(ROOM)
    return _play(states, masks, np.array(weights), scores, room, float(noise), streams, decisions)
