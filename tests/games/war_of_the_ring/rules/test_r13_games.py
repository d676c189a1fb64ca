"""Random games of three and four players: what must hold after every decision, and that faults are found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, ROHAN, SAURON, Table
from tests.positions import card, play, region
from tests.tools.policies import POLICIES
from wotr_env import STATE, Game, Ruleset
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch, check_invariants

GAMES = 3
STEPS = 5000
TURNS = 8


@pytest.mark.parametrize("policy", ["uniform", "cards"])
@pytest.mark.parametrize("players", [3, 4])
def test_R13_random_games_keep_the_invariants(players, policy):
    """Every seat decides, and partners are asked for what chapter 13 adds."""
    kernel.ensure_compiled()
    ruleset = Ruleset(players=players, max_turns=TURNS)
    states, masks = np.zeros(GAMES, dtype=STATE), np.zeros((GAMES, NUM_ACTIONS), dtype=np.bool_)
    seeds = np.arange(GAMES)
    kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)
    streams, preferences = seeds.copy(), POLICIES[policy].preferences()
    seats, kinds = set(), set()
    for _ in range(STEPS):
        check_batch(states, masks)
        running = states["winner"] == Winner.NONE
        if not running.any():
            break
        seats |= set(states["seat"][running].tolist())
        kinds |= set(states["decision"][running].tolist())
        kernel.random_steps(states, masks, 1, streams, preferences)
    assert not running.any() and seats == set(range(players))
    assert {Decision.EXCHANGE_CARD, Decision.OFFER_CARD, Decision.DRAW_DECK} <= kinds


def at_war(players: int = 4) -> Table:
    return Table(players).at_war(*NATIONS).fellowship("rivendell", companions=["peregrin"])


def broken(game: Game, change: Callable[[np.record], None], message: str) -> None:
    """The position keeps the invariants; once changed it breaks one."""
    check_invariants(game.state)
    state = game.state.copy()
    change(state)
    with pytest.raises(ValueError, match=message):
        check_invariants(state)


def picking() -> Game:
    table = at_war().army("dagorlad", sauron=3, southrons=2).mixed(Side.SHADOW, "dagorlad")
    return table.uses(SAURON, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands")


def test_R13_3_another_than_the_leader_is_found():
    table = Table().hunt_box(0, 1).table("sh-char-16").acts(GONDOR, "character", "event").hunt_box(0, 1)
    game = play(table.game(6), "face:character", "plan:move-fellowship")

    def change(state):
        state.seat = ISENGARD

    assert game.decision == Decision.FLOCKS_OF_CREBAIN
    broken(game, change, "not asked of the leader")


def test_R13_4_1_another_than_whose_turn_it_is_is_found():
    def change(state):
        state.seat = ROHAN

    broken(Table().acts(GONDOR).game(), change, "whose turn it is")


def test_R13_5_1_a_partners_unit_in_the_hand_is_found():
    game = play(picking(), "figure:southrons-regular")

    def part(state):
        state.mixed[:] = 0

    def other(state):
        state.seat = state.next_seat[Side.SHADOW] = ISENGARD
        state.chosen_regular[5] = 1

    broken(game, part, "units of the partner")
    broken(game, other, "units of the partner")


def test_R13_6_1_a_mixed_army_of_one_player_is_found():
    def change(state):
        state.mixed[Side.SHADOW, region("noman-lands") // 32] |= 1 << region("noman-lands") % 32

    broken(picking(), change, "units of one player only")


def test_R13_6_2_a_battle_led_by_the_wrong_player_is_found():
    table = at_war().army("dagorlad", sauron=3).army("north-ithilien", gondor=2, rohan=1)
    table.acts(SAURON, "event", "army army")
    game = table.game(*[1] * 10)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army")

    def change(state):
        state.seat = ISENGARD

    assert game.decision == Decision.CEASE
    broken(game, change, "not its commander's")
    play(game, "verb:continue")

    def defender(state):
        state.seat = ROHAN

    assert game.decision == Decision.RETREAT and game.seat == GONDOR
    broken(game, defender, "not its commander's")


@pytest.mark.parametrize(
    ("players", "name"), [(4, "spent_nations"), (2, "spent_armies"), (2, "mixed"), (2, "given")]
)
def test_R13_what_other_numbers_of_players_have_is_found(players, name):
    def change(state):
        state[name].flat[0] = 1

    broken(Table(players).acts(GONDOR).game(), change, name)


def test_R13_2_2_five_cards_are_found():
    table = Table().hand(ROHAN, *(f"fp-strat-{n:02}" for n in range(1, 5))).hand(GONDOR, "fp-strat-10")

    def change(state):
        state.card_zone[card("fp-strat-10")] = CardZone.HAND + ROHAN

    broken(table.acts(GONDOR).game(), change, "above its limit")
