"""What a partner holds is hidden like what an opponent holds: observations and worlds of four seats."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hidden_cards import DECK, SIDE
from tests.random_play import positions
from wotr_env.games.war_of_the_ring.codes import CardZone, Side
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.state import NUM_DECKS, NUM_SEATS

ALL = range(NUM_SEATS)
PARTNER = {0: 3, 1: 2, 2: 1, 3: 0}
OWN = (CardZone.HAND, CardZone.FACE_DOWN, CardZone.COMMITTED)


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    """Positions in which every other card of a hand, or lying face down, is the partner's."""
    found = positions("cards_second").copy()
    found = found[found["combat_card"].max(axis=1) < 0][::7].copy()
    for state in found:
        zones = state["card_zone"]
        for side in Side:
            for zone in (CardZone.HAND, CardZone.FACE_DOWN):
                cards = np.flatnonzero(zones == zone + side)
                zones[cards[1::2]] = zone + PARTNER[int(side)]
    assert len(found) > 20
    assert all((found["card_zone"] == CardZone.HAND + seat).any() for seat in ALL)
    return found


def world(states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    drawn = states.copy()
    seats = np.full(len(states), seat)
    kernel.sample_worlds(drawn, seats, np.arange(len(states)) + seed)
    return drawn


def seen(states: np.ndarray, seat: int) -> np.ndarray:
    out = np.zeros((len(states), OBSERVATION_SIZE), dtype=np.int8)
    kernel.observe(states, np.full(len(states), seat), out)
    return out


def test_r13_1_1_partners_are_of_one_side():
    assert SEAT_SIDE.tolist() == [Side.FREE_PEOPLES, Side.SHADOW, Side.SHADOW, Side.FREE_PEOPLES]
    assert all(SEAT_SIDE[seat] == SEAT_SIDE[PARTNER[seat]] for seat in ALL)


@pytest.mark.parametrize("seat", ALL)
def test_r13_1_3_a_world_keeps_what_the_seat_knows(states, seat):
    drawn = world(states, seat, 5)
    own = [zone + seat for zone in OWN]
    known = np.isin(states["card_zone"], [*own, CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY])
    assert (drawn["card_zone"][known] == states["card_zone"][known]).all()
    assert (drawn["deck_size"] == states["deck_size"]).all()
    for deck in range(NUM_DECKS):
        before, after = (np.sort(each["card_zone"][:, deck == DECK]) for each in (states, drawn))
        assert (before == after).all(), "every place of a deck has a card as before"


@pytest.mark.parametrize("seat", ALL)
def test_r13_1_3_the_hand_of_a_partner_is_drawn_anew(states, seat):
    partners = CardZone.HAND + PARTNER[seat]
    held = np.array([world(states, seat, seed)["card_zone"] == partners for seed in range(12)])
    assert (held.any(axis=0) & ~held.all(axis=0)).any(), "not always the same cards"
    assert not held[:, :, SIDE != SEAT_SIDE[seat]].any()


@pytest.mark.parametrize("seat", ALL)
def test_r13_1_3_nobody_sees_the_hand_of_a_partner(states, seat):
    assert (seen(world(states, seat, 3), seat) == seen(states, seat)).all()


@pytest.mark.parametrize("seat", ALL)
def test_a_seat_sees_its_own_hand(states, seat):
    """Cards that partners exchange are seen by both of them, and by nobody else."""
    other = states.copy()
    for state in other:
        zones = state["card_zone"]
        for deck in range(NUM_DECKS):
            mine = np.flatnonzero((zones == CardZone.HAND + seat) & (DECK == deck))
            theirs = np.flatnonzero((zones == CardZone.HAND + PARTNER[seat]) & (DECK == deck))
            if len(mine) and len(theirs):
                zones[mine[0]], zones[theirs[0]] = CardZone.HAND + PARTNER[seat], CardZone.HAND + seat
    changed = (other["card_zone"] != states["card_zone"]).any(axis=1)
    assert changed.any()
    for each in ALL:
        differs = (seen(other, each) != seen(states, each)).any(axis=1)
        assert (differs == (changed & (each in (seat, PARTNER[seat])))).all()


@pytest.mark.parametrize("seat", ALL)
def test_r7_9_2_a_committed_card_is_hidden_from_all_but_its_seat(seat):
    found = positions("first")
    there = found["combat_card"] >= 0
    zones = np.where(there, np.take_along_axis(found["card_zone"], np.maximum(found["combat_card"], 0), 1), 0)
    face_down = (zones == CardZone.COMMITTED) | (zones == CardZone.COMMITTED + 1)
    some = found[face_down.any(axis=1)][:40].copy()
    assert len(some)
    drawn = world(some, seat, 2)
    assert (seen(drawn, seat) == seen(some, seat)).all()
    for side in Side:
        lying = face_down[face_down.any(axis=1)][:40, side]
        same = drawn["combat_card"][lying, side] == some["combat_card"][lying, side]
        assert same.all() if seat == side else not same.all()
