"""The compiled part of the bots: kernels on top of the rules, with a cache of their own."""

from __future__ import annotations

from pathlib import Path

import numba

from wotr_agents.queller.reading import QUELLER_READING
from wotr_agents.scripted.reading import READING
from wotr_env.compiler.kernels import KernelSet
from wotr_env.kernels import RULES

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

_FLOATS = numba.types.Array(numba.float64, 1, "C")
AGENTS.argument_types |= {
    "state": RULES.argument_types.get("state"),
    "mask": RULES.argument_types.get("mask"),
    "scores": _FLOATS,
    "priors": _FLOATS,
    "board": numba.from_dtype(READING),
    "queller": numba.from_dtype(QUELLER_READING),
    "weights": _FLOATS,
    "features": _FLOATS,
    "coefficients": _FLOATS,
    "odds": numba.types.Array(numba.float32, 1, "C"),
    "noise": numba.float64,
}
