"""The functions of ``engine.kernel`` for batches of games, on the arrays of another machine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wotr_env.compiler.device import BINS, NONE, Extra, Flag, Sort, words_of
from wotr_env.compiler.entry_points import raised
from wotr_env.cuda.arrays import DeviceArray
from wotr_env.cuda.machines import Machine
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK
from wotr_env.games.war_of_the_ring.engine.kernel import DEVICE_KERNELS, Mode
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.state import NUM_SIDES, STATE

_PLAY, _CHECK = "play", "check"
_DECISION = STATE.fields["decision"][1] if STATE.fields else 0
NOBODY = -1
"""The number of the refused game if no game is refused."""


class DeviceBuffers(NamedTuple):
    """The arrays of ``engine.buffers.Buffers``, with the same fields in the same order, on a machine."""

    states: DeviceArray
    masks: DeviceArray
    observations: DeviceArray
    seats: DeviceArray
    rewards: DeviceArray
    bonuses: DeviceArray
    terminated: DeviceArray
    books: DeviceArray
    streams: DeviceArray
    options: DeviceArray
    max_turns: DeviceArray


class DeviceRules:
    """The rules on a machine, on which one thread plays each game.

    All methods apply to every game of their arrays. Methods with an argument ``order`` (``int64[N]``, the
    game of each thread) can let neighbouring threads play similar games. This changes only the time, never
    the results.

    Args:
        machine: the machine of the arrays.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nothing = DeviceBuffers(
            states=self.array((0,), STATE),
            masks=self.array((0, NUM_ACTIONS), np.bool_),
            observations=self.array((0, OBSERVATION_SIZE), np.int8),
            seats=self.array((0,), np.int8),
            rewards=self.array((0, NUM_SIDES), np.float32),
            bonuses=self.array((0,), np.float32),
            terminated=self.array((0,), np.bool_),
            books=self.array((0,), BOOK),
            streams=self.array((0,), np.int64),
            options=self.array((0, NUM_OPTIONS), np.int8),
            max_turns=self.array((0,), np.int64),
        )
        """Empty arrays. A method replaces the arrays that it needs with ``_replace``."""
        self._no_actions = self.array((0,), np.int64)
        self._no_preferences = self.array((NUM_SIDES, NUM_ACTIONS), np.int8)
        self._flags = self.array((len(Flag),), np.int64)
        self._faults = self.array((0,), np.int64)
        self._bins = self.array((BINS,), np.int64)

    def array(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
        """Creates an array of zeros on the machine."""
        return DeviceArray(self.machine, shape, dtype)

    def put(self, values: np.ndarray) -> DeviceArray:
        """Copies an array to the machine."""
        made = self.array(values.shape, values.dtype)
        made.write(values)
        return made

    def drive(
        self,
        mode: Mode,
        buffers: DeviceBuffers,
        actions: DeviceArray | None = None,
        preferences: DeviceArray | None = None,
        *,
        games: int,
        steps: int = 0,
        seed: int = 0,
        auto_reset: bool = False,
        order: DeviceArray | None = None,
        checked: bool = False,
    ) -> tuple[int, int]:
        """Applies a mode to each game.

        Args:
            actions: int64[N], with the meaning that ``engine.kernel`` defines for the mode.
            games: N.
            checked: whether to check the actions first, and to do nothing if one is illegal.

        Returns:
            The number of decisions made, and the lowest game whose action is illegal, or ``NOBODY``.

        Raises:
            ValueError: the next outcome of a tape does not fit; the state of this game is then undefined.
            StateError: a state is impossible; the state of this game is then undefined.
        """
        if self._faults.size < games:
            self._faults = self.array((games,), np.int64)
        actions = actions or self._no_actions
        self._flags.write((NONE, NONE, 0))
        if checked:
            self._launch(_CHECK, (buffers, actions), games, None)
        given = (mode.value, buffers, actions, preferences or self._no_preferences)
        self._launch(_PLAY, (*given, steps, seed, int(auto_reset)), games, order)
        flags = self._flags.numpy().tolist()
        if flags[Flag.FAULTY] != NONE:
            fault = int(self._faults.row(flags[Flag.FAULTY]))
            raise raised(fault, self.machine.read)
        refused = flags[Flag.REFUSED]
        return flags[Flag.TOTAL], NOBODY if refused == NONE else refused

    def _launch(self, kernel: str, arguments: tuple, games: int, order: DeviceArray | None) -> None:
        types = DEVICE_KERNELS[kernel].types
        words = [
            word for value, of in zip(arguments, types[:-2], strict=True) for word in words_of(value, of)
        ]
        extra = {
            Extra.COUNT: games,
            Extra.ORDER: order.address if order is not None else 0,
            Extra.FAULTS: self._faults.address,
            Extra.FLAGS: self._flags.address,
        }
        self.machine.launch(kernel, [*words, *(extra[each] for each in Extra)], games)

    def sort(self, states: DeviceArray, order: DeviceArray) -> None:
        """Writes the numbers of the games (``int64[N]``), sorted by their pending decision."""
        self._bins.clear()
        given = (states.address, STATE.itemsize, _DECISION, self._bins.address, states.size)
        self.machine.launch(Sort.COUNT, given, states.size)
        self.machine.launch(Sort.STARTS, (self._bins.address,), 1)
        self.machine.launch(Sort.PLACE, (*given, order.address), states.size)

    def new_games(
        self,
        states: DeviceArray,
        masks: DeviceArray,
        seeds: DeviceArray,
        options: DeviceArray,
        max_turns: DeviceArray,
    ) -> None:
        """Sets up every game and runs it to its first decision.

        Args:
            seeds: int64[N].
            options: int8[N, NUM_OPTIONS].
            max_turns: int64[N], 0: no limit.
        """
        buffers = self.nothing._replace(
            states=states, masks=masks, streams=seeds, options=options, max_turns=max_turns
        )
        self.drive(Mode.NEW, buffers, games=states.size)

    def refresh(self, states: DeviceArray, masks: DeviceArray) -> None:
        """Runs games to their next decision if none is pending, and writes the masks."""
        self.drive(Mode.REFRESH, self.nothing._replace(states=states, masks=masks), games=states.size)

    def step(
        self,
        states: DeviceArray,
        masks: DeviceArray,
        actions: DeviceArray,
        order: DeviceArray | None = None,
    ) -> None:
        """Applies one legal action (int64[N]) to each unfinished game; finished games do not change."""
        buffers = self.nothing._replace(states=states, masks=masks)
        self.drive(Mode.STEP, buffers, actions, steps=1, games=states.size, order=order)

    def random_steps(
        self,
        states: DeviceArray,
        masks: DeviceArray,
        steps: int,
        streams: DeviceArray,
        preferences: DeviceArray | None = None,
        order: DeviceArray | None = None,
    ) -> int:
        """Plays ``steps`` random decisions in each game; see ``engine.kernel.random_steps``. Returns the
        number of decisions made."""
        buffers = self.nothing._replace(states=states, masks=masks, streams=streams)
        made, _ = self.drive(
            Mode.RANDOM, buffers, None, preferences, steps=steps, games=states.size, order=order
        )
        return made

    def observe(self, states: DeviceArray, seats: DeviceArray, out: DeviceArray) -> None:
        """Writes the observations of the seats (int64[N]) into ``out``, int8[N, OBSERVATION_SIZE]."""
        buffers = self.nothing._replace(states=states, observations=out)
        self.drive(Mode.OBSERVE, buffers, seats, games=states.size)

    def sample_worlds(self, states: DeviceArray, seats: DeviceArray, seeds: DeviceArray) -> None:
        """Resamples the information that is hidden from the seats (int64[N]), in place, with the seeds
        (int64[N])."""
        buffers = self.nothing._replace(states=states, streams=seeds)
        self.drive(Mode.SAMPLE, buffers, seats, games=states.size)
