"""The compiled entry point: batches of games, advanced by given or random actions.

All calls from Python go through one compiled function, ``_drive``: each entry point contains the machine code
of all rules, so one entry point compiles several times faster than several. The functions below wrap it.
``states`` is ``STATE[N]``, ``masks`` is ``bool[N, NUM_ACTIONS]``; both are changed in place. If
``observations`` (``int8[N, OBSERVATION_SIZE]``) have rows, the observation of the deciding seat is also
written.
"""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.device import DeviceKernel, DeviceKernels, Returns
from wotr_env.compiler.entry_points import types_of_arguments
from wotr_env.compiler.memory import FLAGS_PER_WORD, flag_word, lowest_bit, prefetch_row
from wotr_env.compiler.types import Progress, array_of, record_of, type_of
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.states import copy_states
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.engine.buffers import BOOK, Buffers
from wotr_env.games.war_of_the_ring.engine.observation_encoding import encode
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.engine.validation import check_states
from wotr_env.games.war_of_the_ring.engine.worlds import resample
from wotr_env.games.war_of_the_ring.kernels import RULES, entry_point, kernel
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS, Option
from wotr_env.games.war_of_the_ring.rules.chance import forget_draws, stream_word
from wotr_env.games.war_of_the_ring.rules.flow import GOES_ON, advance, apply, run
from wotr_env.games.war_of_the_ring.rules.masks import action_at, choose_any, count_actions
from wotr_env.games.war_of_the_ring.rules.seats import is_shared, side_of
from wotr_env.games.war_of_the_ring.rules.setup import set_up
from wotr_env.games.war_of_the_ring.rules.victory import victory_points, wins_alone_or_shares
from wotr_env.games.war_of_the_ring.state import NUM_SIDES, STATE

_WORD = 0xFFFFFFFF
_BLANK = np.zeros(1, dtype=STATE)
_STATES = array_of(STATE)
_RESTS = -2
_TRACED_AT_ONCE = 48
"""The number of moves of a step that are traced in one call."""


class Mode(Codes):
    """The task of ``_drive``."""

    NEW = 0
    REFRESH = 1
    STEP = 2
    RANDOM = 3
    SEEDS = 4
    OBSERVE = 5
    SAMPLE = 6
    CHECK = 7
    RESTART = 8
    TRACE = 9


@kernel
def _are_equal(preference):
    """Whether all preferences are the same."""
    for action in range(NUM_ACTIONS):
        if preference[action] != preference[0]:
            return False
    return True


@kernel
def _choose(mask, preference, word):
    """Chooses uniformly among the legal actions with the highest preference."""
    best = -128
    ties = 0
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        while legal != 0:
            action = first + lowest_bit(legal)
            legal &= legal - 1
            if preference[action] > best:
                best = preference[action]
                ties = 1
            elif preference[action] == best:
                ties += 1
    place = (word * ties) >> 32
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        while legal != 0:
            action = first + lowest_bit(legal)
            legal &= legal - 1
            if preference[action] == best:
                if place == 0:
                    return action
                place -= 1
    return -1


_OTHER = 0x5A5A5A5A


@kernel
def _episode_seed(seed, index, episode):
    """A 63-bit seed for each episode of each game of a batch; both of its words depend on all inputs."""
    low, high = seed & _WORD, (seed >> 32) & _WORD
    for word in (index & _WORD, (index >> 32) & _WORD, episode & _WORD, (episode >> 32) & _WORD):
        low, high = stream_word(low, high, word), stream_word(high, low, word ^ _OTHER)
    return ((high & 0x7FFFFFFF) << 32) | low


@kernel
def _new_game(buffers, game, seed):
    """Sets up a game and runs it to its first decision."""
    buffers.states[game] = _BLANK[0]
    state = buffers.states[game]
    set_up(state, buffers.options[game], buffers.max_turns[game], seed)
    run(state, buffers.masks[game])


@kernel
def _next_episode(buffers, game, seed):
    book = buffers.books[game]
    book.episode += 1
    book.length = 0
    _new_game(buffers, game, _episode_seed(seed, game, book.episode))


