"""Leak tests: what a seat cannot know changes nothing that it sees, and sampled worlds are fair."""

from __future__ import annotations

import collections
import functools
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.beliefs import write_belief
from tests.hidden_cards import DECK, SIDE, in_hand, is_hidden, middle_of_a_game
from tests.networks import write_network
from tests.positions import Position, play
from tests.random_play import PLAYS, refreshed
from tests.random_play import positions as all_positions
from wotr_agents import BotKind, bot_kinds, make_bot, parse_spec
from wotr_env import STATE, Game, Ruleset, sample_world
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Icon, Phase, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.components import CARD_ICON, NUM_CARDS
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch, check_invariants
from wotr_env.games.war_of_the_ring.observation import as_dict, observe
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_DECKS
from wotr_env.play.bots import ExplainingBot, view_of

HIDDEN_FIELDS = {"card_zone", "combat_card", "key", "counter", "tape", "tape_position", "tape_length"}


@functools.cache
def positions(name: str) -> np.ndarray:
    """Every second position of a play: ``STATE[K]``."""
    return np.ascontiguousarray(all_positions(name)[::2])


@functools.cache
def worlds(name: str, decides: bool) -> np.ndarray:
    """For each position of a play a world of the seat that decides, or of the other: ``STATE[K]``."""
    states = positions(name)
    seats = seats_of(states, decides)
    rng = np.random.default_rng(7)
    found = [sample_world(state, seat, rng) for state, seat in zip(states, seats.tolist(), strict=True)]
    return np.array(found, dtype=STATE)


def seats_of(states: np.ndarray, decides: bool) -> np.ndarray:
    seats = states["seat"].astype(np.int64)
    return seats if decides else 1 - seats


def shuffled(state: np.record, seat: int, rng: np.random.Generator) -> np.record:
    """Another world of a seat, made without ``sample_world``: hidden cards change places in their decks."""
    other = state.copy()
    hidden = is_hidden(state["card_zone"], seat)
    for deck in range(NUM_DECKS):
        places = np.flatnonzero(hidden & (DECK == deck))
        other["card_zone"][places] = state["card_zone"][rng.permutation(places)]
    other["key"] = rng.integers(2**32, size=2)
    other["counter"] = rng.integers(2**32)
    other["tape"] = rng.integers(1, 7, size=other["tape"].size)
    other["tape_position"], other["tape_length"] = 2, 30
    return other


# --- What a seat sees does not depend on what it cannot know. ---


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_a_sampled_world_looks_the_same(name, decides):
    states = positions(name)
    seats = seats_of(states, decides)
    np.testing.assert_array_equal(observe(worlds(name, decides), seats), observe(states, seats))


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_a_sampled_world_has_the_same_decision(name, decides):
    """For the seat that decides also the same actions; the other's actions follow from its hidden hand."""
    before, masks = refreshed(positions(name))
    after, drawn = refreshed(worlds(name, decides))
    assert after.tobytes() == worlds(name, decides).tobytes(), "a world rests at its decision"
    for field in ("decision", "seat", "winner", "depth", "stack"):
        np.testing.assert_array_equal(before[field], after[field])
    running = before["winner"] == Winner.NONE
    assert (drawn.sum(axis=1) >= 1)[running].all()
    if decides:
        np.testing.assert_array_equal(masks, drawn)


@pytest.mark.parametrize("name", PLAYS)
def test_hidden_cards_that_change_places_change_nothing_seen(name):
    rng = np.random.default_rng(3)
    states, masks = refreshed(positions(name))
    seats = seats_of(states, True)
    others = [shuffled(state, seat, rng) for state, seat in zip(states, seats.tolist(), strict=True)]
    others = np.array(others, dtype=STATE)
    assert (others["card_zone"] != states["card_zone"]).any(
        axis=1
    ).mean() > 0.8  # late in a game no card may be hidden
    observations = observe(states, seats)
    np.testing.assert_array_equal(observe(others, seats), observations)
    after, other_masks = refreshed(others)
    assert after.tobytes() == others.tobytes()
    np.testing.assert_array_equal(other_masks, masks)


