"""The compiled entry point: batches of games, advanced by given or random actions.

Everything that Python asks of the rules goes through one compiled function, ``_drive``: each entry point
holds the machine code of all rules, so one compiles several times faster than several. The functions below
give it a face. ``states`` is ``STATE[N]``, ``masks`` is ``bool[N, NUM_ACTIONS]``; both are changed in place.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Codes, Winner
from wotr_env.compile import INTERPRETED, compile_kernels, entry_point, kernel
from wotr_env.rules.chance import stream_word
from wotr_env.rules.flow import apply, run
from wotr_env.rules.setup import set_up
from wotr_env.ruleset import Ruleset
from wotr_env.state import NUM_SIDES, STATE

MAX_SEED = 2**63 - 1
_WORD = 0xFFFFFFFF


class _Mode(Codes):
    NEW = 0
    REFRESH = 1
    STEP = 2
    RANDOM = 3
    SEEDS = 4


@kernel
def _choose(mask, count, preference, word):
    """A uniform choice among the legal actions of the highest preference."""
    best = -128
    ties = 0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            if preference[action] > best:
                best = preference[action]
                ties = 1
            elif preference[action] == best:
                ties += 1
            count -= 1
            if count == 0:
                break
    place = (word * ties) >> 32
    for action in range(NUM_ACTIONS):
        if mask[action] and preference[action] == best:
            if place == 0:
                return action
            place -= 1
    return -1


@kernel
def _episode_seed(seed, index, episode):
    """A 62-bit seed for each episode of each game of a batch."""
    low = stream_word(seed & _WORD, (seed >> 32) & _WORD, index & _WORD)
    high = stream_word(low, (index >> 32) & _WORD, episode & _WORD)
    return ((stream_word(high, low, (episode >> 32) & _WORD) & 0x3FFFFFFF) << 32) | stream_word(low, high, 1)


@kernel
def _new_game(state, mask, options, max_turns, seed):
    set_up(state, options, max_turns, seed)
    return run(state, mask)


@entry_point
def _drive(
    mode,
    states,
    masks,
    actions,
    steps,
    streams,
    preferences,
    winners,
    episodes,
    seed,
    options,
    max_turns,
    first,
    last,
):
    """Advances the games first to last - 1; returns the decisions made. ``episodes`` empty: no auto-reset."""
    made = 0
    blank = np.zeros(1, dtype=states.dtype)
    for game in range(first, last):
        if mode == _Mode.SEEDS:
            streams[game] = _episode_seed(seed, game, episodes[game])
            continue
        state = states[game]
        mask = masks[game]
        if mode == _Mode.NEW:
            states[game] = blank[0]
            _new_game(state, mask, options, max_turns, streams[game])
            continue
        if mode == _Mode.REFRESH:
            run(state, mask)
            continue
        count = NUM_ACTIONS
        if winners.size > 0:
            winners[game] = Winner.NONE
        for _ in range(steps):
            if state.winner != Winner.NONE:
                break
            if mode == _Mode.STEP:
                action = actions[game]
            else:
                stream = streams[game]
                word = stream_word(stream & _WORD, game, (stream >> 32) & _WORD)
                streams[game] = stream + (1 << 32)
                action = _choose(mask, count, preferences[state.seat], word)
            apply(state, action)
            count = run(state, mask)
            made += 1
            if count == 0 and episodes.size > 0:
                winners[game] = state.winner
                episodes[game] += 1
                states[game] = blank[0]
                count = _new_game(state, mask, options, max_turns, _episode_seed(seed, game, episodes[game]))
    return made


@entry_point
def _copy(source, target, repeats):
    copies = 0
    for _ in range(repeats):
        for game in range(source.size):
            target[game] = source[game]
            copies += 1
    return copies


_NO_STATES = np.zeros(0, dtype=STATE)
_NO_MASKS = np.zeros((0, NUM_ACTIONS), dtype=np.bool_)
_NO_ACTIONS = np.zeros(0, dtype=np.int64)
_NO_WINNERS = np.zeros(0, dtype=np.int8)
_NO_PREFERENCES = np.zeros((NUM_SIDES, NUM_ACTIONS), dtype=np.int8)
_NO_OPTIONS = Ruleset().encode()


def _call(
    mode: _Mode,
    states: np.ndarray,
    masks: np.ndarray,
    *,
    actions: np.ndarray = _NO_ACTIONS,
    steps: int = 1,
    streams: np.ndarray = _NO_ACTIONS,
    preferences: np.ndarray = _NO_PREFERENCES,
    winners: np.ndarray = _NO_WINNERS,
    episodes: np.ndarray = _NO_ACTIONS,
    seed: int = 0,
    options: np.ndarray = _NO_OPTIONS,
    max_turns: int = 0,
    first: int = 0,
    last: int,
) -> int:
    """Calls ``_drive`` with what a mode needs; one set of argument types, so it is compiled once."""
    return _drive(
        mode.value,
        states,
        masks,
        actions,
        steps,
        streams,
        preferences,
        winners,
        episodes,
        seed,
        options,
        int(max_turns),
        first,
        last,
    )


def new_games(
    states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, options: np.ndarray, max_turns: int
) -> None:
    """Sets every game up and runs it to its first decision.

    Args:
        seeds: int64[N], 0 to ``MAX_SEED``.
        options: int8[NUM_OPTIONS], from ``Ruleset.encode``.
        max_turns: turn limit, 0 for none.
    """
    streams = np.asarray(seeds).astype(np.int64)
    _call(_Mode.NEW, states, masks, streams=streams, options=options, max_turns=max_turns, last=states.size)


def refresh(states: np.ndarray, masks: np.ndarray) -> None:
    """Runs games to their next decision if none is pending, and writes the masks."""
    _call(_Mode.REFRESH, states, masks, last=states.size)


def step(
    states: np.ndarray, masks: np.ndarray, actions: np.ndarray, first: int = 0, last: int | None = None
) -> None:
    """Applies one legal action (int64[N]) to each unfinished game of a range; finished games stay.

    Raises:
        ValueError: the next outcome of a tape does not fit; that game is then undefined.
    """
    stop = states.size if last is None else last
    _call(_Mode.STEP, states, masks, actions=actions, first=first, last=stop)


def random_steps(
    states: np.ndarray,
    masks: np.ndarray,
    steps: int,
    streams: np.ndarray,
    preferences: np.ndarray,
    first: int = 0,
    last: int | None = None,
) -> int:
    """Plays so many decisions in each game of a range, uniform among the legal actions of highest preference.

    Args:
        streams: int64[N], the positions of the choices' own random streams, advanced in place.
        preferences: int8[2, NUM_ACTIONS], by side; zeros for uniform play.

    Returns:
        The decisions made.
    """
    stop = states.size if last is None else last
    return _call(
        _Mode.RANDOM,
        states,
        masks,
        steps=steps,
        streams=streams,
        preferences=preferences,
        first=first,
        last=stop,
    )


def step_auto(
    states: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    winners: np.ndarray,
    episodes: np.ndarray,
    seed: int,
    options: np.ndarray,
    max_turns: int,
    first: int = 0,
    last: int | None = None,
) -> None:
    """``step``, but a game that ends is replaced at once by the next episode.

    Args:
        winners: int8[N], set to the ``Winner`` of the game that ended in this call, or -1.
        episodes: int64[N], the number of each game's episode, advanced in place.
    """
    stop = states.size if last is None else last
    _call(
        _Mode.STEP,
        states,
        masks,
        actions=actions,
        winners=winners,
        episodes=episodes,
        seed=seed,
        options=options,
        max_turns=max_turns,
        first=first,
        last=stop,
    )


def random_steps_auto(
    states: np.ndarray,
    masks: np.ndarray,
    steps: int,
    streams: np.ndarray,
    preferences: np.ndarray,
    winners: np.ndarray,
    episodes: np.ndarray,
    seed: int,
    options: np.ndarray,
    max_turns: int,
    first: int = 0,
    last: int | None = None,
) -> int:
    """``random_steps`` with the auto-reset of ``step_auto``; returns the decisions made."""
    stop = states.size if last is None else last
    return _call(
        _Mode.RANDOM,
        states,
        masks,
        steps=steps,
        streams=streams,
        preferences=preferences,
        winners=winners,
        episodes=episodes,
        seed=seed,
        options=options,
        max_turns=max_turns,
        first=first,
        last=stop,
    )


def episode_seeds(seed: int, episodes: np.ndarray) -> np.ndarray:
    """The seeds (int64[N], 0 to ``MAX_SEED``) of the episodes (int64[N]) that the games of a batch are at."""
    seeds = np.empty(episodes.size, dtype=np.int64)
    _call(_Mode.SEEDS, _NO_STATES, _NO_MASKS, streams=seeds, episodes=episodes, seed=seed, last=episodes.size)
    return seeds


def copy_states(source: np.ndarray, target: np.ndarray, repeats: int) -> int:
    """Copies all states so often; returns the copies made (for the benchmark)."""
    return _copy(source, target, repeats)


def compile_all(progress: Callable[[int, int], None] = lambda _done, _total: None) -> None:
    """Compiles the rules, then both entry points by using them on one game."""
    if not INTERPRETED:
        flags = numba.types.Array(numba.bool_, 1, "C")
        numbers = numba.types.Array(numba.int8, 1, "C")
        record = numba.from_dtype(STATE)
        field = numba.types.Array(numba.int8, 1, "A")  # a field of the record
        arrays = {"state": record, "mask": flags, "zones": field, "options": numbers, "preference": numbers}
        compile_kernels(arrays, progress)
    states = np.zeros(1, dtype=STATE)
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    new_games(states, masks, np.zeros(1, dtype=np.int64), _NO_OPTIONS, 0)
    copy_states(states, states.copy(), 1)
