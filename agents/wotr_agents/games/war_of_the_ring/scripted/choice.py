"""The choice of an action by the scripted policy, inside kernels."""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.policy import score_legal_actions
from wotr_agents.games.war_of_the_ring.scripted.reading import ARMIES
from wotr_agents.scores import NO_SCORE
from wotr_env.compiler.memory import FLAGS_PER_WORD, flag_word, lowest_bit
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.rules.chance import stream_word

_WORD = 0xFFFFFFFF


@kernel
def load_weights(board, weights):
    """Copies the weights of the deciding side to the reading."""
    board.extent = min(board.extent, ARMIES)
    for weight in range(weights.size):
        board.weights[weight] = weights[weight]


@kernel
def choose(state, mask, scores, board, odds, noise, stream):
    """The action with the highest score, after noise from the stream is added to each score."""
    score_legal_actions(state, mask, scores, board, odds)
    best = -1
    best_score = 2.0 * NO_SCORE
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        while legal != 0:
            action = first + lowest_bit(legal)
            legal &= legal - 1
            word = stream_word(stream & _WORD, action, (stream >> 32) & _WORD)
            score = scores[action] + noise * word / _WORD
            if score > best_score:
                best = action
                best_score = score
    return best