def test_hidden_cards_that_change_places_change_no_action_of_a_fair_bot(tmp_path):
    """Also if the bot asks for worlds: they are drawn from what its seat knows."""
    rng = np.random.default_rng(4)
    some = [bytes_of(positions(name))[::45] for name in PLAYS]
    states, masks = refreshed(np.concatenate(some).reshape(-1).view(STATE))
    running = states["winner"] == Winner.NONE
    states, masks = copy_states(states, running), masks[running]
    assert len(states) > 100
    others = np.array([shuffled(state, int(state["seat"]), rng) for state in states], dtype=STATE)
    for kind in fair_bots(tmp_path):
        actions = [make_bot(kind, seed=5).act(view_of(seen, masks)) for seen in (states, others)]
        np.testing.assert_array_equal(*actions, f"bot {kind}")


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", ("first", "cards", "cards_second"))
def test_a_world_depends_on_nothing_hidden(name, decides):
    """The same generator draws the same world from any world of a seat.

    Else a bot that knows its generator could undo the draw and read the other hand.
    """
    states, others = positions(name)[::3], worlds(name, decides)[::3]
    seats = seats_of(states, decides).tolist()
    for number, (state, other, seat) in enumerate(zip(states, others, seats, strict=True)):
        one, same = (sample_world(seen, seat, np.random.default_rng(number)) for seen in (state, other))
        assert one.tobytes() == same.tobytes(), f"position {number}"


PROGRAM = Path(__file__).parents[3] / "naughty_program.py"
"""Its choices change with whatever it is told."""
QUICK = {"mcts": "mcts:sims=5,worlds=2,rollout=none", "expectation": "expectation:worlds=1"}


NETWORK_BOTS = {
    "net": "temperature=0",
    "search": "sims=5,worlds=2",
    "playouts": "playouts=6,actions=2,turns=1,every=true",
}


def fair_bots(folder: Path) -> list[str]:
    """The specs of the registered bots, those that search with little effort, some with a belief too."""
    network = write_network(folder)
    program = {"stdio": f"stdio:{sys.executable} {PROGRAM} all"}
    specs = QUICK | program | {name: f"{name}:{network},{rest}" for name, rest in NETWORK_BOTS.items()}
    believing = [f"{specs[name]},belief={write_belief(folder)}" for name in ("mcts", "search", "playouts")]
    return [*(specs.get(name, name) for name in bot_kinds()), *believing]


@pytest.mark.parametrize("name", ("first", "cards_second"))
def test_every_bot_of_ours_explains_itself_and_by_nothing_hidden(name, tmp_path):
    """Legal actions, none twice, with values that its kind has words for."""
    rng = np.random.default_rng(9)
    states, masks = refreshed(positions(name)[::20])
    running = states["winner"] == Winner.NONE
    states, masks = states[running].copy(), masks[running].copy()
    others = np.array([shuffled(state, int(state["seat"]), rng) for state in states], dtype=STATE)
    for spec in fair_bots(tmp_path):
        kind, _ = parse_spec(spec)
        if kind.starts_program:
            continue
        assert kind.values != BotKind.values, f"bot {spec} has no words for its values"
        bots = [make_bot(spec, seed=5) for _ in range(2)]
        assert all(isinstance(bot, ExplainingBot) for bot in bots), f"bot {spec}"
        told = [bot.explain(view_of(seen, masks)) for bot, seen in zip(bots, (states, others), strict=True)]
        assert told[0] == told[1], f"bot {spec}"
        for row, mask in zip(told[0], masks, strict=True):
            actions = [action for action, _ in row]
            assert actions and mask[actions].all() and len(set(actions)) == len(actions), f"bot {spec}"
            assert all(type(value) is float and np.isfinite(value) for _, value in row), f"bot {spec}"


def test_there_are_fair_bots(tmp_path):
    assert "random" in fair_bots(tmp_path)


