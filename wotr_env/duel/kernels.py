"""The kernels of the Duel: what ``@kernel`` and ``@entry_point`` mean in this folder."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.rules import chance

DUEL = KernelSet(
    Path(__file__).parents[1],
    ("compiler/**/*.py", "duel/*", "rules/chance.py"),
    modules=("wotr_env.duel.kernel",),
    name="the duel",
)

kernel = DUEL.kernel
entry_point = DUEL.entry_point

mix = kernel(chance.mix)
stream_word = kernel(chance.stream_word)
