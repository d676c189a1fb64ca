"""The value of a position of The Two Towers: the winning chance of a player."""

from __future__ import annotations

import math

from wotr_agents.games.two_towers.kernels import kernel
from wotr_agents.games.two_towers.weights import Weight
from wotr_agents.games.two_towers.worth import need, read_needs
from wotr_env.games.two_towers.components import NUM_COLOURS, NUM_LOCATIONS
from wotr_env.games.two_towers.state import NONE, row_size, total


@kernel
def _points(state, seat, room, weights):
    """Points of a player: tokens, and the expected value of the player's rows and hand."""
    points = float(state.points[seat])
    for colour in range(NUM_COLOURS):
        quality = int(state.quality[seat, colour])
        if quality != NONE:
            points += weights[Weight.ROW] * float(row_size(state, seat, colour)) * need(room, quality)
    return points + weights[Weight.CARD] * total(state.hand[seat])


@kernel
def value_of(state, team, room, weights):
    """The winning chance of a team in an unfinished game: a softmax of the points of all players."""
    if team >= state.players:
        return 0.0
    read_needs(state, room, weights)
    past = float(state.stage) / NUM_LOCATIONS
    scale = weights[Weight.VALUE] + weights[Weight.VALUE_END] * past
    own = _points(state, team, room, weights)
    others = 0.0
    for seat in range(int(state.players)):
        others += math.exp(scale * (_points(state, seat, room, weights) - own))
    return 1.0 / others
