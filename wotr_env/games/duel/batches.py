"""The compiled entry point of the Duel: batches of games, advanced by given or random actions."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.types import array_of
from wotr_env.core.batches import BatchKernels
from wotr_env.core.columns import Column, Statistic
from wotr_env.games.duel.actions import NUM_ACTIONS
from wotr_env.games.duel.checks import wrongs
from wotr_env.games.duel.encoding import OBSERVATION_SIZE, encode
from wotr_env.games.duel.kernels import DUEL
from wotr_env.games.duel.state import FIELDS, NUM_OPTIONS
from wotr_env.games.duel.turn import apply, run, set_up
from wotr_env.games.duel.worlds import resample

DUEL.argument_types |= {"pool": array_of(np.int64), "row": array_of(np.int8, strided=True)}

COLUMNS = (
    Column("turn", (("turns.mean", Statistic.MEAN), ("turns.counts", Statistic.COUNTS)), np.int16),
    Column(
        "chapter",
        (("chapter.mean", Statistic.MEAN), ("chapter.counts", Statistic.COUNTS)),
        of=lambda states: states["chapter"] + 1,
    ),
    Column(
        "fellowship_steps",
        (("fellowship_steps_mean", Statistic.MEAN),),
        of=lambda states: states["ring"][:, 0],
    ),
    Column("sauron_steps", (("sauron_steps_mean", Statistic.MEAN),), of=lambda states: states["ring"][:, 1]),
)
KERNELS = BatchKernels(
    DUEL,
    FIELDS,
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    NUM_OPTIONS + 1,
    title="the Duel",
    wrongs=wrongs,
    columns=COLUMNS,
    set_up=set_up,
    apply=apply,
    run=run,
    encode=encode,
    resample=resample,
)
"""The compiled rules, as ``wotr_env.core.kind.Kernels``."""
