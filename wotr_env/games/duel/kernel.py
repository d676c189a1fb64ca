"""The compiled entry point of the Duel: batches of games, advanced by given or random actions."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.types import array_of
from wotr_env.core.batches import BatchKernels
from wotr_env.games.duel import checks
from wotr_env.games.duel.actions import NUM_ACTIONS
from wotr_env.games.duel.encoding import OBSERVATION_SIZE, encode
from wotr_env.games.duel.kernels import DUEL
from wotr_env.games.duel.state import NUM_OPTIONS, STATE
from wotr_env.games.duel.turn import apply, run, set_up
from wotr_env.games.duel.worlds import resample


class DuelKernels(BatchKernels):
    """The compiled rules, as ``wotr_env.core.kind.Kernels``."""

    def __init__(self) -> None:
        super().__init__(
            DUEL,
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
        end_records["chapter"] = states["chapter"] + 1
        end_records["fellowship_steps"] = states["ring"][:, 0]
        end_records["sauron_steps"] = states["ring"][:, 1]


DUEL.argument_types |= {"pool": array_of(np.int64), "row": array_of(np.int8, strided=True)}
KERNELS = DuelKernels()