@kernel
def _close_book(book, state):
    """Records the end of a game."""
    book.winner = state.winner
    book.reason = state.reason
    for side in range(NUM_SIDES):
        book.victory_points[side] = victory_points(state, side)
    for seat in range(state.options[Option.PLAYERS]):
        won = wins_alone_or_shares(state, seat)
        book.won[seat] = won
        book.all_won[seat] += won
    book.corruption = state.corruption
    book.mordor_step = state.mordor_step
    book.turn = state.turn
    book.decisions = book.length
    book.winners[state.winner] += 1
    book.reasons[state.reason] += 1
    book.all_turns += state.turn
    book.all_decisions += book.length


@kernel
def _end_game(buffers, game, seed, auto_reset):
    """Records the end of a game and writes the rewards: 1 for the winning side, -1 for the other side, 0 for
    a draw.

    Partners who win within their side also get a bonus.
    """
    state = buffers.states[game]
    book = buffers.books[game]
    _close_book(book, state)
    if state.winner != Winner.DRAW:
        for seat in range(state.options[Option.PLAYERS]):
            buffers.rewards[game, seat] = 1 if state.winner == side_of(seat) else -1
            if book.won[seat] and is_shared(state, side_of(seat)):
                buffers.rewards[game, seat] += buffers.bonuses[game]
    if auto_reset:
        _next_episode(buffers, game, seed)


@kernel
def _play(mode, buffers, actions, preferences, steps, seed, auto_reset, first, last):
    """Plays the games first to last - 1; returns the number of decisions made. Statistics are recorded if
    there are any ``books``.

    Passing all buffers takes longer than a decision, so only rare operations receive all of them.
    """
    made = 0
    states, masks, observations = buffers.states, buffers.masks, buffers.observations
    books, streams = buffers.books, buffers.streams
    kept = books.size > 0
    uniform = mode == Mode.RANDOM and _are_equal(preferences[0]) and _are_equal(preferences[1])
    for game in range(first, last):
        if game + 1 < last:  # fetched while this game is played
            prefetch_row(states, game + 1)
            prefetch_row(masks, game + 1)
            if observations.shape[0] > 0:
                prefetch_row(observations, game + 1)
        state = states[game]
        mask = masks[game]
        if mode == Mode.NEW:
            _new_game(buffers, game, streams[game])
        elif mode == Mode.REFRESH:
            run(state, mask)
        elif mode == Mode.RESTART and actions[game]:
            _next_episode(buffers, game, seed)
        if kept:
            books[game].winner = Winner.NONE
            for seat in range(buffers.rewards.shape[1]):
                buffers.rewards[game, seat] = 0
        for _ in range(steps):
            if state.winner != Winner.NONE:
                break
            if mode == Mode.STEP:
                action = actions[game]
            else:
                stream = streams[game]
                word = stream_word(stream & _WORD, game, (stream >> 32) & _WORD)
                streams[game] = stream + (1 << 32)
                if streams[game] >> 32 == 0:  # all numbers of this stream are used: another begins
                    streams[game] = word
                if uniform:
                    action = choose_any(mask, count_actions(mask), word)
                else:
                    action = _choose(mask, preferences[side_of(int(state.seat))], word)
            apply(state, action)
            count = run(state, mask)
            made += 1
            if kept:
                books[game].length += 1
                if count == 0:
                    _end_game(buffers, game, seed, auto_reset)
        if kept:
            buffers.seats[game] = state.seat
            ended = books[game].winner if auto_reset else state.winner
            buffers.terminated[game] = ended != Winner.NONE
        if observations.shape[0] > 0:
            encode(state, int(state.seat), observations[game])
    return made


@kernel
def _next_move(state, mask, action):
    """Makes one move of a step: takes the given action, or else continues as the rules do.

    Returns the action taken, NO_ACTION if a business was resumed, or ``_RESTS`` if the step ends.
    """
    if action != NO_ACTION:
        apply(state, action)
        return action
    forget_draws(state)
    if advance(state, mask, 1) != GOES_ON:
        return _RESTS
    return action_at(mask, 0)


