"""Fuzzing states from outside: mutated states of real play against every door that takes one.

``python -m tests.tools.fuzz_states`` is the full run: a million states of games of two, three and
four players, each mutated a few times, in processes of their own. A mutated state goes through the compiled
check; whatever passes it is played on at random, observed, imagined by each seat, and put into words if the
doors let it in. Some go through each door itself, with checksums repaired. Every state must be refused in
one line or played; a crash, a hang or any other exception ends the run with exit code 2, and the state is
kept in a file that ``--again`` tries once more. With ``NUMBA_BOUNDSCHECK=1`` the rules are compiled with
bounds, and an index outside of an array is found where it happens.
"""

from __future__ import annotations

import argparse
import base64
import collections
import dataclasses
import functools
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import tqdm

from tests.tools.policies import POLICIES
from wotr_env import STATE, Game, VectorGame, sample_world
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.bounds import LEAST, MOST, SLOT_LEAST, SLOT_MOST
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.engine.validation import fault_in_words, find_faults
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.stack import KIND
from wotr_env.games.war_of_the_ring.state import FRAME_SIZE, MAX_DEPTH
from wotr_experiments.terminal.saves import SavedGame

COMMAND = "python -m tests.tools.fuzz_states"
STATES = 1_000_000
QUICK_STATES = 2_000
CHUNK = 50_000
"""States that one process tries."""
PLAYED = 24
"""Random decisions that a state that passes is played on for."""
DOORS_EVERY = 200
"""One of so many mutated states goes through every door."""
WORDS_EVERY = 20
"""One of so many that pass is put into words, if the invariants let it in."""
STUCK = 120.0
"""Seconds without a state tried after which a process counts as hanging."""
_RULESETS = ("first", "second", "first:players=3", "second:players=4")
_POLICIES = ("uniform", "cards", "cards_sieges", "fellowship")
_CORPUS_GAMES = 24
_CORPUS_STEPS = 500
_KEPT_OF_A_KIND = 12
_SIZE = STATE.itemsize
_FIELDS = [(at, dtype.itemsize) for dtype, at, *_ in (STATE.fields or {}).values()]
_STACK = (STATE.fields or {})["stack"][1]
_DEPTH = (STATE.fields or {})["depth"][1]
_EDGES = np.array([-128, -2, -1, 0, 1, 2, 7, 8, 104, 105, 126, 127], dtype=np.int8)

Cells = np.ndarray
"""A state as ``int8[_SIZE]``."""
Mutation = Callable[[Cells, Cells, np.random.Generator], None]
"""Changes the first state, if it likes by what the second one has."""


@dataclasses.dataclass
class Tally:
    """What became of the states tried."""

    tried: int = 0
    refused: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    """By the field that the check names."""
    passed: int = 0
    worded: int = 0
    """Of those passed, put into words."""
    unworded: int = 0
    """Refused by the invariants of the rules before that, or without a legal action."""
    ended: int = 0
    """Of those passed, refused by the rules while they were played on."""
    decisions: int = 0
    doors: int = 0
    let_in: int = 0
    """By a door."""

    def add(self, other: Tally) -> None:
        """Counts another tally in."""
        for field in dataclasses.fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, mine + theirs)

    def __str__(self) -> str:
        fields = ", ".join(f"{name} {count:,}" for name, count in self.refused.most_common(6))
        return (
            f"{self.tried:,} mutated states: {self.tried - self.passed:,} refused ({fields}, ...),"
            f" {self.passed:,} passed and played on for {self.decisions:,} decisions,"
            f" {self.ended:,} of them to a dead end; of {self.worded + self.unworded:,} of these"
            f" {self.worded:,} passed the invariants, too, and were put into words;"
            f" {self.doors:,} tried at every door, {self.let_in:,} let in"
        )


# --- States of real play. ---


