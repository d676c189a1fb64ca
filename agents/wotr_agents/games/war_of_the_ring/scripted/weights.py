"""The weights of the scripted policy, from the file ``weights.json``: factors and values in its scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from wotr_env.compiler.codes import Codes


class Weight(Codes):
    """The index of each weight; a file of weights has the names in lower case."""

    # The Fellowship.
    MOVE_BASE = 0  # moving it, before what the Hunt costs
    MOVE_COST = 1  # of expected Corruption
    MOVE_NEAR = 2  # more within two steps of a gate
    MOVE_MORDOR = 3
    HIDE = 4
    CORRUPTION_BASE = 5  # price of the first point
    CORRUPTION_SLOPE = 6  # more for each point there is
    CORRUPTION_MORDOR = 7
    HEAL_SLOPE = 8  # declaring in a City or Stronghold, for each point
    HEAL_BASE = 9  # what declaring costs
    DETOUR = 10
    ENTER = 11
    ENTER_CORRUPTION = 12  # less for each point above six
    COMPANION = 13  # scale of what Companions are worth in the Fellowship
    SEPARATE = 14
    STRIDER = 15
    # The Hunt.
    HUNT_BASE = 16  # what a point of Corruption is worth to the Shadow, in dice
    HUNT_SLOPE = 17
    HUNT_DIE = 18  # what a die is worth elsewhere
    # Armies.
    PULL = 19  # nearer to a goal
    CAPTURE = 20  # for each victory point
    LEAVE = 21  # leaving a threatened Settlement empty
    GUARD = 22  # entering one
    EXPOSED = 23
    JOIN = 24
    ATTACK_BASE = 25
    ATTACK_POINTS = 26
    ATTACK_LOSS = 27
    GO_ON = 28  # chance from which a battle is continued
    WITHDRAW = 29  # chance below which a defender withdraws into his Stronghold
    RETREAT = 30
    # Dice.
    PASS = 31
    KEPT = 32  # scale of what a die's flexibility is worth
    ADVANCE_SHADOW = 33
    ADVANCE_STEPS = 34
    ADVANCE_FREE = 35
    ADVANCE_THREAT = 36
    RECRUIT_SHADOW = 37
    RECRUIT_FREE = 38
    RECRUIT_THREAT = 39
    NAZGUL = 40
    NAZGUL_GOAL = 41
    VOICE = 42
    DRAW = 43
    CARD = 44  # scale of what event cards are worth
    COMBAT_CARD = 45  # what keeping the event counts against its use in battle
    DEFENCE = 46  # how much defenders make a goal less attractive
    BRING = 47  # scale of what Minions and the crowned are worth
    HOLD = 48  # how much victory points make a threatened Settlement attractive


WEIGHTS_FILE = Path(__file__).parent / "weights.json"


def load_weights(path: Path = WEIGHTS_FILE) -> np.ndarray:
    """The weights of a file: ``float64[len(Weight)]``, read-only."""
    known = json.loads(path.read_text(encoding="utf-8"))
    weights = np.array([float(known[weight.name.lower()]) for weight in Weight])
    weights.setflags(write=False)
    return weights


DEFAULT_WEIGHTS = load_weights()
"""``float64[len(Weight)]``: tuned by self-play."""
PLAIN_WEIGHTS = load_weights(WEIGHTS_FILE.with_name("plain_weights.json"))
"""``float64[len(Weight)]``, set by hand: the Fellowship hurries, and the Shadow musters and marches."""
