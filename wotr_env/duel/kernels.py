"""The kernels of the Duel: what ``@kernel`` and ``@entry_point`` mean in this folder."""

from __future__ import annotations

from pathlib import Path

from wotr_env import streams
from wotr_env.compiler.kernels import KernelSet

DUEL = KernelSet(
    Path(__file__).parents[1],
    ("batches.py", "compiler/**/*.py", "duel/*", "rules/chance.py", "streams.py"),
    modules=("wotr_env.duel.kernel",),
    name="the duel",
)

kernel = DUEL.kernel
entry_point = DUEL.entry_point

mix = kernel(streams.mix)
stream_word = kernel(streams.stream_word)
seed_chance = kernel(streams.seed_chance)
draw = kernel(streams.draw)
shuffle = kernel(streams.shuffle)
