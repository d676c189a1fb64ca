"""The kernel set of the Duel, with the decorators ``@kernel`` and ``@entry_point``."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import copies_of
from wotr_env.core import chance, turns

DUEL = KernelSet(
    Path(__file__).parents[2],
    (
        "compiler/**/*.py",
        "core/batches.py",
        "core/chance.py",
        "core/declared.py",
        "core/codes.py",
        "core/layout.py",
        "core/turns.py",
        "games/duel/*",
    ),
    modules=("wotr_env.games.duel.kernel",),
    name="the duel",
)

kernel = DUEL.kernel
entry_point = DUEL.entry_point

mix, stream_word = map(kernel, (chance.mix, chance.stream_word))
seed_chance, draw, shuffle = map(kernel, copies_of(chance.OF_STATES, {}).values())
(is_last_turn,) = map(kernel, copies_of(turns.OF_STATES, {}).values())
