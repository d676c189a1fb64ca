"""What searches do in a game without a scripted policy: even priors, random play, even chances.

These are templates (``templates.py``), whose ``scratch`` is that of the game.
"""

from __future__ import annotations

from wotr_env.core.chance import stream_word

_WORD = 0xFFFFFFFF


def list_legal(mask, legal):
    """Writes the legal actions in order; returns how many there are."""
    count = 0
    for action in range(mask.size):
        if mask[action]:
            legal[count] = action
            count += 1
    return count


def choose_at_random(mask, word):
    """A uniform choice among the actions of a mask by 32 random bits; -1 if there is none."""
    count = 0
    for action in range(mask.size):
        count += mask[action]
    place = (word * count) >> 32
    for action in range(mask.size):
        if mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


def score_evenly(scratch, scores):
    """All actions are equally good."""
    for action in range(scratch.mask.size):
        scores[action] = 0.0


def choose_evenly(scratch, noise, stream):
    """Any legal action."""
    return choose_at_random(scratch.mask, stream_word(stream & _WORD, 0, (stream >> 32) & _WORD))


def value_evenly(scratch):
    """Nobody knows who wins."""
    return 0.5


def value_evenly_for(scratch, team):
    """Nor who is ahead of whom."""
    return 0.5
