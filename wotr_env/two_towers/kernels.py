"""The kernels of The Two Towers: what ``@kernel`` means in this folder."""

from __future__ import annotations

from pathlib import Path

from wotr_env import streams
from wotr_env.compiler.kernels import KernelSet

TOWERS = KernelSet(
    Path(__file__).parents[1],
    ("batches.py", "compiler/**/*.py", "two_towers/*", "rules/chance.py", "streams.py"),
    modules=("wotr_env.two_towers.kernel",),
    name="The Two Towers",
)

kernel = TOWERS.kernel

mix = kernel(streams.mix)
stream_word = kernel(streams.stream_word)
seed_chance = kernel(streams.seed_chance)
draw = kernel(streams.draw)
shuffle = kernel(streams.shuffle)
