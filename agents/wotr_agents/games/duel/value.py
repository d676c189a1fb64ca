"""The value of a position of the Duel: the winning chance of the Fellowship."""

from __future__ import annotations

import math

from wotr_agents.games.duel.kernels import kernel
from wotr_agents.games.duel.weights import Weight
from wotr_agents.games.duel.worth import coins_worth, turns_left
from wotr_env.games.duel.components import (
    CHOICE_CARDS,
    NUM_CHAPTERS,
    NUM_REGIONS,
    NUM_SKILLS,
    NUM_SLOTS,
    NUM_TOKENS,
    Token,
)
from wotr_env.games.duel.state import Place, has_token
from wotr_env.games.duel.victory import present, races_of

_NUM_CHOICES = len(CHOICE_CARDS)


@kernel
def points_of(state, side, weights):
    """Value of everything that a side owns, in points of the scripted policy."""
    steps = int(state.ring[side])
    points = weights[Weight.STEP] * steps + weights[Weight.STEP_CLOSE] * steps * steps / 2.0
    races = races_of(state, side) + has_token(state, side, Token.EAGLE)
    points += weights[Weight.RACE] * races + weights[Weight.RACE_CLOSE] * races * races / 2.0
    regions = present(state, side)
    left = turns_left(state)
    past = 1.0 - left / (NUM_SLOTS * NUM_CHAPTERS)
    points += (weights[Weight.REGION] + weights[Weight.REGION_END] * past * past) * regions
    points += weights[Weight.REGION_CLOSE] * regions * regions / 2.0
    for region in range(NUM_REGIONS):
        points += weights[Weight.UNIT] * state.units[side, region]
        if state.fort[region] == 1 + side:
            points += weights[Weight.FORT]
    points += coins_worth(state, 0, int(state.coins[side]), weights)
    symbols = 0
    for skill in range(NUM_SKILLS):
        symbols += int(state.skills[side, skill])
    for choice in range(_NUM_CHOICES):
        if state.place[CHOICE_CARDS[choice]] == Place.PLAYED + side:
            symbols += 1
    points += weights[Weight.SKILL_LATER] * left / 6.0 * symbols
    for token in range(NUM_TOKENS):
        if has_token(state, side, token):
            points += weights[Weight.FIRST_TOKEN + token]
    return points


@kernel
def value_of(state, room, weights):
    """The winning chance of the Fellowship in an unfinished game: a logistic function of its lead in points.

    The factor of a point grows towards the end of the game.
    """
    ahead = points_of(state, 0, weights) - points_of(state, 1, weights)
    past = 1.0 - turns_left(state) / (NUM_SLOTS * NUM_CHAPTERS)
    return 1.0 / (1.0 + math.exp(-ahead * (weights[Weight.VALUE] + weights[Weight.VALUE_END] * past)))
