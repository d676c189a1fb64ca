"""The compiled entry point of the Duel: batches of games, advanced by given or random actions."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.types import array_of, record_of
from wotr_env.duel.actions import NUM_ACTIONS
from wotr_env.duel.encoding import OBSERVATION_SIZE, encode
from wotr_env.duel.kernels import DUEL, entry_point, kernel, stream_word
from wotr_env.duel.state import GOING_ON, NUM_OPTIONS, STATE
from wotr_env.duel.turn import apply, run, set_up
from wotr_env.duel.worlds import resample

_BLANK = np.zeros(1, dtype=STATE)
_WORD = 0xFFFFFFFF


class Mode(Codes):
    """What ``_drive`` is to do."""

    NEW = 0
    REFRESH = 1
    STEP = 2
    OBSERVE = 3
    SAMPLE = 4
    RANDOM = 5


@kernel
def _random_action(mask, count, word):
    place = (word * count) >> 32
    for action in range(NUM_ACTIONS):
        if mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


@kernel
def _play_at_random(states, masks, game, stream, steps, options):
    """So many uniform decisions; a game that ends is followed by another. Returns the games ended."""
    state = states[game]
    mask = masks[game]
    ended = 0
    low, high = stream & _WORD, (stream >> 32) & _WORD
    for step in range(steps):
        count = 0
        for action in range(NUM_ACTIONS):
            count += mask[action]
        word = stream_word(low, high, step)
        apply(state, _random_action(mask, count, word))
        run(state, mask)
        if state.winner != GOING_ON:
            ended += 1
            states[game] = _BLANK[0]
            set_up(state, options, (word << 31) ^ step)
            run(state, mask)
    return ended


@entry_point()
def _drive(mode, states, masks, observations, words, options, steps, first, last):
    """Works on the games first to last - 1; ``words`` are actions, seats or seeds by the mode.

    In SAMPLE the seats are in ``words[:N]`` and the seeds behind them.
    """
    made = 0
    for game in range(first, last):
        state = states[game]
        if mode == Mode.NEW:
            states[game] = _BLANK[0]
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


_NO_MASKS = np.zeros((0, NUM_ACTIONS), dtype=np.bool_)
_NO_OBSERVATIONS = np.zeros((0, OBSERVATION_SIZE), dtype=np.int8)
_NO_WORDS = np.zeros(0, dtype=np.int64)
_NO_OPTIONS = np.zeros(NUM_OPTIONS, dtype=np.int8)


def _words(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).astype(np.int64)


def new_games(states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, options: np.ndarray) -> None:
    """Sets ``STATE[N]`` up from seeds (integers of N) and options (``int8[NUM_OPTIONS]``)."""
    _drive(Mode.NEW.value, states, masks, _NO_OBSERVATIONS, _words(seeds), options, 0, 0, states.size)


def refresh(states: np.ndarray, masks: np.ndarray) -> None:
    """Writes the masks of games that wait for a decision."""
    _drive(Mode.REFRESH.value, states, masks, _NO_OBSERVATIONS, _NO_WORDS, _NO_OPTIONS, 0, 0, states.size)


def step(
    states: np.ndarray, masks: np.ndarray, actions: np.ndarray, first: int = 0, last: int | None = None
) -> None:
    """Applies a legal action (integers of N) to the unfinished games of a range."""
    stop = states.size if last is None else last
    words = _words(actions)
    _drive(Mode.STEP.value, states, masks, _NO_OBSERVATIONS, words, _NO_OPTIONS, 0, first, stop)


def observe(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """What the seats (integers of N) see: a new ``int8[N, OBSERVATION_SIZE]``."""
    seen = np.zeros((states.size, OBSERVATION_SIZE), dtype=np.int8)
    if not states.flags.writeable:  # compiled code takes arrays that it may write, though this only reads
        states = states.copy()
    _drive(Mode.OBSERVE.value, states, _NO_MASKS, seen, _words(seats), _NO_OPTIONS, 0, 0, states.size)
    return seen


def sample_worlds(states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
    """Draws anew, in place, what the seats do not know; seats and seeds are integers of N."""
    words = np.concatenate([_words(seats), _words(seeds)])
    _drive(Mode.SAMPLE.value, states, _NO_MASKS, _NO_OBSERVATIONS, words, _NO_OPTIONS, 0, 0, states.size)


def play_at_random(
    states: np.ndarray, masks: np.ndarray, streams: np.ndarray, options: np.ndarray, steps: int
) -> int:
    """So many random decisions in each game, one game after the other; returns the games that ended.

    Args:
        streams: integers of N, the seeds of the choices.
    """
    words = _words(streams)
    return _drive(
        Mode.RANDOM.value, states, masks, _NO_OBSERVATIONS, words, options, int(steps), 0, states.size
    )


_BYTES = array_of(np.int8, strided=True)
DUEL.argument_types |= {
    "state": record_of(STATE),
    "states": array_of(STATE),
    "mask": array_of(np.bool_),
    "masks": array_of(np.bool_, 2),
    "observation": array_of(np.int8),
    "observations": array_of(np.int8, 2),
    "words": array_of(np.int64),
    "options": array_of(np.int8),
    "pool": array_of(np.int64),
    "row": _BYTES,
}
