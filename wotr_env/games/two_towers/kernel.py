"""The compiled entry point of The Two Towers: batches of games, advanced by given or random actions."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.types import array_of
from wotr_env.core.batches import BatchKernels
from wotr_env.games.two_towers import checks
from wotr_env.games.two_towers.actions import NUM_ACTIONS
from wotr_env.games.two_towers.encoding import OBSERVATION_SIZE, encode
from wotr_env.games.two_towers.kernels import TOWERS
from wotr_env.games.two_towers.state import NUM_OPTIONS, STATE
from wotr_env.games.two_towers.turn import apply, run, set_up
from wotr_env.games.two_towers.worlds import resample


class TwoTowersKernels(BatchKernels):
    """The compiled rules, as ``wotr_env.core.kind.Kernels``."""

    def __init__(self) -> None:
        super().__init__(
            TOWERS,
            STATE,
            NUM_ACTIONS,
            OBSERVATION_SIZE,
            NUM_OPTIONS + 1,
            set_up=set_up,
            apply=apply,
            run=run,
            encode=encode,
            resample=resample,
        )

    def check(self, states: np.ndarray) -> None:
        """Raises ValueError with the first thing that no position can have."""
        checks.check(states)

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        """Writes ``END_RECORD[N]``."""
        for name in ("winner", "reason", "turn"):
            end_records[name] = states[name]
        end_records["round"] = states["stage"] + 1
        most = np.sort(states["points"], axis=1)
        end_records["points"] = most[:, -1]
        end_records["ahead"] = most[:, -1] - most[:, -2]


_BYTES = array_of(np.int8, strided=True)
_NUMBERS = array_of(np.int64)
TOWERS.argument_types |= {"row": _BYTES, "counts": _BYTES}
TOWERS.argument_types |= dict.fromkeys(("pool", "fresh", "old", "split", "flow", "lower", "upper"), _NUMBERS)
KERNELS = TwoTowersKernels()