@kernel
def _trace(buffers, actions, first, last):
    """Writes the moves of a step: each game becomes the position one move after the previous game. Records
    the actions, and returns the number of moves."""
    states = buffers.states
    for game in range(first, last):
        states[game] = states[game - 1]
        taken = _next_move(states[game], buffers.masks[game], actions[game])
        if taken == _RESTS:
            return game - first + 1
        actions[game] = taken
    return last - first


@kernel
def _first_illegal(buffers, actions, first, last):
    """The first game whose action is illegal, or -1."""
    for game in range(first, last):
        action = actions[game]
        if buffers.states[game].winner != Winner.NONE:
            if action != NO_ACTION:
                return game
        elif action < 0 or action >= NUM_ACTIONS or not buffers.masks[game, action]:
            return game
    return -1


@entry_point()
def _drive(mode, buffers, actions, preferences, steps, seed, auto_reset, first, last):
    """Applies a mode to the games first to last - 1; returns the result of the kernel of the mode, or 0 if it
    has none.

    ``actions`` are seats in OBSERVE and SAMPLE, episodes in SEEDS and flags in RESTART; ``streams`` are seeds
    in NEW and SAMPLE, and are written in SEEDS.
    """
    if mode == Mode.CHECK:
        return _first_illegal(buffers, actions, first, last)
    if mode == Mode.TRACE:
        return _trace(buffers, actions, first, last)
    if mode == Mode.SEEDS:
        for game in range(first, last):
            buffers.streams[game] = _episode_seed(seed, game, actions[game])
    elif mode == Mode.OBSERVE:
        for game in range(first, last):
            encode(buffers.states[game], actions[game], buffers.observations[game])
    elif mode == Mode.SAMPLE:
        for game in range(first, last):
            resample(buffers.states[game], actions[game], buffers.streams[game])
    else:
        return _play(mode, buffers, actions, preferences, steps, seed, auto_reset, first, last)
    return 0


@entry_point(source=_STATES, target=_STATES)
def _copy(source, target, repeats):
    copies = 0
    for _ in range(repeats):
        for game in range(source.size):
            target[game] = source[game]
            copies += 1
    return copies


NO_OBSERVATIONS = np.zeros((0, OBSERVATION_SIZE), dtype=np.int8)
_NOTHING = Buffers(
    states=np.zeros(0, dtype=STATE),
    masks=np.zeros((0, NUM_ACTIONS), dtype=np.bool_),
    observations=NO_OBSERVATIONS,
    seats=np.zeros(0, dtype=np.int8),
    rewards=np.zeros((0, NUM_SIDES), dtype=np.float32),
    bonuses=np.zeros(0, dtype=np.float32),
    terminated=np.zeros(0, dtype=np.bool_),
    books=np.zeros(0, dtype=BOOK),
    streams=np.zeros(0, dtype=np.int64),
    options=np.zeros((0, NUM_OPTIONS), dtype=np.int8),
    max_turns=np.zeros(0, dtype=np.int64),
)
_NO_ACTIONS = np.zeros(0, dtype=np.int64)
_NO_PREFERENCES = np.zeros((NUM_SIDES, NUM_ACTIONS), dtype=np.int8)


def _call(
    mode: Mode,
    buffers: Buffers,
    actions: np.ndarray = _NO_ACTIONS,
    preferences: np.ndarray = _NO_PREFERENCES,
    *,
    steps: int = 0,
    seed: int = 0,
    auto_reset: bool = False,
    first: int = 0,
    last: int | None = None,
) -> int:
    """Calls ``_drive`` with the arguments that a mode needs. All calls have the same argument types, so
    ``_drive`` is compiled once."""
    stop = buffers.states.size if last is None else last
    return _drive(
        mode.value, buffers, actions, preferences, int(steps), int(seed), int(auto_reset), first, stop
    )


