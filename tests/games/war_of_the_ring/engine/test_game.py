"""Game: the contract of one game for people, and that no error changes it."""

import dataclasses
import random
import re
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wotr_env import STATE, Game, IllegalAction, Result, Ruleset
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Side, Winner
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.state import TAPE_SIZE


def play(game: Game, steps: int, seed: int = 0) -> Game:
    """Plays random legal actions, at most ``steps``."""
    choices = random.Random(seed)
    for _ in range(steps):
        if game.over:
            break
        game.step(choices.choice(game.legal()))
    return game


def same(one: Game, other: Game) -> bool:
    return (
        one.state.tobytes() == other.state.tobytes()
        and one.legal() == other.legal()
        and one.actions == other.actions
        and one.seed == other.seed
        and one.ruleset == other.ruleset
    )


def finished(ruleset: Ruleset | None = None) -> Game:
    return play(Game(3, ruleset or Ruleset(max_turns=1)), 10_000)


def test_a_new_game_asks_for_a_decision():
    game = Game(seed=1)
    assert game.decision in set(Decision) - {Decision.NONE}
    assert game.side in set(Side) and game.seat == game.side
    assert game.result is None and not game.over
    assert game.actions == () and game.seed == 1 and game.ruleset == Ruleset()
    assert game.legal() == sorted(set(game.legal())) and len(game.legal()) >= 2


def test_mask_and_legal_agree_and_the_mask_is_a_copy():
    game = play(Game(1), 30)
    assert game.mask().dtype == np.bool_ and game.mask().shape == (NUM_ACTIONS,)
    assert np.flatnonzero(game.mask()).tolist() == game.legal()
    game.mask()[:] = False
    assert game.legal()


def test_state_is_a_copy():
    game = Game(1)
    before = game.hash()
    game.state["corruption"] = 11
    game.state.turn = 99
    assert game.hash() == before and game.state.dtype == STATE


def test_step_returns_the_game_and_remembers_the_action():
    game = Game(1)
    action = game.legal()[0]
    assert game.step(action) is game and game.actions == (action,)
    assert game.step(np.int64(game.legal()[0])) is game
    assert all(type(action) is int for action in game.actions)


def test_same_seed_and_actions_same_bytes():
    games = [play(Game(7), 200, seed=1) for _ in range(2)]
    assert same(*games)
    assert play(Game(8), 200, seed=1).hash() != games[0].hash()


def test_a_game_ends_with_a_result():
    game = finished()
    assert isinstance(game.result, Result) and game.legal() == [] and game.decision == Decision.NONE
    assert game.result.reason in set(Reason) - {Reason.NONE}
    assert game.result.winner in set(Winner) - {Winner.NONE}
    assert game.result.turn == int(game.state["turn"]) and len(game.result.victory_points) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.result.turn = 5


@pytest.mark.parametrize(
    "action",
    [-1, NUM_ACTIONS, 10**30, -(10**30), True, np.True_, 1.0, np.float32(2), "verb:pass", None, [3], np.nan],
)
def test_an_action_that_is_no_id_is_refused(action):
    game = play(Game(1), 20)
    before = game.to_bytes()
    with pytest.raises(IllegalAction) as error:
        game.step(action)
    assert "\n" not in str(error.value)
    assert game.to_bytes() == before


def test_every_illegal_action_is_refused_and_changes_nothing():
    game = play(Game(1), 20)
    before = game.to_bytes()
    for action in set(range(NUM_ACTIONS)) - set(game.legal()):
        with pytest.raises(IllegalAction, match="illegal"):
            game.step(action)
    assert game.to_bytes() == before


def test_an_action_after_the_end_is_refused():
    game = finished()
    before = game.to_bytes()
    with pytest.raises(IllegalAction, match="over"):
        game.step(0)
    assert game.to_bytes() == before


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, True, "1", None, np.float64(3), 10**40])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        Game(seed)


