"""Who learns something by a step: what a choice may be taken back by."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

from tests.random_play import PARTNERS, traced_game
from wotr_env import STATE
from wotr_env.core.codes import MAX_SEED, PUBLIC
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.events import learners
from wotr_env.games.war_of_the_ring.events.types import CardMoved, CardPlace
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.picture import picture

NAMES = ["first", "cards", "cards_second", "options", *PARTNERS]


@pytest.mark.parametrize("seed", [3, 5])  # with Combat cards that the opponent has no card to answer
@pytest.mark.parametrize("name", NAMES)
def test_who_learns_nothing_could_have_known_what_would_follow(name, seed):
    """In every world that the seat thinks possible its choice leads to what it sees in the true one."""
    rng = np.random.default_rng(3)
    compared = 0
    for game, trace in traced_game(name, seed, 200):
        if game.seat in learners(trace):
            continue
        action, seats = trace.actions[0], np.full(2, game.seat)
        worlds = np.array([game.state] * 2, dtype=STATE)
        kernel.sample_worlds(worlds, seats, rng.integers(0, MAX_SEED, 2))
        masks = WAR_OF_THE_RING.masks(worlds)
        assert masks[:, action].all()
        kernel.step(worlds, masks, np.full(2, action))
        assert (observe(worlds, seats) == observe(trace.after, game.seat)).all()
        compared += 2
    assert compared > 100


@pytest.mark.parametrize("name", NAMES)
def test_all_learn_by_chance_and_by_questions_to_others_and_others_by_cards_shown(name):
    counts = collections.Counter()
    for game, trace in itertools.islice(traced_game(name, 4), 400):
        everybody = frozenset(range(len(game.ruleset.seats)))
        told = learners(trace)
        assert told <= everybody
        if any(trace.draws()) or trace.after["seat"] != game.seat:
            assert told == everybody
            counts["chance or others"] += 1
        for event in trace.events():
            if isinstance(event, CardMoved) and event.seen_by(PUBLIC) == event:
                if event.origin == CardPlace.HAND:
                    assert told >= everybody - {event.seat}
                    counts["cards shown"] += 1
        counts["nobody"] += not told
    assert counts["nobody"] > 30
    assert counts["cards shown"] > 0 or name == "options"


def test_dice_are_chosen_and_armies_led_before_anybody_learns():
    quiet = {
        Decision(int(trace.before["decision"]))
        for _, trace in itertools.islice(traced_game("first", 7), 400)
        if not learners(trace)
    }
    assert quiet >= {Decision.ACTION_DIE}


@pytest.mark.parametrize("name", NAMES)
def test_who_has_no_seat_sees_no_hand_and_is_told_of_none(name):
    for game, trace in itertools.islice(traced_game(name, 2), 40):
        shown = picture(game.state, PUBLIC)
        assert all(hand["hand"] is hand["face_down"] is None for hand in shown["hands"].values())
        assert shown["decision"] == ""
        step = WAR_OF_THE_RING.step_of(game.state, trace.actions[0], PUBLIC)
        assert step.events == [event.to_dict() for event in trace.events(PUBLIC)]
        assert not any(
            isinstance(event, CardMoved) and event.card is not None and event.secrecy
            for event in trace.events(PUBLIC)
        )
