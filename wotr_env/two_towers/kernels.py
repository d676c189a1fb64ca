"""The kernels of The Two Towers: what ``@kernel`` means in this folder."""

from __future__ import annotations

from pathlib import Path

from wotr_env import streams
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import copies_of

TOWERS = KernelSet(
    Path(__file__).parents[1],
    ("batches.py", "compiler/**/*.py", "two_towers/*", "kind.py", "rules/chance.py", "streams.py"),
    modules=("wotr_env.two_towers.kernel",),
    name="The Two Towers",
)

kernel = TOWERS.kernel

mix, stream_word = map(kernel, (streams.mix, streams.stream_word))
seed_chance, draw, shuffle = map(kernel, copies_of(streams.OF_STATES, {}).values())
