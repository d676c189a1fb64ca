"""The kernels of the Duel: what ``@kernel`` and ``@entry_point`` mean in this folder."""

from __future__ import annotations

from pathlib import Path

from wotr_env import streams
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import copies_of

DUEL = KernelSet(
    Path(__file__).parents[1],
    ("batches.py", "compiler/**/*.py", "duel/*", "kind.py", "rules/chance.py", "streams.py"),
    modules=("wotr_env.duel.kernel",),
    name="the duel",
)

kernel = DUEL.kernel
entry_point = DUEL.entry_point

mix, stream_word = map(kernel, (streams.mix, streams.stream_word))
seed_chance, draw, shuffle = map(kernel, copies_of(streams.OF_STATES, {}).values())
