"""The compiled part of the Duel's scripted policy: kernels on top of its rules, kept by themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import Number, array_of, record_of
from wotr_env.duel.kernels import DUEL
from wotr_env.duel.state import STATE

DUELLISTS = KernelSet(
    Path(__file__).parent,
    ("*.py",),
    modules=("wotr_agents.duel.entry",),
    needs=DUEL,
    name="wotr_agents.duel",
)

kernel = DUELLISTS.kernel
entry_point = DUELLISTS.entry_point

FLOATS = array_of(np.float64)

DUELLISTS.argument_types |= {
    "state": record_of(STATE),
    "states": array_of(STATE),
    "mask": array_of(np.bool_),
    "masks": array_of(np.bool_, 2),
    "scores": FLOATS,
    "room": FLOATS,
    "weights": FLOATS,
    "noise": Number.FLOAT64,
}
