"""What the Duel tells of its steps, and to whom a step tells what it could not know."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Tone
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.events import events, learners

NOBODY, BOTH = frozenset(), frozenset({0, 1})


def steps(seeds: range):
    """All positions of random games with the actions taken."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        game = DUEL.game(seed, DUEL.find_ruleset("open" if seed % 2 else ""))
        while game.result is None:
            action = int(rng.choice(game.legal()))
            yield game.state, action
            game.step(action)


def worlds_of(state: np.record, seat: int, number: int = 3) -> np.ndarray:
    worlds = np.array([state] * number, dtype=DUEL.state)
    DUEL.kernels.sample_worlds(worlds, np.full(number, seat), np.arange(number) + 5)
    return worlds


def told(game: Duel, name: str) -> list[str]:
    return [sentence.text for sentence in events(game.state, ACTION_NAMES.index(name), None).sentences]


def who_learns(game: Duel, name: str) -> frozenset[int]:
    return learners(game.state, ACTION_NAMES.index(name))


def test_steps_and_their_bonus_are_told():
    game = Duel().offer("c2-13")
    game.state["ring"][SAURON] = 2
    lines = told(game.refresh(), "play:c2-13")
    assert lines[0] == "play blue c2-13 (2 steps) for 3 coins"
    assert "Sauron: coins 12 to 10" in lines and "Sauron: steps of the ring track 2 to 4" in lines


def test_units_that_meet_and_a_fortress_are_told():
    game = Duel().offer("c3-13").units(FELLOWSHIP, arnor=2).units(SAURON, mordor=1).do("play:c3-13")
    lines = told(game, "place:arnor")
    assert "Fellowship: units in Arnor 2 to 0" in lines and "Sauron: units in Arnor 0 to 1" in lines


def test_the_end_is_told():
    game = Duel().offer("c3-07")
    game.state["ring"][SAURON] = 12
    step = events(game.refresh().state, ACTION_NAMES.index("play:c3-07"), PUBLIC)
    assert step.events[-1] == {"kind": "ended", "winner": "sauron", "reason": "ring_seized"}
    assert step.sentences[-1].tone == Tone.MAJOR


def test_nobody_learns_by_a_choice_within_a_turn_and_both_by_its_end():
    game = Duel().offer("c3-23").units(FELLOWSHIP, rohan=1).units(SAURON, enedwaith=2)
    assert who_learns(game, "play:c3-23") == NOBODY
    game.do("play:c3-23")
    assert who_learns(game, "move:enedwaith:rohan") == NOBODY
    game.do("move:enedwaith:rohan", "move:enedwaith:rohan")
    assert who_learns(game, "move:rohan:mordor") == BOTH


def test_tokens_that_are_looked_at_are_learned_by_both():
    game = Duel().offer("c2-15").own(SAURON, "c1-17")
    assert who_learns(game, "play:c2-15") == BOTH
    assert any(line.startswith("tokens of the elves shown: ") for line in told(game, "play:c2-15"))


def test_who_looks_through_the_discard_learns_alone():
    """Barad-dur lets a card of the discard be played: what was removed is in it."""
    game = Duel(seed=2).offer("c2-01")
    state = game.state
    tile = 6
    at = state["landmark_order"].tolist().index(tile)
    order = state["landmark_order"]
    drawn = int(state["landmarks_drawn"])
    if at >= drawn:
        other = int(order[drawn - 1])
        order[at], order[drawn - 1] = other, tile
        state["landmark"][other], state["landmark"][tile] = 0, 1
    state["coins"] = 15
    assert who_learns(game.refresh(), "landmark:barad-dur") == {SAURON}


def test_every_change_of_what_is_told_is_told():
    """Coins, steps, units and cards turned up add up from the first position to the last."""
    coins, ring, chapter = np.array([3, 2]), np.zeros(2, dtype=int), 1
    for state, action in steps(range(2, 3)):
        for event in events(state, action, None).events:
            if event["kind"] in ("coins", "ring"):
                tally = coins if event["kind"] == "coins" else ring
                side = ("fellowship", "sauron").index(event["side"])
                assert tally[side] == event["before"]
                tally[side] = event["after"]
            chapter = event["number"] if event["kind"] == "chapter" else chapter
        after = DUEL.kernels.after(state, action)
        assert coins.tolist() == after["coins"].tolist() and ring.tolist() == after["ring"].tolist()
        assert chapter == after["chapter"] + 1


@pytest.mark.parametrize("seat", [FELLOWSHIP, SAURON])
def test_who_does_not_learn_sees_the_same_in_every_world(seat):
    """By ``learners``: what comes of the step, what is told, and what the seat sees then."""
    quiet = 0
    for state, action in steps(range(10)):
        if seat in learners(state, action):
            continue
        quiet += 1
        seats = np.array([seat])
        seen = DUEL.kernels.observe(np.array([DUEL.kernels.after(state, action)], dtype=DUEL.state), seats)
        for world in worlds_of(state, seat):
            assert learners(world, action) == learners(state, action)
            assert events(world, action, seat) == events(state, action, seat)
            there = DUEL.kernels.observe(
                np.array([DUEL.kernels.after(world, action)], dtype=DUEL.state), seats
            )
            assert (seen == there).all()
    assert quiet > 50


@pytest.mark.parametrize("viewer", [FELLOWSHIP, SAURON, PUBLIC, None])
def test_what_stays_hidden_changes_nothing_that_is_told(viewer):
    """Cards and landmarks that are still hidden after a step change places before it."""
    changed = 0
    for state, action in steps(range(4)):
        if ACTION_NAMES[action].startswith("revive"):
            continue  # a removed card is named then, which its seat alone knew to be there
        for world in worlds_of(DUEL.kernels.after(state, action), 1 - int(state["seat"]), 2):
            other = state.copy()
            other["deck"], other["landmark_order"] = world["deck"], world["landmark_order"]
            changed += int(other.tobytes() != state.tobytes())
            assert events(other, action, viewer) == events(state, action, viewer)
    assert changed > 100