# --- What is not hidden stays. ---


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_only_hidden_things_are_drawn_anew(name, decides):
    states, drawn = positions(name), worlds(name, decides)
    for field in set(STATE.names) - HIDDEN_FIELDS:
        np.testing.assert_array_equal(drawn[field], states[field], field)
    assert not drawn["tape"].any() and not drawn["tape_length"].any()
    seats = seats_of(states, decides)[:, None]
    zones = states["card_zone"]
    other = SIDE[None, :] != seats
    known = ~((zones < CardZone.HAND) | (other & np.isin(zones & ~1, _ANOTHERS)))
    np.testing.assert_array_equal(drawn["card_zone"][known], zones[known])
    assert ((drawn["card_zone"] < CardZone.HAND) | (zones >= CardZone.HAND) | ~known).all()


_ANOTHERS = [int(zone) for zone in (CardZone.HAND, CardZone.FACE_DOWN, CardZone.COMMITTED)]


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_every_deck_keeps_its_places(name, decides):
    """As many cards of each back in each place; a committed card whose back is not seen may have another."""
    states, drawn = positions(name), worlds(name, decides)
    before, after = (_places(array["card_zone"]) for array in (states, drawn))
    seats = seats_of(states, decides)
    hidden_back = states["options"][:, Option.COMBAT_CARD_BACK_VISIBLE] == 0
    theirs = (states["card_zone"] == (CardZone.COMMITTED + 1 - seats)[:, None]).any(axis=1)
    unsure = hidden_back & theirs
    np.testing.assert_array_equal(after[~unsure], before[~unsure])
    held = [_places(in_hand(array["card_zone"])) for array in (states[unsure], drawn[unsure])]
    np.testing.assert_array_equal(*held)
    np.testing.assert_array_equal(after.sum(axis=1), before.sum(axis=1))


def _places(zones: np.ndarray) -> np.ndarray:
    """How many cards of each deck are in each zone: (N, 4, 96)."""
    decks = zones.reshape(-1, NUM_DECKS, CARDS_PER_DECK)
    return (decks[:, :, :, None] == np.arange(96)).sum(axis=2)


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_the_combat_card_is_the_one_that_lies_there(name, decides):
    drawn = worlds(name, decides)
    for side in Side:
        committed = drawn["card_zone"] == CardZone.COMMITTED + side
        assert (committed.sum(axis=1) <= 1).all()
        there = committed.any(axis=1)
        np.testing.assert_array_equal(committed.argmax(axis=1)[there], drawn["combat_card"][there, side])
        np.testing.assert_array_equal(
            drawn["combat_card"][~there, side], positions(name)["combat_card"][~there, side]
        )


@pytest.mark.parametrize("decides", (True, False))
@pytest.mark.parametrize("name", PLAYS)
def test_worlds_keep_the_invariants_and_can_be_played_on(name, decides):
    states, masks = refreshed(worlds(name, decides))
    check_batch(states, masks)
    some = np.arange(0, states.size, 9)
    states, masks = states[some].copy(), masks[some].copy()
    kernel.random_steps(
        states, masks, 200_000, np.arange(some.size), np.zeros((2, masks.shape[1]), dtype=np.int8)
    )
    assert (states["winner"] != Winner.NONE).all()
    check_batch(states, masks)


def test_a_world_is_a_state_to_make_a_game_of():
    game = Game.from_state(positions("cards")[40])
    rng = np.random.default_rng(1)
    world = sample_world(game.state, game.seat, rng)
    check_invariants(world)
    other = Game.from_state(world)
    assert other.legal() == game.legal() and other.decision == game.decision
    assert other.ruleset == game.ruleset and (other.observe() == game.observe()).all()


# --- Calls. ---


def test_the_world_differs_and_the_state_stays():
    differ = collections.Counter()
    for state in positions("first")[::7]:
        before = state.tobytes()
        for seat in range(2):
            world = sample_world(state, seat, np.random.default_rng(3))
            assert state.tobytes() == before and world.tobytes() != before
            differ[seat] += (world["card_zone"] != state["card_zone"]).any()
            own = (state["card_zone"] == CardZone.HAND + seat) | (
                state["card_zone"] == CardZone.FACE_DOWN + seat
            )
            np.testing.assert_array_equal(world["card_zone"][own], state["card_zone"][own])
    assert min(differ.values()) > 0.75 * len(positions("first")[::7])


