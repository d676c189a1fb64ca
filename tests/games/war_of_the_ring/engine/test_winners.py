"""The winners inside a shared side: what Python reads from a state is what the rules find (R13.8)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.random_play import positions, positions_of_partners
from wotr_env import Game, GameRecord, Result, Ruleset
from wotr_env.games.war_of_the_ring.codes import Reason, Settlement, Side, Winner
from wotr_env.games.war_of_the_ring.components import (
    NUM_SETTLEMENTS,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
)
from wotr_env.games.war_of_the_ring.observation import as_dict, observe
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.winners import winning_partners

PARTNERS = {3: {1: 2, 2: 1}, 4: {0: 3, 1: 2, 2: 1, 3: 0}}
"""By the number of players."""


def captured(players: int) -> np.ndarray:
    """Random positions in which any Settlement may be the enemy's, taken by either partner."""
    states = positions_of_partners(players)[::3].copy()
    generator = np.random.default_rng(players)
    for state in states:
        home = REGION_SIDE[SETTLEMENT_REGIONS]
        taken = (generator.random(NUM_SETTLEMENTS) < 0.3) & (home >= 0)
        state["control"][taken] = 1 - home[taken]
        state["taken_by_second"][:] = generator.integers(0, 2**32, 2, dtype=np.uint32)
    return states


@pytest.mark.parametrize("players", PARTNERS)
@pytest.mark.parametrize("winner", [Winner.FREE_PEOPLES, Winner.SHADOW, Winner.DRAW, Winner.NONE])
def test_r13_8_1_the_winners_are_those_of_the_kernel(players, winner):
    states = captured(players)
    states["winner"] = winner
    places = as_dict(observe(states, 0))["places_won"]
    found = winning_partners(states)
    for seat in range(4):
        partner = PARTNERS[players].get(seat)
        wins = partner is not None and SEAT_SIDE[seat] == winner
        better = places[:, seat] >= places[:, partner] if wins else np.zeros(len(states), dtype=bool)
        np.testing.assert_array_equal(found[:, seat], better)
    if winner in tuple(Side) and winner in PARTNERS[players]:
        both = (winner, PARTNERS[players][winner])
        assert {tuple(row) for row in found[:, both].tolist()} == {(True, True), (True, False), (False, True)}


def test_two_players_are_no_partners():
    states = positions("first")[::40].copy()
    states["winner"] = Winner.SHADOW
    assert not winning_partners(states).any()


def ended(players: int, winner: Winner, reason: Reason) -> np.record:
    """The end, by hand, of a game in which the second Shadow player has taken a City."""
    state = Game(2, Ruleset(players=players)).state
    city = (SETTLEMENT[SETTLEMENT_REGIONS] == Settlement.CITY) & (REGION_SIDE[SETTLEMENT_REGIONS] == 0)
    place = int(np.flatnonzero(city)[0])
    state["control"][place] = Side.SHADOW
    state["taken_by_second"][place // 32] |= 1 << place % 32
    state["winner"], state["reason"] = winner, reason
    return state


@pytest.mark.parametrize(
    ("players", "winner", "partners", "seats"),
    [
        (2, Winner.SHADOW, (), (1,)),
        (2, Winner.DRAW, (), ()),
        (3, Winner.FREE_PEOPLES, (), (0,)),
        (3, Winner.SHADOW, (2,), (2,)),
        (4, Winner.SHADOW, (2,), (2,)),
        (4, Winner.DRAW, (), ()),
    ],
)
def test_a_result_tells_who_wins(players, winner, partners, seats):
    reason = Reason.TURN_LIMIT if winner == Winner.DRAW else Reason.CORRUPTION
    result = Result.of(ended(players, winner, reason))
    assert (result.winning_partners, result.seats) == (partners, seats)
    values = result.to_dict()
    assert values.get("winning_partners", []) == list(partners)
    assert ("winning_partners" in values) == bool(partners)
    assert Result.from_dict(values) == result


@pytest.mark.parametrize("players", PARTNERS)
def test_records_of_partners_are_verified(players):
    generator = np.random.default_rng(4)
    game = Game(5, Ruleset(players=players, max_turns=1))
    while not game.over:
        game.step(int(generator.choice(game.legal())))
    record = GameRecord.from_game(game, tuple("abcd"[:players]))
    assert GameRecord.from_json(record.to_json()).verify().result == game.result
