"""What a seat is told of a step: nothing that it may not know."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from tests.random_play import PARTNERS, traced_game
from wotr_env import STATE, sample_world
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    Decision,
    Roll,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, NUM_CARDS
from wotr_env.games.war_of_the_ring.events import trace_of
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Secrecy
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.given_chance import with_tape
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.rules.seats import PARTNER
from wotr_env.games.war_of_the_ring.seating import is_shared, side_of
from wotr_env.games.war_of_the_ring.words.events import tell


def swapped(state, viewer, rng):
    """The position with what other seats hold, and how their decks lie, drawn anew."""
    world = sample_world(state, viewer, rng)
    if is_shared(state, side_of(viewer)):
        return world  # the partner's hand is drawn anew from the own decks
    own = slice(viewer * NUM_CARDS // 2, (viewer + 1) * NUM_CARDS // 2)
    world["card_zone"][own] = state["card_zone"][own]
    return world


@pytest.mark.parametrize("name", ["first", "cards", "cards_second", "options", *PARTNERS])
def test_what_is_hidden_from_a_seat_does_not_change_what_it_is_told(name):
    """One step in two worlds that a seat cannot tell apart, before or after it: the same events and words."""
    rng = np.random.default_rng(5)
    compared = collections.Counter()
    for game, trace in traced_game(name, 5, 100):
        draws = [row for _, row in trace.draws()]
        if len(draws) > 30 or any(row[0] == Roll.CARD for row in draws):
            continue
        tape, action = [row[2] for row in draws], trace.actions[0]
        viewers = range(len(game.ruleset.seats))
        worlds = np.array([swapped(game.state, viewer, rng) for viewer in viewers], dtype=STATE)
        legal = WAR_OF_THE_RING.masks(worlds)[:, action]
        for viewer in np.flatnonzero(legal).tolist():
            other = trace_of(with_tape(worlds[viewer], tape), action)
            if not np.array_equal(observe(trace.after, viewer), observe(other.after, viewer)):
                continue
            assert trace.events(viewer) == other.events(viewer)
            assert tell(trace, viewer) == tell(other, viewer)
            for event, shown in zip(trace.events(), trace.events(viewer), strict=False):
                compared[event != shown] += 1
    assert compared[False] > 100
    assert compared[True] > 20


def test_a_hidden_choice_is_masked_or_left_out():
    drawn = ev.CardMoved(1, 50, 2, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    assert drawn.seen_by(1) is drawn
    assert drawn.seen_by(0) == ev.CardMoved(1, None, 2, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    laid = ev.CardMoved(1, 50, 2, CardPlace.HAND, CardPlace.COMMITTED, False, Secrecy.FACT)
    assert laid.seen_by(0).deck is None
    action = Block.CARD + 50
    committed = ev.Decided(1, Decision.COMBAT_CARD, action, True, Secrecy.FACT)
    assert committed.seen_by(0) == ev.Decided(1, Decision.COMBAT_CARD, None, None, Secrecy.FACT)
    declined = ev.Decided(1, Decision.COMBAT_CARD, Block.VERB + Verb.DECLINE, False, Secrecy.SECRET)
    assert declined.seen_by(0) is None
    assert declined.seen_by(1) is declined


def test_a_partner_sees_no_more_than_an_opponent():
    given = ev.CardGiven(0, 3, 5, 0)
    assert given.seen_by(0) is given.seen_by(3) is given
    assert given.seen_by(1) == given.seen_by(2) == ev.CardGiven(0, 3, None, 0)
    offered = ev.Decided(0, Decision.OFFER_CARD, Block.CARD + 5, False, Secrecy.FACT)
    assert offered.seen_by(3) == offered.seen_by(1)
    assert offered.seen_by(3) == ev.Decided(0, Decision.OFFER_CARD, None, None, Secrecy.FACT)
    drawn = ev.CardMoved(0, 5, 0, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    assert drawn.seen_by(3) == drawn.seen_by(2)


def test_what_partners_exchange_is_hidden_until_both_have_given():
    """In a game of four: who gives tells the partner nothing, and then both see both cards."""
    met = set()
    for game, trace in traced_game("four", 3, 1500, Decision.OFFER_CARD):
        giver, partner = game.seat, int(PARTNER[2, game.seat])
        others = [seat for seat in range(4) if seat not in (giver, partner)]
        exchanged = [event for event in trace.events() if isinstance(event, ev.CardGiven)]
        name = CARD_NAMES[trace.actions[0] - Block.CARD]
        told = {seat: " ".join(sentence.text for sentence in tell(trace, seat)) for seat in range(4)}
        assert name in told[giver]
        assert (name in told[partner]) == bool(exchanged)
        assert not any(CARD_NAMES[event.card] in told[seat] for event in exchanged for seat in others)
        met.add(len(exchanged))
    assert met == {0, 2}