@functools.cache
def corpus(seed: int) -> np.ndarray:
    """States of random games of different rulesets and policies: ``STATE[K]``, some of each decision."""
    kernel.ensure_compiled()
    kept = []
    for number, spec in enumerate(_RULESETS):
        ruleset = WAR_OF_THE_RING.find_ruleset(spec)
        policy = POLICIES[_POLICIES[number % len(_POLICIES)]].preferences()
        for preferences in (policy, np.zeros_like(policy)):
            states = np.zeros(_CORPUS_GAMES, dtype=STATE)
            masks = np.zeros((_CORPUS_GAMES, NUM_ACTIONS), dtype=np.bool_)
            seeds = np.arange(_CORPUS_GAMES) + 1000 * (seed + number)
            kernel.new_games(states, masks, seeds, ruleset.encode(), 30)
            counts: collections.Counter[int] = collections.Counter()
            streams = seeds.copy()
            for _ in range(_CORPUS_STEPS):
                for game, decision in enumerate(states["decision"].tolist()):
                    counts[decision] += 1
                    if counts[decision] <= _KEPT_OF_A_KIND:
                        kept.append(states[game].copy())
                kernel.random_steps(states, masks, 1, streams, preferences)
    return np.array(kept, dtype=STATE)


# --- Mutations. ---


