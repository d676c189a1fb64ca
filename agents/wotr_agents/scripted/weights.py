"""The weights of the scripted policy: what it thinks things are worth, in the file ``weights.json``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from wotr_env.compiler.codes import Codes

_NAMES = (
    # The Fellowship.
    "move_base",  # moving it, before what the Hunt costs
    "move_cost",  # of expected Corruption
    "move_near",  # more within two steps of a gate
    "move_mordor",
    "hide",
    "corruption_base",  # price of the first point
    "corruption_slope",  # more for each point there is
    "corruption_mordor",
    "heal_slope",  # declaring in a City or Stronghold, for each point
    "heal_base",  # what declaring costs
    "detour",
    "enter",
    "enter_corruption",  # less for each point above six
    "companion",  # scale of what Companions are worth in the Fellowship
    "separate",
    "strider",
    # The Hunt.
    "hunt_base",  # what a point of Corruption is worth to the Shadow, in dice
    "hunt_slope",
    "hunt_die",  # what a die is worth elsewhere
    # Armies.
    "pull",  # nearer to a goal
    "capture",  # for each victory point
    "leave",  # leaving a threatened Settlement empty
    "guard",  # entering one
    "exposed",
    "join",
    "attack_base",
    "attack_points",
    "attack_loss",
    "go_on",  # chance from which a battle is continued
    "withdraw",  # chance below which a defender withdraws into his Stronghold
    "retreat",
    # Dice.
    "pass",
    "kept",  # scale of what a die's flexibility is worth
    "advance_shadow",
    "advance_steps",
    "advance_free",
    "advance_threat",
    "recruit_shadow",
    "recruit_free",
    "recruit_threat",
    "nazgul",
    "nazgul_goal",
    "voice",
    "draw",
    "card",  # scale of what event cards are worth
    "combat_card",  # what keeping the event counts against its use in battle
    "defence",  # how much defenders make a goal less attractive
    "bring",  # scale of what Minions and the crowned are worth
    "hold",  # how much victory points make a threatened Settlement attractive
)

Weight = Codes("Weight", {name.upper(): place for place, name in enumerate(_NAMES)})
"""The places of the weights."""

WEIGHTS_FILE = Path(__file__).parent / "weights.json"


def load_weights(path: Path = WEIGHTS_FILE) -> np.ndarray:
    """The weights of a file: ``float64[len(Weight)]``, read-only."""
    known = json.loads(path.read_text(encoding="utf-8"))
    weights = np.array([float(known[name]) for name in _NAMES])
    weights.setflags(write=False)
    return weights


DEFAULT_WEIGHTS = load_weights()
"""``float64[len(Weight)]``: tuned by self-play."""
PLAIN_WEIGHTS = load_weights(WEIGHTS_FILE.with_name("plain_weights.json"))
"""``float64[len(Weight)]``: a Fellowship that runs, a Shadow that musters and marches; set by hand."""