def test_the_largest_seed_works():
    assert Game(2**63 - 1).legal() == Game(np.uint64(2**63 - 1)).legal()


def test_a_ruleset_of_another_type_is_refused():
    for wrong in (3, ["first"], np.zeros((2, 2))):
        with pytest.raises(ValueError, match=r"^a ruleset of War of the Ring is a Ruleset, a dictionary .*$"):
            Game(1, ruleset=wrong)


def test_names():
    game = Game(1)
    for action in range(NUM_ACTIONS):
        assert game.name_of(action) == ACTION_NAMES[action]
        assert game.action(ACTION_NAMES[action]) == action == game.action(action)


def test_an_unknown_name_offers_close_ones():
    with pytest.raises(ValueError, match="region:minas-tirith"):
        Game(1).action("region:minas-tirit")
    with pytest.raises(ValueError, match="no action"):
        Game(1).action("@")


@pytest.mark.parametrize("name", [NUM_ACTIONS, -1, True, 2.0, None, b"verb:pass"])
def test_a_name_that_is_no_name_is_refused(name):
    with pytest.raises(ValueError, match="action"):
        Game(1).action(name)
    with pytest.raises(ValueError, match="action"):
        Game(1).name_of(name)


def test_a_clone_is_equal_and_independent():
    game = play(Game(5), 50)
    clone = game.clone()
    before = game.to_bytes()
    assert same(game, clone)
    play(clone, 50, seed=3)
    assert game.to_bytes() == before
    assert same(play(game, 50, seed=3), clone)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), steps=st.integers(0, 400), second=st.booleans())
def test_bytes_round_trip(seed, steps, second):
    ruleset = Ruleset.second_edition(max_turns=3) if second else Ruleset(max_turns=3)
    game = play(Game(seed, ruleset), steps, seed=steps)
    loaded = Game.from_bytes(game.to_bytes())
    assert same(game, loaded) and game.hash() == loaded.hash() and game.result == loaded.result
    assert same(play(game, 20, seed=9), play(loaded, 20, seed=9))


def test_bytes_of_a_finished_game_round_trip():
    game = finished()
    assert same(game, Game.from_bytes(game.to_bytes()))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_refused(data):
    saved = bytearray(SAVED)
    place = data.draw(st.integers(0, len(saved) - 1))
    saved[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError):
        Game.from_bytes(bytes(saved))


@settings(max_examples=30, deadline=None)
@given(length=st.integers(0, 2000))
def test_truncated_bytes_are_refused(length):
    with pytest.raises(ValueError):
        Game.from_bytes(SAVED[: min(length, len(SAVED) - 1)])


@settings(max_examples=30, deadline=None)
@given(junk=st.binary(max_size=3000))
def test_other_bytes_are_refused(junk):
    for data in (junk, SAVED + junk[:1] + b"x", SAVED[:8] + junk):
        with pytest.raises(ValueError):
            Game.from_bytes(data)


def test_bytes_of_another_version_are_refused():
    header = struct.Struct("<8sH")
    data = header.pack(b"WOTRGAME", 4) + SAVED[header.size :]
    with pytest.raises(ValueError, match="format 4"):
        Game.from_bytes(data)
    data = SAVED[:12] + bytes(8) + SAVED[20:]
    with pytest.raises(ValueError, match="layout"):
        Game.from_bytes(data)


@pytest.mark.parametrize("data", [None, "WOTRGAME", 3, []])
def test_what_is_no_bytes_is_refused(data):
    with pytest.raises(TypeError, match="bytes"):
        Game.from_bytes(data)


def test_a_state_that_breaks_an_invariant_is_refused():
    state = Game(1).state
    state["corruption"] = 99
    with pytest.raises(ValueError, match="(?i)corruption"):
        Game.from_state(state)
    state = Game(1).state
    state["regular"][0, 0] += 1
    with pytest.raises(ValueError):
        Game.from_state(state)


