"""The compiled entry point of The Two Towers: batches of games, advanced by given or random actions."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.types import array_of
from wotr_env.core.batches import BatchKernels
from wotr_env.core.columns import Column, Statistic
from wotr_env.games.two_towers.actions import NUM_ACTIONS
from wotr_env.games.two_towers.checks import wrongs
from wotr_env.games.two_towers.encoding import OBSERVATION_SIZE, encode
from wotr_env.games.two_towers.kernels import TOWERS
from wotr_env.games.two_towers.state import FIELDS, NUM_OPTIONS
from wotr_env.games.two_towers.turn import apply, run, set_up
from wotr_env.games.two_towers.worlds import resample

_BYTES = array_of(np.int8, strided=True)
_NUMBERS = array_of(np.int64)
TOWERS.argument_types |= {"row": _BYTES, "counts": _BYTES}
TOWERS.argument_types |= dict.fromkeys(("pool", "fresh", "old", "split", "flow", "lower", "upper"), _NUMBERS)


def _lead(states: np.ndarray) -> np.ndarray:
    """The points by which the first player is ahead of the second."""
    points = np.sort(states["points"], axis=1)
    return points[:, -1] - points[:, -2]


COLUMNS = (
    Column("turn", (("turns.mean", Statistic.MEAN), ("turns.counts", Statistic.COUNTS)), np.int16),
    Column("round", of=lambda states: states["stage"] + 1),
    Column(
        "points",
        (("points_mean", Statistic.MEAN), ("points.counts", Statistic.COUNTS)),
        of=lambda states: states["points"].max(axis=1),
    ),
    Column("ahead", (("ahead_mean", Statistic.MEAN),), of=_lead),
)
KERNELS = BatchKernels(
    TOWERS,
    FIELDS,
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    NUM_OPTIONS + 1,
    title="The Two Towers",
    wrongs=wrongs,
    columns=COLUMNS,
    set_up=set_up,
    apply=apply,
    run=run,
    encode=encode,
    resample=resample,
)
"""The compiled rules, as ``wotr_env.core.kind.Kernels``."""
