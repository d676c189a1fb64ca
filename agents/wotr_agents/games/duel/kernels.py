"""The set of kernels of the Duel's scripted policy: it builds on the kernels of the rules and has its own
cache."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.games.duel.kernels import DUEL

DUELLISTS = KernelSet(
    Path(__file__).parents[2],
    ("games/duel/*.py", "scored.py", "scores.py", "weighted.py"),
    modules=("wotr_agents.games.duel.entry",),
    needs=DUEL,
    name="the scripted bot of the Duel",
)

kernel = DUELLISTS.kernel
