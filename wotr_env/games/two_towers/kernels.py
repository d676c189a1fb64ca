"""The kernel set of The Two Towers, with the decorator ``@kernel``."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import specialize
from wotr_env.core import chance, turns
from wotr_env.core.batches import SOURCES

TOWERS = KernelSet(
    Path(__file__).parents[2],
    (*SOURCES, "games/two_towers/*"),
    modules=("wotr_env.games.two_towers.batches",),
    name="The Two Towers",
)

kernel = TOWERS.kernel

mix, stream_word = map(kernel, (chance.mix, chance.stream_word))
seed_chance, draw, shuffle = map(kernel, specialize(chance.OF_STATES, {}).values())
is_last_turn, deciding_team = map(kernel, specialize(turns.OF_STATES, {}).values())
