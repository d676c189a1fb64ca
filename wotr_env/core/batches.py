"""Batches of games in compiled code, made from the kernels of a game's rules (``GameKind.kernels``).

A game provides kernels for the setup, an action, the run to the next decision, an observation, and a sampled
world. ``BatchKernels`` provides the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.masks import mask_kernels
from wotr_env.compiler.templates import specialize
from wotr_env.compiler.types import array_of, record_of
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON
from wotr_env.core.columns import Column, conclude
from wotr_env.core.declared import StateField, check_ranges, state_of

SOURCES = (
    "compiler/**/*.py",
    *(
        f"core/{name}.py"
        for name in ("batches", "chance", "codes", "declared", "observation_layout", "turns")
    ),
)
"""The files of ``wotr_env`` with which a game with ``BatchKernels`` is compiled, besides its own."""
_WORD = 0xFFFFFFFF
Faults = Iterator[tuple[str, Any]]
"""Faults of N states, in words, each with the states that have it: ``bool[N]``."""


class Threads(ThreadPoolExecutor):
    """Worker threads. A copy of the owner (``copy.deepcopy``, ``pickle``) gets the same number of new
    threads."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self.number,)


class Mode(Codes):
    """The operations of ``_drive``."""

    NEW = 0
    REFRESH = 1
    STEP = 2
    OBSERVE = 3
    SAMPLE = 4
    RANDOM = 5


def _of_a_game(*_arguments):
    """Placeholder for a kernel of the game, which replaces it in a copy."""
    raise NotImplementedError


set_up = apply = run = encode = resample = choose_at_random = _of_a_game
blank = np.zeros(1)
"""Placeholder for an array of one state of the game, all zeros."""


def _play_at_random(states, masks, game, stream, steps, options):
    """Plays uniform random decisions; a game that ends is followed by another. Returns the number of ended
    games."""
    state = states[game]
    mask = masks[game]
    ended = 0
    low, high = stream & _WORD, (stream >> 32) & _WORD
    for step in range(steps):
        word = stream_word(low, high, step)
        apply(state, choose_at_random(mask, word))
        run(state, mask)
        if state.winner != GOING_ON:
            ended += 1
            states[game] = blank[0]
            set_up(state, options, (word << 31) ^ step)
            run(state, mask)
    return ended


def _drive(mode, states, masks, observations, words, options, steps, first, last):
    """Applies a mode to the games first to last - 1; ``words`` are actions, seats or seeds, depending on the
    mode.

    In SAMPLE, ``words[:N]`` holds the seats and ``words[N:]`` the seeds.
    """
    made = 0
    for game in range(first, last):
        state = states[game]
        if mode == Mode.NEW:
            states[game] = blank[0]
            set_up(state, options, words[game])
            run(state, masks[game])
        elif mode == Mode.REFRESH:
            run(state, masks[game])
        elif mode == Mode.STEP:
            if state.winner == GOING_ON:
                apply(state, words[game])
                run(state, masks[game])
        elif mode == Mode.OBSERVE:
            encode(state, words[game], observations[game])
        elif mode == Mode.SAMPLE:
            resample(state, words[game], words[states.size + game])
        else:
            made += _play_at_random(states, masks, game, words[game], steps, options)
    return made


_NO_WORDS = np.zeros(0, dtype=np.int64)


def _words(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).astype(np.int64)