def test_a_state_with_unknown_options_is_refused():
    state = Game(1).state
    state["options"][Option.HUNT_ALLOC_MIN] = 77
    with pytest.raises(ValueError, match="option"):
        Game.from_state(state)


def test_a_position_whose_decision_has_no_answer_is_refused():
    state = Game(1).state
    state["decision"] = Decision.CASUALTY
    with pytest.raises(ValueError):
        Game.from_state(state)


@pytest.mark.parametrize("state", [None, np.zeros(3), np.zeros(2, dtype=STATE), b"x"])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(TypeError, match="STATE"):
        Game.from_state(state)


def test_from_state_goes_on_as_the_game_would():
    game = play(Game(4), 60)
    copy = Game.from_state(game.state)
    assert copy.seed is None and copy.actions == () and copy.ruleset == game.ruleset
    assert copy.legal() == game.legal() and copy.hash() == game.hash()
    assert play(copy, 60, seed=2).hash() == play(game, 60, seed=2).hash()


def test_from_state_can_change_the_rules():
    ruleset = Ruleset.second_edition(max_turns=4, ask_single=True)
    game = Game.from_state(Game(4).state, ruleset=ruleset)
    assert game.ruleset == ruleset and Game.from_bytes(game.to_bytes()).ruleset == ruleset


@pytest.mark.parametrize("ruleset", [Ruleset(), Ruleset.second_edition(), Ruleset(hand_limit=3, max_turns=7)])
def test_the_ruleset_is_read_from_the_state(ruleset):
    assert Game.from_state(Game(0, ruleset).state).ruleset == ruleset


def test_the_tape_is_written_into_the_state():
    game = Game(1)
    assert game.with_tape([1, 2, 3]) is game and game.seed is None
    state = game.state
    assert state["tape"].tolist()[:4] == [1, 2, 3, 0]
    assert (int(state["tape_position"]), int(state["tape_length"])) == (0, 3)
    assert int(game.with_tape([]).state["tape_length"]) == 0


@pytest.mark.parametrize("values", [[0] * (TAPE_SIZE + 1), [128], [-1], [True], [1.5], ["1"], [3, None]])
def test_a_tape_that_does_not_fit_is_refused(values):
    game = Game(1)
    before = game.to_bytes()
    with pytest.raises(ValueError, match="tape"):
        game.with_tape(values)
    assert game.to_bytes() == before


@pytest.mark.parametrize(("tape", "place"), [([9] * 13, 1), ([1, 2, 9], 3)])
def test_an_outcome_that_cannot_be_is_told_with_its_place_and_what_was_needed(tape, place):
    game = Game(seed=1).with_tape(tape)
    with pytest.raises(ValueError) as caught:
        while True:
            action = game.legal()[0]
            game.step(action)
    words = rf"value 9 at place {place} of the tape of {len(tape)} does not fit: "
    dice = (
        r"the step needs \d+ (die|dice) for the actions of the (Free Peoples|Shadow): one of 1, 2, 3, 4, 5, 6"
    )
    assert re.fullmatch(words + dice, str(caught.value))
    with pytest.raises(ValueError, match=words):
        game.trace(action)


def test_an_impossible_chance_outcome_leaves_the_game_unchanged():
    game = Game(1)
    refused = False
    choices = random.Random(0)
    while not refused:
        game.with_tape([127])
        before = game.to_bytes()
        action = choices.choice(game.legal())
        try:
            game.step(action)
        except ValueError as error:
            refused = True
            assert "tape" in str(error) and game.to_bytes() == before


def test_hash_is_stable_hex():
    game = Game(2)
    assert game.hash() == Game(2).hash() and len(game.hash()) == 32
    int(game.hash(), 16)


def test_repr_is_short():
    assert "turn 1" in repr(Game(1)) and "over in turn 1" in repr(finished())


SAVED = play(Game(11), 100).to_bytes()
