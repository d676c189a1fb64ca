"""The policy of searches in a game without a scripted policy: uniform priors, random play, even chances.

These are templates (``stand_ins.py``), whose ``scratch`` is that of the game.
"""

from __future__ import annotations

from wotr_agents.search.stand_ins import choose_at_random
from wotr_env.core.chance import stream_word

_WORD = 0xFFFFFFFF


def score_evenly(scratch, scores):
    """All actions are equally good."""
    for action in range(scratch.mask.size):
        scores[action] = 0.0


def choose_evenly(scratch, noise, stream):
    """Any legal action."""
    return choose_at_random(scratch.mask, stream_word(stream & _WORD, 0, (stream >> 32) & _WORD))


def value_evenly(scratch):
    """Both teams have the same chance to win."""
    return 0.5


def value_evenly_for(scratch, team):
    """All teams have the same chance to win."""
    return 0.5
