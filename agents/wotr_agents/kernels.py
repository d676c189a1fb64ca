"""The compiled part of the bots: kernels on top of the rules, with a cache of their own."""

from __future__ import annotations

from pathlib import Path

import numba

from wotr_agents.queller.reading import QUELLER_READING
from wotr_agents.scripted.reading import READING
from wotr_env.compiler.kernels import KernelSet
from wotr_env.kernels import RULES
from wotr_env.state import STATE

_SOURCES = (
    "kernels.py",
    "scripted/*.py",
    "queller/*.py",
    "search/tree.py",
    "search/simulations.py",
    "search/guided.py",
)

AGENTS = KernelSet(Path(__file__).parent, _SOURCES, needs=RULES)

kernel = AGENTS.kernel
entry_point = AGENTS.entry_point

FLOATS = numba.float64[::1]
FLOAT_TABLE = numba.float64[:, ::1]
WORDS = numba.int64[::1]
STATES = numba.from_dtype(STATE)[::1]
MASKS = numba.boolean[:, ::1]

AGENTS.argument_types |= {
    "states": STATES,
    "masks": MASKS,
    "state": RULES.argument_types.get("state"),
    "mask": RULES.argument_types.get("mask"),
    "scores": FLOATS,
    "priors": FLOATS,
    "board": numba.from_dtype(READING),
    "queller": numba.from_dtype(QUELLER_READING),
    "weights": FLOATS,
    "features": FLOATS,
    "coefficients": FLOATS,
    "odds": numba.float32[::1],
    "noise": numba.float64,
}
