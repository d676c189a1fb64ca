"""The set of kernels of the scripted policy of The Two Towers, on top of the kernels of the rules."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import Number
from wotr_env.games.two_towers.kernels import TOWERS

WALKERS = KernelSet(
    Path(__file__).parents[2],
    ("games/two_towers/*", "scored.py", "scores.py", "weighted.py"),
    modules=("wotr_agents.games.two_towers.entry",),
    needs=TOWERS,
    name="the scripted bot of The Two Towers",
)

kernel = WALKERS.kernel

WALKERS.argument_types |= {"hidden": Number.FLOAT64, "part": Number.FLOAT64}