def new_games(
    states: np.ndarray,
    masks: np.ndarray,
    seeds: np.ndarray,
    options: np.ndarray,
    max_turns: int,
    observations: np.ndarray = NO_OBSERVATIONS,
) -> None:
    """Sets up every game and runs it to its first decision.

    Args:
        seeds: int64[N], 0 to ``kind.MAX_SEED``.
        options: int8[NUM_OPTIONS], from ``Ruleset.encode``.
        max_turns: turn limit; 0: no limit.
    """
    games = states.size
    buffers = _NOTHING._replace(
        states=states,
        masks=masks,
        observations=observations,
        streams=np.asarray(seeds).astype(np.int64),
        options=np.tile(options, (games, 1)),
        max_turns=np.full(games, max_turns, dtype=np.int64),
    )
    _call(Mode.NEW, buffers)


def refresh(states: np.ndarray, masks: np.ndarray) -> None:
    """Runs games to their next decision if none is pending, and writes the masks."""
    _call(Mode.REFRESH, _NOTHING._replace(states=states, masks=masks))


def check(states: np.ndarray) -> None:
    """Checks external states (``STATE[N]``). Call it before any other operation on them.

    Raises:
        StateError: the rules cannot continue from one of the states.
    """
    check_states(states)


def step(
    states: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    first: int = 0,
    last: int | None = None,
    observations: np.ndarray = NO_OBSERVATIONS,
) -> None:
    """Applies one legal action (int64[N]) to each unfinished game of a range; finished games do not change.

    Raises:
        ValueError: the next outcome of a tape does not fit; the state of this game is then undefined.
        StateError: a state is impossible; the state of this game is then undefined.
    """
    buffers = _NOTHING._replace(states=states, masks=masks, observations=observations)
    _call(Mode.STEP, buffers, actions, steps=1, first=first, last=last)


def trace(state: np.ndarray | np.record, action: int) -> tuple[np.ndarray, np.ndarray]:
    """Plays a step move by move: the action, and then each pending step of the rules that is resumed, and
    each decision that the rules take without asking.

    Args:
        state: one record of ``STATE`` in which ``action`` is legal; it is not changed.

    Returns:
        The states before the step and after each move, ``STATE[K + 1]``, and the actions of the moves,
            int64[K], ``NO_ACTION`` where the rules continued without an action. In each of the states,
            ``draws`` holds the outcomes of its own move; except for ``draws``, the last state is the result
            of ``step``.

    Raises:
        ValueError: the next outcome of a tape does not fit.
    """
    rows = _TRACED_AT_ONCE + 1
    states = np.zeros(rows, dtype=STATE)
    masks = np.zeros((rows, NUM_ACTIONS), dtype=np.bool_)
    actions = np.full(rows, NO_ACTION, dtype=np.int64)
    states[0], actions[1] = state, action
    buffers = _NOTHING._replace(states=states, masks=masks)
    made = _call(Mode.TRACE, buffers, actions, first=1)
    traced, taken = [states[: made + 1]], [actions[1 : made + 1]]
    while made == _TRACED_AT_ONCE:  # one more move of a step that rests changes nothing
        states, actions = states.copy(), np.full(rows, NO_ACTION, dtype=np.int64)
        states[0] = states[-1]
        made = _call(Mode.TRACE, buffers._replace(states=states), actions, first=1)
        traced.append(states[1 : made + 1])
        taken.append(actions[1 : made + 1])
    return np.concatenate(traced), np.concatenate(taken)


def random_steps(
    states: np.ndarray,
    masks: np.ndarray,
    steps: int,
    streams: np.ndarray,
    preferences: np.ndarray,
    first: int = 0,
    last: int | None = None,
) -> int:
    """Plays ``steps`` decisions per game of a range, chosen uniformly among the legal actions with the
    highest preference.

    Args:
        streams: int64[N], the positions of the random streams of the choices, advanced in place.
        preferences: int8[2, NUM_ACTIONS], by side; zeros for uniform play.

    Returns:
        The number of decisions made.
    """
    buffers = _NOTHING._replace(states=states, masks=masks, streams=streams)
    return _call(Mode.RANDOM, buffers, preferences=preferences, steps=steps, first=first, last=last)