def _any_byte(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    cells[generator.integers(_SIZE)] = generator.integers(-128, 128)


def _edge(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    """A number becomes the least or the most that it may be, one beyond, or another edge."""
    at = generator.integers(_SIZE)
    near = [int(LEAST[at]), int(MOST[at]), int(LEAST[at]) - 1, int(MOST[at]) + 1]
    edges = np.concatenate([_EDGES, np.clip(near, -128, 127).astype(np.int8)])
    cells[at] = generator.choice(edges)


def _in_range(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    at = generator.integers(_SIZE)
    cells[at] = generator.integers(int(LEAST[at]), int(MOST[at]) + 1)


def _small_field(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    """A number of a field of few, such as who decides what: the others are most of the record."""
    at, size = _FIELDS[generator.integers(len(_FIELDS))]
    place = at + generator.integers(size)
    cells[place] = generator.integers(int(LEAST[place]), int(MOST[place]) + 1)


def _swap(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    """Two numbers of a field change places: sums stay as they are."""
    at, size = _FIELDS[generator.integers(len(_FIELDS))]
    first, second = at + generator.integers(size, size=2)
    cells[first], cells[second] = int(cells[second]), int(cells[first])


def _field_of(cells: Cells, other: Cells, generator: np.random.Generator) -> None:
    at, size = _FIELDS[generator.integers(len(_FIELDS))]
    cells[at : at + size] = other[at : at + size]


def _fields_of(cells: Cells, other: Cells, generator: np.random.Generator) -> None:
    """All that lies between two fields comes from another state."""
    first, last = np.sort(generator.integers(len(_FIELDS), size=2))
    begin, end = _FIELDS[first][0], _FIELDS[last][0] + _FIELDS[last][1]
    cells[begin:end] = other[begin:end]


def _half_of(cells: Cells, other: Cells, generator: np.random.Generator) -> None:
    at = generator.integers(_SIZE)
    cells[at:] = other[at:]


def _business_of(cells: Cells, other: Cells, _generator: np.random.Generator) -> None:
    """What waits, and what is asked, comes from another state; the board stays."""
    for name in ("stack", "depth", "decision", "seat", "acting", "charge"):
        dtype, at, *_ = (STATE.fields or {})[name]
        cells[at : at + dtype.itemsize] = other[at : at + dtype.itemsize]


def _any_stack(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    """Business of any kind, with slots that such business may have, on top of the turn."""
    depth = int(generator.integers(1, MAX_DEPTH + 1))
    stack = cells[_STACK : _STACK + MAX_DEPTH * FRAME_SIZE].reshape(MAX_DEPTH, FRAME_SIZE)
    stack[1:] = 0
    for place in range(1, depth):
        kind = generator.integers(1, len(Frame))
        stack[place] = generator.integers(SLOT_LEAST[kind], SLOT_MOST[kind] + 1)
        stack[place, KIND] = kind
    cells[_DEPTH] = depth


def _a_slot(cells: Cells, _other: Cells, generator: np.random.Generator) -> None:
    """A number of some business becomes another that it may be."""
    place = int(generator.integers(max(1, min(MAX_DEPTH, int(cells[_DEPTH])))))
    kind = int(cells[_STACK + place * FRAME_SIZE])
    if 0 <= kind < len(Frame):
        slot = generator.integers(1, FRAME_SIZE)
        cells[_STACK + place * FRAME_SIZE + slot] = generator.integers(
            SLOT_LEAST[kind, slot], SLOT_MOST[kind, slot] + 1
        )


MUTATIONS: tuple[Mutation, ...] = (
    _any_byte,
    _edge,
    _in_range,
    _small_field,
    _small_field,
    _swap,
    _swap,
    _field_of,
    _field_of,
    _fields_of,
    _half_of,
    _business_of,
    _any_stack,
    _a_slot,
    _a_slot,
)


def mutated(states: np.ndarray, number: int, generator: np.random.Generator) -> np.ndarray:
    """So many states, each one of ``states`` after one to four mutations: ``STATE[number]``."""
    chosen = states[generator.integers(len(states), size=number)]
    cells = chosen.view(np.int8).reshape(number, _SIZE)
    others = states.view(np.int8).reshape(len(states), _SIZE)
    mutations = generator.integers(len(MUTATIONS), size=(number, 4))
    times = generator.integers(1, 5, size=number)
    for row in range(number):
        for mutation in mutations[row, : times[row]]:
            MUTATIONS[mutation](cells[row], others[generator.integers(len(others))], generator)
    return chosen


# --- What is tried with a state. ---


def play_on(state: np.ndarray, stream: int, tally: Tally) -> None:
    """Plays a state that passed the check (``STATE[1]``) on, observes it and imagines it at every stop.

    Raises:
        Exception: anything but a ``StateError``, or a tape that does not fit, which are counted.
    """
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    uniform = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    streams = np.array([stream], dtype=np.int64)
    seen = np.zeros((1, OBSERVATION_SIZE), dtype=np.int8)
    seats = [np.array([seat], dtype=np.int64) for seat in range(int(state["options"][0, Option.PLAYERS]))]
    try:
        kernel.refresh(state, masks)
        for stop in range(3):
            for seat in seats:
                kernel.observe(state, seat, seen)
            world, answers = state.copy(), masks.copy()
            kernel.sample_worlds(world, seats[stop % len(seats)], streams)
            kernel.refresh(world, answers)
            kernel.random_steps(world, answers, 2, streams.copy(), uniform)
            tally.decisions += kernel.random_steps(state, masks, PLAYED // 3, streams, uniform)
    except ValueError as error:
        if not isinstance(error, StateError) and "tape" not in str(error):
            raise
        _check_line(error)
        tally.ended += 1


def put_into_words(state: np.ndarray) -> None:
    """Everything that is said or drawn of a position that a door lets in (``STATE[1]``)."""
    kind, one = WAR_OF_THE_RING, state.copy()[0]
    assert kind.picture is not None and kind.decision is not None
    json.dumps([kind.words.position(one), kind.words.decision(one), kind.decision(one)])
    kind.result.of(one)
    for viewer in (None, -1, int(one["seat"])):
        json.dumps(kind.picture(one, viewer))
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    kernel.refresh(state, masks)
    legal = np.flatnonzero(masks[0])
    for action in legal:
        kind.words.action(state[0], int(action))
    if legal.size:
        kind.step_of(state[0], int(legal[0]), int(one["seat"]))


def _check_line(error: Exception) -> None:
    """A refusal is one line."""
    text = str(error)
    if not text or "\n" in text:
        raise AssertionError(f"a refusal is one line, not {text!r}") from error


def through_doors(state: np.ndarray, folder: Path) -> int:
    """Tries a state (``STATE[1]``) at every door, and returns how many let it in.

    Raises:
        Exception: anything but a refusal (ValueError) in one line.
    """
    doors: tuple[Callable[[], object], ...] = (
        lambda: Game.from_state(state).legal(),
        lambda: Game.from_bytes(_saved(state)).legal(),
        lambda: _load(state, folder),
        lambda: _restore(state),
        lambda: WAR_OF_THE_RING.kernels.check(state.copy()),
    )
    opened = 0
    for door in doors:
        try:
            door()
            opened += 1
        except ValueError as error:
            _check_line(error)
    if opened:
        try:
            sample_world(state[0], int(state["seat"][0]), np.random.default_rng(1))
        except (ValueError, RuntimeError) as error:  # no world leaves who decides an answer
            _check_line(error)
    return opened


@functools.cache
def _saved_head() -> bytes:
    game = Game(1)
    saved = game.to_bytes()
    return saved[: saved.index(game.state.tobytes())]


def _saved(state: np.ndarray) -> bytes:
    """A saved game of the state, its checksum repaired."""
    body = _saved_head() + state.tobytes()
    return body + hashlib.blake2b(body, digest_size=16).digest()


@functools.cache
def _saved_fields() -> dict[str, object]:
    return {
        "format": 2,
        "seat": 0,
        "bots": ["", "random"],
        "hint_bot": "random",
        "bot_seed": 1,
        "own_dice": False,
        "log": [],
    }


def _load(state: np.ndarray, folder: Path) -> None:
    path = folder / "game.json"
    saved = base64.b64encode(_saved(state)).decode()
    path.write_text(json.dumps({**_saved_fields(), "game": saved}), encoding="utf-8")
    SavedGame.read(path)


@functools.cache
def _batches() -> dict[int, VectorGame]:
    """Batches to restore into, by their players."""
    return {
        WAR_OF_THE_RING.find_ruleset(spec).players: VectorGame(
            2, ruleset=WAR_OF_THE_RING.find_ruleset(spec), observations=True
        )
        for spec in ("first", "first:players=3", "first:players=4")
    }


def _restore(state: np.ndarray) -> None:
    games = _batches().get(int(state["options"][0, Option.PLAYERS]), _batches()[2])
    snapshot = games.snapshot()
    snapshot["states"][1] = state.view(np.uint8)
    games.restore(snapshot)
    games.random_steps(3)


# --- A chunk, in a process of its own. ---


class Mark:
    """A file in which a process says what it is trying: a number, and the state.

    Args:
        path: of the file.
        new: whether it is made.
    """

    def __init__(self, path: Path, new: bool) -> None:
        self._cells = np.memmap(path, dtype=np.uint8, mode="w+" if new else "r+", shape=(8 + _SIZE,))

    def set(self, number: int, state: np.ndarray) -> None:
        """What is being tried: the number of the chunk's state."""
        self._cells[8:] = state.view(np.uint8)
        self._cells[:8] = np.array([number], dtype=np.int64).view(np.uint8)

    @property
    def number(self) -> int:
        """Of the state being tried."""
        return int(self._cells[:8].copy().view(np.int64)[0])

    @property
    def state(self) -> bytes:
        """The state being tried."""
        return self._cells[8:].tobytes()


def try_state(state: np.ndarray, fault: int, number: int, folder: Path, tally: Tally) -> None:
    """All that is tried with one mutated state (``STATE[1]``), given what the check finds.

    Raises:
        Exception: anything that no refusal in one line is.
    """
    tally.tried += 1
    if number % DOORS_EVERY == 0:
        tally.doors += 1
        tally.let_in += through_doors(state, folder) > 0
    if fault >= 0:
        words = fault_in_words(state[0], fault)
        _check_line(StateError(words))
        tally.refused[words.partition(":")[0].partition("[")[0].partition(" ")[0]] += 1
        return
    tally.passed += 1
    if tally.passed % WORDS_EVERY == 0:
        try:
            check_batch(state)
            put_into_words(state.copy())
            tally.worded += 1
        except ValueError as error:
            _check_line(error)
            tally.unworded += 1
    play_on(state.copy(), number, tally)


def run_chunk(seed: int, chunk: int, number: int, mark: Mark, folder: Path) -> Tally:
    """Tries so many mutated states, the chunk's own."""
    tally = Tally()
    generator = np.random.default_rng([seed, chunk])
    states = mutated(corpus(seed), number, generator)
    faults = find_faults(states)
    for place in range(number):
        state = states[place : place + 1].copy()
        mark.set(place, state)
        try:
            try_state(state, int(faults[place]), place, folder, tally)
        except Exception as error:
            error.add_note(f"state {place} of chunk {chunk}")
            raise
    return tally


def _child(options: argparse.Namespace) -> int:
    kernel.ensure_compiled()
    mark = Mark(Path(options.mark), new=False)
    with tempfile.TemporaryDirectory() as folder:
        tally = run_chunk(options.seed, options.chunk, options.states, mark, Path(folder))
    print(json.dumps({**dataclasses.asdict(tally), "refused": dict(tally.refused)}))
    return 0


class FuzzError(AssertionError):
    """A state that was neither refused nor played; the message says how to see it again."""


def _chunks(seed: int, states: int, folder: Path) -> Iterator[Tally]:
    """The tallies of all chunks.

    Raises:
        FuzzError: a process crashed, hung or failed.
    """
    for chunk, first in enumerate(range(0, states, CHUNK)):
        mark_path = folder / "mark"
        mark = Mark(mark_path, new=True)
        mark.set(-1, np.zeros(1, dtype=STATE))
        number = min(CHUNK, states - first)
        command = [sys.executable, "-m", "tests.tools.fuzz_states", "--mark", str(mark_path)]
        command += ["--seed", str(seed), "--chunk", str(chunk), "--states", str(number)]
        with (
            (folder / "out").open("w+", encoding="utf-8") as out,
            (folder / "errors").open("w+", encoding="utf-8") as errors,
            subprocess.Popen(command, stdout=out, stderr=errors) as process,
        ):
            code = _wait(process, mark)
            out.seek(0)
            errors.seek(0)
            if code != 0:
                lines = errors.read().strip().splitlines() or ["no word"]
                raise FuzzError(_failure(chunk, mark, code, " | ".join(lines[-3:])))
            found = json.loads(out.read())
        yield Tally(**{**found, "refused": collections.Counter(found["refused"])})


def _wait(process: subprocess.Popen, mark: Mark) -> int | None:
    """The exit code of a process; None if it stopped trying states and was ended."""
    last, since = mark.number, time.monotonic()
    while True:
        try:
            return process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if mark.number != last or mark.number < 0:
                last, since = mark.number, time.monotonic()
            elif time.monotonic() - since > STUCK:
                process.kill()
                process.wait()
                return None


def _failure(chunk: int, mark: Mark, code: int | None, words: str) -> str:
    path = Path(tempfile.gettempdir()) / f"wotr-state-{os.getpid()}.bin"
    path.write_bytes(mark.state)
    what = "it hung" if code is None else f"it ended with code {code}"
    command = f"{COMMAND} --again {path} --number {mark.number}"
    return f"chunk {chunk}, state {mark.number}: {what}: {words}; again: {command}"


def again(path: Path, number: int) -> None:
    """Tries a state that a failed run has kept once more, in this process.

    Args:
        path: where it is kept.
        number: of the state in its chunk, from which the dice follow with which it is played on.
    """
    kernel.ensure_compiled()
    state = np.frombuffer(path.read_bytes(), dtype=STATE).copy()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for each in {0, number}:
            try_state(state, int(find_faults(state)[0]), each, Path(folder), tally)
    print(tally)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_STATES:,} states")
    parser.add_argument("--again", type=Path, help="a state that a failed run has kept")
    parser.add_argument("--number", type=int, default=0, help="its number, for the same dice")
    parser.add_argument("--mark", help=argparse.SUPPRESS)
    parser.add_argument("--chunk", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.states < 1 or options.seed < 0:
        parser.error("--states must be at least 1, --seed at least 0")
    if options.mark is not None:
        return _child(options)
    if options.again is not None:
        again(options.again, options.number)
        return 0
    kernel.ensure_compiled()
    total = Tally()
    number = QUICK_STATES if options.quick else options.states
    with tempfile.TemporaryDirectory() as folder, tqdm.tqdm(total=number, unit="state") as bar:
        try:
            for tally in _chunks(options.seed, number, Path(folder)):
                total.add(tally)
                bar.update(tally.tried)
        except FuzzError as error:
            print(f"fuzz: {error}", file=sys.stderr)
            return 2
    print(total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
