"""DeviceGame plays the very games of VectorGame: here this machine runs the code that a GPU gets."""

import gc

import numpy as np
import pytest
import torch

from tests.device_machines import emulated
from wotr_env import STATE, IllegalAction, Ruleset, VectorGame
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.errors import StateError
from wotr_env.cuda import dlpack
from wotr_env.cuda.arrays import DeviceArray
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.device.game import DeviceGame
from wotr_env.games.war_of_the_ring.device.rules import DeviceBuffers, DeviceRules
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.buffers import Buffers
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE

pytestmark = pytest.mark.slow

SHORT = Ruleset(max_turns=1)
FOUR = Ruleset(players=4, max_turns=2)
ARRAYS = ("states", "masks", "observations", "seats", "rewards", "terminated", "end_records")


def assert_same(there: DeviceGame, here: VectorGame) -> None:
    for name in ARRAYS:
        ours, theirs = getattr(here, name), getattr(there, name).numpy()
        assert theirs.dtype == ours.dtype and theirs.tobytes() == ours.tobytes(), name


def both(games: int, **arguments) -> tuple[DeviceGame, VectorGame]:
    there = DeviceGame(games, emulated(), **arguments)
    arguments.pop("sort", None)
    return there, VectorGame(games, **arguments)


def some_legal(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    scores = generator.random(masks.shape) * masks
    return np.where(masks.any(axis=1), scores.argmax(axis=1), NO_ACTION)


@pytest.fixture(autouse=True)
def aligned():
    """No access to memory is one that a GPU would refuse."""
    yield
    assert emulated().misaligned == 0


@pytest.mark.parametrize("sort", [False, True])
def test_random_games_are_the_same_bytes(sort):
    there, here = both(24, seed=5, sort=sort)
    assert_same(there, here)
    for _ in range(40):
        assert there.random_steps(200) == here.random_steps(200)
        assert_same(there, here)
    assert there.statistics == here.statistics and there.statistics.games > 24


def test_steps_by_given_actions_are_the_same_bytes():
    rulesets = [SHORT, FOUR, Ruleset(ask_single=True)] * 3
    there, here = both(9, seed=2, ruleset=rulesets, individual_bonus=0.25)
    generator = np.random.default_rng(0)
    for number in range(500):
        actions = some_legal(here.masks, generator)
        given = there.rules.put(actions) if number % 2 else actions
        there.step(given)
        here.step(actions)
        assert_same(there, here)
        if number % 100 == 50:
            which = generator.random(9) < 0.5
            there.restart(which)
            here.restart(which)
    assert there.statistics == here.statistics and there.statistics.games > 5
    there.reset(9)
    here.reset(9)
    assert_same(there, here)


def test_without_auto_reset_games_that_are_over_rest():
    there, here = both(4, seed=1, ruleset=SHORT, auto_reset=False, observations=False)
    while not here.terminated.all():
        assert there.random_steps(30) == here.random_steps(30)
        assert_same(there, here)
    for play in (lambda: there.random_steps(1), lambda: there.step(np.full(4, NO_ACTION))):
        with pytest.raises(ValueError, match="all games are over"):
            play()
    which = np.array([True, False, False, False])
    there.restart(which)
    here.restart(which)
    actions = np.where(which, here.masks.argmax(axis=1), NO_ACTION)
    there.step(actions)
    here.step(actions)
    assert_same(there, here)


def test_preferences():
    preferences = np.random.default_rng(3).integers(-3, 3, size=(2, NUM_ACTIONS)).astype(np.int8)
    there, here = both(5, seed=8)
    assert there.random_steps(300, preferences) == here.random_steps(300, preferences)
    assert_same(there, here)


def test_an_illegal_action_changes_nothing():
    there, here = both(6, seed=4)
    actions = here.masks.argmax(axis=1)
    actions[[2, 5]] = NUM_ACTIONS, (~here.masks[5]).argmax()
    said = []
    for games in (there, here):
        with pytest.raises(IllegalAction) as error:
            games.step(actions)
        said.append(str(error.value))
    assert said[0] == said[1] and "game 2" in said[0]
    assert_same(there, here)
    for wrong, kind in ((np.zeros(6), TypeError), (np.zeros(5, dtype=int), ValueError)):
        with pytest.raises(kind):
            there.step(wrong)
    for wrong, kind in ((np.zeros(6, np.int32), TypeError), (np.zeros(5, np.int64), ValueError)):
        with pytest.raises(kind):
            there.step(there.rules.put(wrong))
    assert_same(there, here)


def test_snapshots_go_both_ways():
    there, here = both(7, seed=6)
    there.random_steps(200)
    here.restore(there.snapshot())
    fresh = DeviceGame(7, emulated(), seed=6).restore(here.snapshot())
    assert_same(fresh, here)
    assert fresh.random_steps(100) == here.random_steps(100) == there.random_steps(100)
    assert_same(fresh, here)
    with pytest.raises(ValueError, match="states"):
        fresh.restore({})
    broken = here.snapshot()
    broken["states"].reshape(-1).view(STATE)["depth"][3] = 100
    for games in (fresh, here):
        with pytest.raises(StateError, match="depth"):
            games.restore(broken)
    fresh.restore(here.snapshot())
    assert_same(fresh, here)


def test_worlds_and_observations():
    here = VectorGame(32, seed=11)
    rules = DeviceRules(emulated())
    for _ in range(10):
        here.random_steps(90)
        states = here.states.copy()
        seats = np.arange(32) % 2
        seeds = kernel.episode_seeds(3, np.arange(32))
        there = rules.put(states)
        rules.sample_worlds(there, rules.put(seats), rules.put(seeds))
        kernel.sample_worlds(states, seats, seeds)
        assert there.numpy().tobytes() == states.tobytes()
        seen = rules.array((32, OBSERVATION_SIZE), np.int8)
        rules.observe(there, rules.put(seats), seen)
        ours = np.zeros((32, OBSERVATION_SIZE), dtype=np.int8)
        kernel.observe(states, seats, ours)
        assert seen.numpy().tobytes() == ours.tobytes()


def test_games_without_books():
    here = VectorGame(3, seed=7)
    states, masks = here.take(np.arange(3))
    rules = DeviceRules(emulated())
    there, marks = rules.put(states), rules.array(masks.shape, np.bool_)
    rules.refresh(there, marks)
    assert marks.numpy().tobytes() == masks.tobytes()
    actions = masks.argmax(axis=1)
    rules.step(there, marks, rules.put(actions))
    kernel.step(states, masks, actions)
    streams = np.array([3, 4, 5])
    on_device = rules.put(streams)
    assert rules.random_steps(there, marks, 50, on_device) == kernel.random_steps(
        states, masks, 50, streams, np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    )
    for ours, theirs in ((states, there), (masks, marks), (streams, on_device)):
        assert theirs.numpy().tobytes() == ours.tobytes()
    new, old = rules.array((3,), STATE), np.zeros(3, dtype=STATE)
    options = SHORT.encode()
    rules.new_games(
        new,
        marks,
        rules.put(streams),
        rules.put(np.tile(options, (3, 1))),
        rules.put(np.ones(3, dtype=np.int64)),
    )
    kernel.new_games(old, masks, streams, options, 1)
    assert new.numpy().tobytes() == old.tobytes() and marks.numpy().tobytes() == masks.tobytes()


def test_what_rules_raise_is_raised_here():
    here = VectorGame(3, seed=7)
    states, masks = here.take(np.arange(3))
    rules = DeviceRules(emulated())
    broken = states.copy()
    broken["tape"][1:], broken["tape_length"][1:], broken["tape_position"][1:] = 99, 5, 0
    with pytest.raises(ValueError, match="tape"):
        rules.random_steps(rules.put(broken), rules.put(masks), 200, rules.put(np.arange(3)))
    broken = states.copy()
    broken["depth"][2] = broken["stack"].shape[1]
    broken["decision"][2] = 0
    there = rules.put(broken)
    with pytest.raises(StateError):
        rules.refresh(there, rules.put(masks))
    # The next call starts afresh.
    there = rules.put(states)
    rules.refresh(there, rules.put(masks))
    assert there.numpy().tobytes() == states.tobytes()


def test_other_libraries_take_the_arrays_without_a_copy():
    there, here = both(5, seed=3)
    names = ("observations", "masks", "seats", "rewards", "terminated")
    tensors = {name: torch.from_dlpack(getattr(there, name)) for name in names}
    seen = np.from_dlpack(there.observations)
    lent = len(dlpack._lent)
    for _ in range(3):
        there.random_steps(700)
        here.random_steps(700)
        for name, tensor in tensors.items():
            assert tensor.data_ptr() == getattr(there, name).address
            assert np.array_equal(tensor.numpy(), getattr(here, name))
        assert np.array_equal(seen, here.observations)
    with pytest.raises(BufferError, match="DLPack"):
        torch.from_dlpack(there.states)
    assert torch.from_dlpack(there.states.as_bytes()).numpy().tobytes() == here.states.tobytes()
    there.observations.__dlpack__()
    assert len(dlpack._lent) == lent
    del tensors, tensor, seen
    gc.collect()
    assert len(dlpack._lent) == lent - len(names) - 1


def test_sorting_puts_equal_decisions_together():
    here = VectorGame(200, seed=1)
    here.random_steps(40)
    rules = DeviceRules(emulated())
    order = rules.array((200,), np.int64)
    for _ in range(2):
        rules.sort(rules.put(here.states), order)
        found = order.numpy()
        assert sorted(found.tolist()) == list(range(200))
        assert (np.diff(here.states["decision"][found].astype(int)) >= 0).all()


def test_buffers_are_those_of_the_rules():
    assert DeviceBuffers._fields == Buffers._fields


def test_arrays():
    machine = emulated()
    values = np.arange(12, dtype=np.int32).reshape(4, 3)
    array = DeviceArray(machine, values.shape, values.dtype)
    assert not array.numpy().any()
    array.write(values)
    assert np.array_equal(array.numpy(), values) and np.array_equal(array.row(2), values[2])
    assert array.copy().numpy().tobytes() == array.as_bytes().numpy().tobytes() == values.tobytes()
    assert not hasattr(array, "__cuda_array_interface__")
    with pytest.raises(ValueError):
        array.copy_from(DeviceArray(machine, (3, 4), np.int32))
    there, here = both(2, seed=Side.SHADOW)
    with pytest.raises(TypeError):
        there.rules.refresh(there.seats, there.masks)
    assert_same(there, here)