def test_the_same_generator_gives_the_same_world():
    state = middle_of_a_game().state
    for seat in range(2):
        one, same, other = (sample_world(state, seat, np.random.default_rng(seed)) for seed in (4, 4, 5))
        assert one.tobytes() == same.tobytes() != other.tobytes()
    rng = np.random.default_rng(4)
    assert sample_world(state, 1, rng).tobytes() != sample_world(state, 1, rng).tobytes()


def test_a_world_is_a_record_of_its_own():
    state = middle_of_a_game().state
    world = sample_world(state, 1, np.random.default_rng(1))
    assert world.dtype == STATE and world.shape == ()
    another = sample_world(state, 1, np.random.default_rng(2)).tobytes()
    world["corruption"] = 11
    assert state["corruption"] != 11
    assert sample_world(state, 1, np.random.default_rng(2)).tobytes() == another


@pytest.mark.parametrize("as_array", (False, True))
def test_a_state_may_be_a_record_or_an_array_of_one(as_array):
    state = middle_of_a_game().state
    given = np.array([state], dtype=STATE) if as_array else state
    assert sample_world(given, 0, np.random.default_rng(1)).dtype == STATE


@pytest.mark.parametrize("seat", (2, -1, None, 0.0, True, [0, 1]))
def test_there_are_two_seats(seat):
    with pytest.raises(ValueError, match="seat") as error:
        sample_world(Game(1).state, seat, np.random.default_rng(1))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("state", (None, 3, np.zeros(1), np.zeros(2, dtype=STATE), {}))
def test_a_state_is_one_record(state):
    with pytest.raises(ValueError, match="state") as error:
        sample_world(state, 0, np.random.default_rng(1))
    assert "\n" not in str(error.value)


def test_a_finished_game_has_worlds_too():
    over = next(state for state in positions("first") if state["winner"] != Winner.NONE)
    for seat in range(2):
        world = sample_world(over, seat, np.random.default_rng(1))
        assert observe(world, seat).tobytes() == observe(over, seat).tobytes()
        assert Game.from_state(world).over


def test_a_hand_that_must_hold_certain_cards():
    """The Shadow has to pay for a table card with an Army card of its hand (R6.5.3): worlds have one."""
    position = Position(Ruleset(ask_single=True), setup=True)
    position.hand(Side.SHADOW, "sh-strat-01", "sh-char-01").table("fp-strat-02")
    position.dice("", "army", acting=Side.SHADOW)
    game = play(position.game(), "face:army", "plan:buy-off", "card:fp-strat-02")
    assert game.decision == Decision.BUY_OFF_COST
    for seed in range(50):
        world = sample_world(game.state, Side.FREE_PEOPLES, np.random.default_rng(seed))
        payments = Game.from_state(world).legal()
        assert len(payments) == 1 and CARD_ICON[payments[0] - Block.CARD] == Icon.ARMY


def test_a_world_leaves_as_many_answers_as_a_decision_needs():
    """Unless decisions with one legal action are asked, the other seat has two."""
    for name in ("first", "second", "osgiliath"):
        states, masks = refreshed(worlds(name, False))
        assert (masks.sum(axis=1)[states["winner"] == Winner.NONE] >= 2).all()


def test_decks_drawn_to_the_end_leave_one_order():
    """With all cards of the opponent public nothing but chance is left to draw."""
    position = Position(Ruleset(ask_single=True), setup=True)
    position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    position.state["card_zone"][:] = CardZone.DISCARD
    position.state["deck_size"][:] = 0
    state = position.game().state
    world = sample_world(state, 0, np.random.default_rng(1))
    np.testing.assert_array_equal(world["card_zone"], state["card_zone"])
    assert as_dict(observe(world, 0))["gone"].sum() == NUM_CARDS
