"""The policy of searches in a game without a scripted policy: uniform priors, random play, equal winning
chances.

The functions are templates (``stand_ins.py``); their ``scratch`` is that of the game.
"""

from __future__ import annotations

from wotr_agents.search.stand_ins import choose_at_random, last_team
from wotr_env.core.chance import stream_word

_WORD = 0xFFFFFFFF


def score_evenly(scratch, scores):
    """Writes equal scores for all actions."""
    for action in range(scratch.mask.size):
        scores[action] = 0.0


def choose_evenly(scratch, noise, stream):
    """Chooses any legal action at random."""
    return choose_at_random(scratch.mask, stream_word(stream & _WORD, 0, (stream >> 32) & _WORD))


def value_evenly(scratch):
    """The winning chance of the first of two teams: 0.5."""
    return 0.5


def value_evenly_for(scratch, team):
    """The winning chance of a team: equal for all teams."""
    return 1.0 / (last_team + 1)
