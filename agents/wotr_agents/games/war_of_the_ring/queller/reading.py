"""QUELLER_READING: the board and the plans of the Queller-style Shadow at a decision, as one record.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.reading import READING
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.components import NUM_REGIONS
from wotr_env.games.war_of_the_ring.state import NUM_FACES

NOWHERE = -1
"""Stands for no region."""


class Strategy(Codes):
    """The way in which the Shadow mainly tries to win."""

    MILITARY = 0
    CORRUPTION = 1
    AUTO = 2  # as a wish: whichever is ahead


class TargetRank(Codes):
    """Kinds of targets. If several targets are equally near, the target with the lowest rank is chosen."""

    NONE = 0  # not a target
    LOST_STRONGHOLD = 1  # of a Shadow nation
    THREAT = 2  # an army that threatens a Stronghold
    STRONGHOLD_AT_WAR = 3  # of a nation at war
    STRONGHOLD_ACTIVE = 4
    STRONGHOLD_PASSIVE = 5
    CITY_AT_WAR = 6
    CITY_ACTIVE = 7
    BESIEGED = 8  # the weakest Stronghold under a siege that needs no help


class RingUse(Codes):
    """The steps of the walk in which an Elven Ring may provide the die."""

    NO_STEP = 0
    MARKED_STEPS = 1
    EVERY_STEP = 2


class Intent(Codes):
    """The result of the walk through the steps."""

    NOTHING = 0
    USE_DIE = 1  # of a face, for a plan
    USE_RING = 2  # to make a die of a face
    PASS = 3


QUELLER_READING = np.dtype(
    (
        np.record,
        [
            ("board", READING),  # of the scripted policy
            # By region: Shadow armies.
            ("value", np.int64, (NUM_REGIONS,)),  # in the open
            ("war_value", np.int64, (NUM_REGIONS,)),  # of the units that may attack
            ("garrison", np.int64, (NUM_REGIONS,)),  # value as a defender where it stands
            ("guard", np.int64, (NUM_REGIONS,)),  # units that must stay
            ("target", np.int64, (NUM_REGIONS,)),  # the region it goes for
            ("next_step", np.int64, (NUM_REGIONS,)),  # the next region on the way there
            ("mobile", np.int64, (NUM_REGIONS,)),  # flag: strong enough for the way and the target
            ("prey", np.int64, (NUM_REGIONS,)),  # the undefended target to which it is the nearest army
            # By region: Free Peoples armies.
            ("defence", np.int64, (NUM_REGIONS,)),  # value where it stands
            ("raider", np.int64, (NUM_REGIONS,)),  # value, of one that may threaten a Stronghold
            ("threatens", np.int64, (NUM_REGIONS,)),  # flag: it does
            # By region: places.
            ("threatened", np.int64, (NUM_REGIONS,)),  # flag: a Stronghold of the Shadow, by some army
            ("rank", np.int64, (NUM_REGIONS,)),  # TargetRank
            # How many there are.
            ("threats", np.int64),
            ("preys", np.int64),
            ("mobiles", np.int64),
            # The best ranks of any army (0) and of one with a leader (1).
            ("best_attack", np.float64, (2,)),  # AttackStep and what lies above it
            ("best_move", np.float64, (2,)),  # MoveStep and what lies above it
            # The strategy.
            ("wish", np.int64),  # the Strategy asked for
            ("coin", np.int64),  # of the bot, 0 to 1023
            ("strategy", np.int64),  # of the moment
            # The walk.
            ("dice", np.int64, (NUM_FACES,)),  # that may be used, by face
            ("ring", np.int64),  # RingUse
            ("may_pass", np.int64),  # flag
            ("intent", np.int64),  # Intent
            ("intent_face", np.int64),
            ("intent_plan", np.int64),
        ],
    )
)


def new_queller_reading(strategy: int, coin: int) -> np.ndarray:
    """A new ``QUELLER_READING[1]``, the data that the bot computes from a position.

    It contains the default weights, the strategy and the coin; all other fields are 0 until the position is
    read.

    Args:
        strategy: the requested ``Strategy``.
        coin: the random number of the bot, 0 to 1023.
    """
    reading = np.zeros(1, dtype=QUELLER_READING)
    reading["board"]["weights"] = DEFAULT_WEIGHTS
    reading["wish"] = strategy
    reading["coin"] = coin
    return reading
