"""Replays the records of many games together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wotr_env.core.errors import RecordError
from wotr_env.core.states import state_hash
from wotr_env.play.record import GameRecord


class Replay:
    """Records that are replayed together, which is much faster than one by one; the longest records come
    first.

    Args:
        records: at least one record; all belong to one game and one ruleset.

    Attributes:
        order: for each game of the arrays, the index of its record in the arguments.
        records: the N records in the order of the arrays.
        lengths: ``int64[N]``: their numbers of actions.
        states: ``kind.state[N]``, before the first step.
        masks: ``bool[N, A]``.

    Raises:
        RecordError: a position is invalid, or has another ruleset.
    """

    def __init__(self, records: Sequence[GameRecord]) -> None:
        self.order = sorted(range(len(records)), key=lambda place: -len(records[place].actions))
        self.records = [records[place] for place in self.order]
        self.kind = self.records[0].kind
        seeds = np.array([record.seed for record in self.records], dtype=np.uint64)
        self.states, self.masks = self.kind.new_states(seeds, self.records[0].ruleset)
        for game, record in enumerate(self.records):
            if record.position:
                self.states[game] = record.begun().state
                self.kind.kernels.refresh(self.states[game : game + 1], self.masks[game : game + 1])
        self.lengths = np.array([len(record.actions) for record in self.records])
        self._history = np.zeros((self.lengths[0], len(self.records)), dtype=np.int16)
        for game, record in enumerate(self.records):
            self._history[: self.lengths[game], game] = record.actions
        self._actions = np.zeros(len(self.records), dtype=np.int64)
        self._given = [game for game, record in enumerate(self.records) if record.tapes]

    def chosen(self, number: int) -> np.ndarray:
        """Returns the actions of a step, ``int64[R]``, for the first R games, the ones that are long enough.

        It also writes the outcomes given to these actions into the states.

        Raises:
            RecordError: an action is illegal, as in ``GameRecord.verify``.
        """
        running = int(np.searchsorted(-self.lengths, -number))
        actions = self._actions[:running]
        actions[:] = self._history[number, :running]
        legal = self.masks[np.arange(running), actions]
        if not legal.all():
            _refuse(self.records[int(np.flatnonzero(~legal)[0])])
        for game in self._given:
            if game < running:
                self.states[game] = self.records[game].given(self.states[game], number)
        return actions

    def step(self, number: int) -> None:
        """Plays a step of the games that are long enough; raises the errors of ``chosen``."""
        running = len(self.chosen(number))
        self.kind.kernels.step(self.states, self.masks, self._actions, 0, running)

    def check(self) -> None:
        """Checks the results and hashes, after all steps.

        Raises:
            RecordError: a record does not replay to its result and hash, as in ``GameRecord.verify``.
        """
        for state, record in zip(self.states, self.records, strict=True):
            if self.kind.result.of(state) != record.result or state_hash(state) != record.hash:
                _refuse(record)


def verify_records(records: Sequence[GameRecord]) -> None:
    """Replays many records at once, which is much faster than ``GameRecord.verify`` one by one.

    Args:
        records: records of one game and one ruleset.

    Raises:
        RecordError: a record does not replay to its result and hash, as in ``GameRecord.verify``.
    """
    if not records:
        return
    replay = Replay(records)
    for number in range(int(replay.lengths[0])):
        replay.step(number)
    replay.check()


def _refuse(record: GameRecord) -> None:
    record.verify()  # has the precise message
    raise RecordError(f"{record.source}: replays correctly alone, but not together with other games")
