"""Choosing by the scripted policy, inside kernels."""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.scripted.policy import NO_SCORE, score_actions
from wotr_env.actions import NUM_ACTIONS
from wotr_env.rules.chance import stream_word

_WORD = 0xFFFFFFFF


@kernel
def load_weights(board, weights):
    """Makes these the weights of the reading: those of the side that decides."""
    for weight in range(weights.size):
        board.weights[weight] = weights[weight]


@kernel
def choose(state, mask, scores, board, odds, noise, stream):
    """The action of the highest score, each raised by noise that follows from the stream."""
    score_actions(state, mask, scores, board, odds)
    best = -1
    best_score = 2.0 * NO_SCORE
    for action in range(NUM_ACTIONS):
        if mask[action]:
            word = stream_word(stream & _WORD, action, (stream >> 32) & _WORD)
            score = scores[action] + noise * word / _WORD
            if score > best_score:
                best = action
                best_score = score
    return best