def first_illegal(buffers: Buffers, actions: np.ndarray) -> int:
    """The first game whose action (int64[N]) is illegal, or -1; a finished game takes ``NO_ACTION``."""
    return _call(Mode.CHECK, buffers, actions)


def step_batch(
    buffers: Buffers, actions: np.ndarray, seed: int, auto_reset: bool, first: int, last: int
) -> None:
    """Applies one legal action (int64[N]) to each unfinished game of a range, and records its statistics.

    Args:
        seed: the seed of the batch, which determines the games of all episodes.
        auto_reset: whether a game that ends is replaced at once by the next episode.
    """
    _call(Mode.STEP, buffers, actions, steps=1, seed=seed, auto_reset=auto_reset, first=first, last=last)


def random_batch(
    buffers: Buffers,
    steps: int,
    preferences: np.ndarray,
    seed: int,
    auto_reset: bool,
    first: int,
    last: int,
) -> int:
    """``random_steps`` with the statistics and the auto-reset of ``step_batch``; returns the number of
    decisions made."""
    return _call(
        Mode.RANDOM,
        buffers,
        preferences=preferences,
        steps=steps,
        seed=seed,
        auto_reset=auto_reset,
        first=first,
        last=last,
    )


def restart_batch(buffers: Buffers, which: np.ndarray, seed: int, first: int, last: int) -> None:
    """Starts the next episode of the games for which ``which`` (int64[N]) is not 0."""
    _call(Mode.RESTART, buffers, which, seed=seed, first=first, last=last)


def episode_seeds(seed: int, episodes: np.ndarray) -> np.ndarray:
    """The seeds (int64[N]) of the current episodes (int64[N]) of the games of a batch."""
    seeds = np.empty(episodes.size, dtype=np.int64)
    _call(Mode.SEEDS, _NOTHING._replace(streams=seeds), episodes, seed=seed, last=episodes.size)
    return seeds


def observe(states: np.ndarray, seats: np.ndarray, out: np.ndarray) -> None:
    """Writes the observations of the seats (int64[N]) into ``out``, int8[N, OBSERVATION_SIZE]."""
    if not states.flags.writeable:  # compiled code takes arrays that it may write, though this only reads
        states = copy_states(states)
    _call(Mode.OBSERVE, _NOTHING._replace(states=states, observations=out), seats)


def sample_worlds(states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
    """Resamples the information that is hidden from the seats (int64[N]), in place, with the seeds
    (int64[N])."""
    _call(Mode.SAMPLE, _NOTHING._replace(states=states, streams=seeds), seats)


def copy_often(source: np.ndarray, target: np.ndarray, repeats: int) -> int:
    """Copies all states a number of times; returns the number of copies (for the benchmark)."""
    return _copy(source, target, repeats)


def ensure_compiled(progress: Progress | None = None) -> float:
    """Compiles the rules once per version and machine; see ``KernelSet.ensure_compiled``."""
    return RULES.ensure_compiled(progress)


_INT8_ARRAY = array_of(np.int8)
_INT8_FIELD = array_of(np.int8, strided=True)  # a field of the record, or a row of one
RULES.argument_types |= {
    "state": record_of(STATE),
    "mask": array_of(np.bool_),
    "zones": _INT8_FIELD,
    "words": array_of(np.uint32, strided=True),  # likewise
    "regular_units": _INT8_FIELD,
    "elite_units": _INT8_FIELD,
    "options": _INT8_ARRAY,
    "preference": _INT8_ARRAY,
    "observation": _INT8_ARRAY,
    "book": record_of(BOOK),
    "buffers": type_of(_NOTHING),
    "actions": type_of(_NO_ACTIONS),
    "preferences": type_of(_NO_PREFERENCES),
}
DEVICE_KERNELS: DeviceKernels = {
    "play": DeviceKernel(_drive.function, _drive.types, Returns.TOTAL),
    "check": DeviceKernel(
        _first_illegal, types_of_arguments(_first_illegal, RULES.argument_types), Returns.REFUSED
    ),
}
"""The kernels for batches of games on a GPU: one for all modes except CHECK, and one for CHECK."""
