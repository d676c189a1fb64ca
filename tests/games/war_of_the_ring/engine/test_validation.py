"""States from outside: the compiled check lets all of play in, and names what is wrong with others."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from tests.random_play import PLAYS, positions, positions_of_partners
from wotr_env import STATE, Game, Ruleset
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Frame, Reason, TurnStage
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.bounds import LEAST, MOST, SLOT_LEAST, SLOT_MOST
from wotr_env.games.war_of_the_ring.engine.validation import check_states, find_faults
from wotr_env.games.war_of_the_ring.rules.battle.battle import MOST_ROUNDS
from wotr_env.games.war_of_the_ring.rules.fellowship import DRAW_TILES
from wotr_env.games.war_of_the_ring.rules.frames import SLOTS
from wotr_env.games.war_of_the_ring.rules.sharing import ShareStage
from wotr_env.games.war_of_the_ring.rules.stack import STAGE
from wotr_env.games.war_of_the_ring.rules.victory import LAST_TURN
from wotr_env.games.war_of_the_ring.state import FRAME_SIZE, MAX_DEPTH


@pytest.mark.parametrize("name", PLAYS)
def test_every_position_of_play_passes(name):
    check_states(positions(name))


@pytest.mark.parametrize("players", [3, 4])
def test_every_position_of_partners_passes(players):
    check_states(positions_of_partners(players))


@functools.cache
def _at_an_action_die() -> np.ndarray:
    game = Game(3)
    while game.decision != Decision.ACTION_DIE:
        game.step(game.legal()[0])
    return np.array([game.state], dtype=STATE)


def position() -> np.ndarray:
    """A position of play at its question for an action die, as ``STATE[1]``."""
    return _at_an_action_die().copy()


def refusal(state: np.ndarray) -> str:
    with pytest.raises(StateError) as caught:
        check_states(state)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", [name for name in STATE.names or () if STATE[name].base == np.int8])
def test_each_number_is_bounded_and_named(name):
    if name == "stack":
        pytest.skip("it is bounded by its slots")
    dtype, at, *_ = (STATE.fields or {})[name]
    for place in {at, at + dtype.itemsize - 1}:
        for value in (int(LEAST[place]) - 1, int(MOST[place]) + 1):
            if -128 <= value <= 127:
                state = position()
                state.view(np.int8)[place] = value
                assert re.match(rf"{name}(\[[\d, ]+\])? is {value}, not from ", refusal(state))


@pytest.mark.parametrize("kind", list(Frame))
def test_each_slot_is_bounded_and_named(kind):
    for slot in range(STAGE, FRAME_SIZE):
        for value in (int(SLOT_LEAST[kind, slot]) - 1, int(SLOT_MOST[kind, slot]) + 1):
            if value <= 127:
                state = position()
                state["depth"] = 2
                state["stack"][0, 1] = SLOT_LEAST[kind]
                state["stack"][0, 1, slot] = value
                words = kind.name.lower().replace("_", " ")
                expected = (
                    rf"stack\[1, {slot}\] is {value}, which cannot be the [\w ]+ of the business {words}$"
                )
                assert re.match(expected, refusal(state))


IMPOSSIBLE = {
    "a figure too many": ("regular", (0, 0), 1, "figures of a nation"),
    "a wrong sum": ("units", (0, 0), 1, "units: they are not the sum"),
    "a double in a deck": ("card_zone", (95,), 0, "deck"),
    "a card of the enemy": (
        "card_zone",
        (95,),
        int(CardZone.HAND),
        "card_zone: a card is where it cannot be",
    ),
    "an unknown place": ("card_zone", (95,), 30, "card_zone: a card is where it cannot be"),
    "a tape of nothing": ("tape_position", (), 3, "tape_position"),
    "a Ring too many": ("rings", (1,), 3, "rings"),
    "a figure nowhere": ("fellowship_region", (), -1, "fellowship_region"),
    "a reason without a winner": ("reason", (), int(Reason.CORRUPTION), "reason"),
    "a third player of two": ("seat", (), 2, "a seat that nobody plays"),
    "a seat of the enemy": ("charge", (0,), 1, "a seat of the other side"),
    "no turn at the bottom": ("stack", (0, 0), int(Frame.GUIDE), "stack"),
    "a turn that never began": ("turn", (), 0, "turn is 0"),
    "a turn limit beyond all": ("max_turns", (), 20_000, "max_turns is 20000"),
    "a character unknown": ("chosen_characters", (), 1 << 14, "chosen_characters is 16384"),
    "a region unknown": ("mixed", (0, 3), 1 << 31, "mixed"),
    "a Settlement unknown": ("taken_by_second", (1,), 1 << 31, "taken_by_second"),
    "a card given away": ("given", (2,), 1 << 31, "given"),
    "a card offered by nobody": ("offered", (), 96, "offered"),
    "a Combat card not played": ("combat_card", (1,), 95, "combat_card"),
    "an enemy's Combat card": ("combat_card", (0,), 95, "combat_card"),
    "figures picked from nowhere": ("chosen_regular", (3,), 1, "chosen_regular"),
    "attackers without a battle": ("party_elite", (3,), 1, "party_regular"),
    "a decision of other business": ("decision", (), int(Decision.CASUALTY), "decision: it is none"),
    "an unknown option": ("options", (4,), 77, r"options\[4\] is 77"),
}


@pytest.mark.parametrize(("field", "place", "value", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_does_not_fit_together_is_refused(field, place, value, message):
    state = position()
    state[field][(0, *place)] = value
    assert re.search(message, refusal(state))


def on_top(state: np.ndarray, kind: Frame, **slots: int) -> np.ndarray:
    """Puts a business on the stack and asks nothing."""
    depth = int(state["depth"][0])
    state["stack"][0, depth] = SLOT_LEAST[kind]
    for name, value in slots.items():
        state["stack"][0, depth, SLOTS[kind][name.upper()]] = value
    state["depth"] = depth + 1
    state["decision"] = Decision.NONE
    return state


STACKS = {
    "two turns": (Frame.TURN, {}, "stack: its bottom is not the turn"),
    "two actions": (Frame.ACTION, {}, "stack: it holds twice"),
    "a leader of the Southrons": (Frame.RECRUIT, {"figure": 23}, "stack: a figure to recruit does not exist"),
    "a hand of nobody": (Frame.HAND_LIMIT, {"seat": 3}, "seat, charge, next_seat"),
    "partners of one player": (Frame.ARMIES_MEET, {"side": 1}, "stack: partners meet"),
    "draws of one player": (Frame.SIDE_DRAWS, {"side": 0}, "stack: partners meet"),
    "an attack without a battle": (Frame.CASUALTIES, {"hits": 1, "scope": 1}, "stack: hits fall on"),
    "a price for no card": (Frame.BUY_OFF, {"card": 60}, "stack: a card to discard from the table"),
    "an event not played": (Frame.EVENT, {"card": 3}, "stack: the card of an event is not in play"),
}


@pytest.mark.parametrize(("kind", "slots", "message"), STACKS.values(), ids=STACKS)
def test_business_that_nobody_has_is_refused(kind, slots, message):
    assert refusal(on_top(position(), kind, **slots)).startswith(message)


def offered_by_the_leader() -> np.ndarray:
    """A position in which the first of two partners has put down the card that he gives, as ``STATE[1]``."""
    game = Game(1, Ruleset(players=4))
    while not game.state["offered"]:
        legal = game.legal()
        wanted = [each for each in legal if ACTION_NAMES[each] == "verb:accept"]
        game.step((wanted or legal)[0])
    assert game.decision == Decision.OFFER_CARD
    return np.array([game.state], dtype=STATE)


def test_a_card_that_is_offered_waits_for_the_partner_alone():
    """Otherwise it could leave the hand from which who imagines worlds takes its giver."""
    state = offered_by_the_leader()
    check_states(state)
    top = state["depth"][0] - 1
    out_of_turn = "offered, stack: partners exchange cards out of turn"
    for stage in range(ShareStage.OVER):
        early = state.copy()
        early["stack"][0, top, STAGE] = stage
        assert refusal(early) == out_of_turn
    for field in ("decision", "offered"):
        other = state.copy()
        other[field] = 0
        assert refusal(other) == out_of_turn
    twice = state.copy()
    twice["stack"][0, top + 1] = twice["stack"][0, top]
    twice["depth"] += 1
    check_states(twice)
    twice["stack"][0, top, STAGE] = ShareStage.PARTNER_GIVES
    assert refusal(twice) == out_of_turn


def test_more_business_than_the_stack_holds_is_an_error_and_no_write():
    """Where the Fellowship is revealed so often, as in no game, there is no room for the Hunt of a tile."""
    state = position()
    while state["depth"][0] < MAX_DEPTH:
        on_top(state, Frame.REVEAL, tiles=1)
    state["stack"][0, MAX_DEPTH - 1, STAGE] = DRAW_TILES
    check_states(state)
    with pytest.raises(StateError, match="more unfinished business"):
        kernel.refresh(state, np.zeros((1, NUM_ACTIONS), dtype=np.bool_))


def test_a_batch_names_the_game():
    states = np.concatenate([position(), position()])
    states["guide"][1] = 12
    assert refusal(states) == "game 1 of the batch: guide is 12, not from 0 to 9"
    assert find_faults(states)[0] == -1


# --- Counters at their ends. ---


def test_the_last_turn_that_can_be_counted_ends_the_game():
    state = Game(1).state
    state["turn"], state["max_turns"] = LAST_TURN, 0
    state["stack"][0, STAGE] = TurnStage.END
    state["decision"] = Decision.NONE
    game = Game.from_state(state)
    assert game.over and game.result is not None
    assert (game.result.reason, game.result.turn) == (Reason.TURN_LIMIT, LAST_TURN)


def test_a_used_up_stream_of_chance_goes_on_with_another():
    first = Game(1).state
    first["counter"] = 2**32 - 1
    game = Game.from_state(first)
    other = Game.from_state(Game(1).state)
    while game.state["counter"] == 2**32 - 1:
        game.step(game.legal()[0])
        other.step(other.legal()[0])
    assert game.state["counter"] < 1000
    assert game.state["key"].tolist() != first["key"].tolist() == other.state["key"].tolist()


def test_the_rounds_of_a_battle_are_not_counted_beyond_their_end():
    states = positions("sieges")
    state = states[states["decision"] == Decision.CEASE][:1].copy()
    state["battle_round"] = MOST_ROUNDS
    game = Game.from_state(state[0])
    game.step(game.action("verb:continue"))
    assert game.state["battle_round"] in (0, MOST_ROUNDS)  # over, or another round
