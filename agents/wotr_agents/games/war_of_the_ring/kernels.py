"""The set of the kernels of War of the Ring's bots, on top of the rules, with its own cache.

The kernels of the searches (``search/games.py``) are a separate set: their compilation takes as long as that
of all other kernels, and most commands do not need them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wotr_agents.games.war_of_the_ring.queller.reading import QUELLER_READING
from wotr_agents.games.war_of_the_ring.scripted.reading import READING
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import Number, array_of, record_of
from wotr_env.games.war_of_the_ring.kernels import RULES
from wotr_env.games.war_of_the_ring.state import STATE

_SOURCES = (
    "scores.py",
    "games/war_of_the_ring/kernels.py",
    "games/war_of_the_ring/scripted/*.py",
    "games/war_of_the_ring/queller/*.py",
)

_MODULES = (
    "wotr_agents.games.war_of_the_ring.queller.entry",
    "wotr_agents.games.war_of_the_ring.scripted.entry",
)

AGENTS = KernelSet(Path(__file__).parents[2], _SOURCES, _MODULES, needs=RULES, name="the bots")

kernel = AGENTS.kernel
entry_point = AGENTS.entry_point

FLOATS = array_of(np.float64)
FLOAT_TABLE = array_of(np.float64, 2)
WORDS = array_of(np.int64)
STATES = array_of(STATE)
READINGS = array_of(READING)
MASKS = array_of(np.bool_, 2)

AGENTS.argument_types |= {
    "states": STATES,
    "masks": MASKS,
    "state": record_of(STATE),
    "mask": array_of(np.bool_),
    "scores": FLOATS,
    "priors": FLOATS,
    "board": record_of(READING),
    "queller": record_of(QUELLER_READING),
    "weights": FLOATS,
    "features": FLOATS,
    "coefficients": FLOATS,
    "odds": array_of(np.float32),
    "noise": Number.FLOAT64,
}