class BatchKernels:
    """The compiled rules of a game, which implement ``kind.Kernels``.

    Args:
        kernels: the kernel set of the game's rules, with ``SOURCES``, to which the entry point is added.
        fields: the fields of a state.
        actions: A, the size of a mask.
        observation: D, the size of an observation.
        options: the number of ``int8`` values of an encoded ruleset.
        title: the game in error messages, such as ``the Duel``.
        wrongs: yields the faults of states whose fields are in the declared ranges.
        columns: the columns of the game's end records.
        set_up: sets up a new game in a blank record (state, options, seed).
        apply: applies a legal action (state, action).
        run: runs the game to the next decision and writes its mask (state, mask).
        encode: writes the observation of a seat (state, seat, observation).
        resample: resamples the information hidden from a seat, from a seed (state, seat, seed).
    """

    def __init__(
        self,
        kernels: KernelSet,
        fields: tuple[StateField, ...],
        actions: int,
        observation: int,
        options: int,
        title: str,
        wrongs: Callable[[np.ndarray], Faults],
        columns: tuple[Column, ...],
        **meanings: Callable[..., Any],
    ) -> None:
        self._kernels = kernels
        self._fields, self._title, self._wrongs = fields, title, wrongs
        state = state_of(fields)
        self._columns = columns
        self._observation = observation
        self._no_masks = np.zeros((0, actions), dtype=np.bool_)
        self._no_observations = np.zeros((0, observation), dtype=np.int8)
        self._no_options = np.zeros(options, dtype=np.int8)
        kernels.argument_types |= {
            "state": record_of(state),
            "states": array_of(state),
            "mask": array_of(np.bool_),
            "masks": array_of(np.bool_, 2),
            "observation": array_of(np.int8),
            "observations": array_of(np.int8, 2),
            "words": array_of(np.int64),
            "options": array_of(np.int8),
        }
        choose = kernels.kernel(mask_kernels(actions).choose_at_random)
        names = {**meanings, "blank": np.zeros(1, dtype=state), "choose_at_random": choose}
        made = specialize((_play_at_random, _drive), names)
        entry = made.pop("_drive")
        kernels.kernel(made["_play_at_random"])
        self._drive = kernels.entry_point()(entry)

    def prepare(self) -> None:
        """Compiles the kernels, or loads them from the cache."""
        self._kernels.prepare()

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: Any) -> None:
        """Sets up every game from its seed and runs it to its first decision."""
        self._call(Mode.NEW, states, seeds, masks=masks, options=ruleset.encode())

    def step(
        self,
        states: np.ndarray,
        masks: np.ndarray,
        actions: np.ndarray,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Applies a legal action (integers of N) to each unfinished game of a range."""
        self._call(Mode.STEP, states, actions, masks=masks, first=first, last=last)

    def after(self, state: np.record, action: int) -> np.record:
        """The state at the next decision after a legal action, or at the end of the game."""
        states = np.array([state], dtype=state.dtype)
        self.step(states, np.zeros((1, self._no_masks.shape[1]), dtype=np.bool_), np.array([action]))
        return states[0]

    def refresh(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Writes the masks of games that wait for a decision."""
        self._call(Mode.REFRESH, states, _NO_WORDS, masks=masks)

    def observe(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """The observations of the seats (integers of N): a new ``int8[N, D]``."""
        seen = np.zeros((states.size, self._observation), dtype=np.int8)
        if not states.flags.writeable:  # compiled code takes arrays that it may write, though this only reads
            states = states.copy()
        self._call(Mode.OBSERVE, states, seats, observations=seen)
        return seen

    def sample_worlds(self, states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
        """Resamples the information hidden from the seats, in place; seats and seeds are integers of N."""
        self._call(Mode.SAMPLE, states, np.concatenate([_words(seats), _words(seeds)]))

    def note(self, states: np.ndarray, end_records: np.ndarray, rows: np.ndarray) -> None:
        """Does nothing: the last state holds everything."""

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        """Writes the end records of the last states."""
        conclude(self._columns, states, end_records)

    def check(self, states: np.ndarray) -> None:
        """Raises ValueError with a fault of the first state that cannot be a position."""
        check_ranges(self._fields, states, self._title)
        if not len(states):
            return
        found = [(int(wrong.argmax()), fault) for fault, wrong in self._wrongs(states) if wrong.any()]
        if found:
            game, fault = min(found, key=lambda each: each[0])
            raise ValueError(f"game {game}: {fault}")

    def play_at_random(
        self, states: np.ndarray, masks: np.ndarray, streams: np.ndarray, options: np.ndarray, steps: int
    ) -> int:
        """Plays random decisions in each place of the batch, one game after another; returns the number of
        ended games.

        Args:
            streams: integers of N, the seeds of the choices.
            options: an encoded ruleset for the games that replace ended games.
            steps: number of decisions in each place.
        """
        return self._call(Mode.RANDOM, states, streams, masks=masks, options=options, steps=int(steps))

    def _call(
        self,
        mode: Mode,
        states: np.ndarray,
        words: np.ndarray,
        *,
        masks: np.ndarray | None = None,
        observations: np.ndarray | None = None,
        options: np.ndarray | None = None,
        steps: int = 0,
        first: int = 0,
        last: int | None = None,
    ) -> int:
        return self._drive(
            mode.value,
            states,
            self._no_masks if masks is None else masks,
            self._no_observations if observations is None else observations,
            _words(words),
            self._no_options if options is None else options,
            steps,
            first,
            states.size if last is None else last,
        )
