"""Bots and choices for tests of the Gymnasium environments."""

import numpy as np

from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.observation import OBSERVATION_SIZE

ID = "WarOfTheRing-v0"


class First:
    """A bot: the first legal action, and no random numbers."""

    def act(self, view):
        assert view.masks.any(axis=1).all() and view.observations.shape == (len(view.seats), OBSERVATION_SIZE)
        return view.masks.argmax(axis=1)


class Last:
    """A bot: the last legal action."""

    def act(self, view):
        return NUM_ACTIONS - 1 - view.masks[:, ::-1].argmax(axis=1)


def first(mask):
    return int(np.argmax(mask))


def random_actions(masks, generator):
    return np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])


# One seat against a bot


def expected_reward(result, rules, seat, bonus):
    won = {rules.seats[seat].team: 1, 1 - rules.seats[seat].team: -1, Winner.DRAW: 0}[result.winner]
    return won + bonus * (seat in result.winning_partners)
