"""What comes of choices, by playing on from them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from wotr_agents import make_bot
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena import playouts
from wotr_experiments.arena.playouts import (
    after,
    play_to_end,
    playout_results,
    sample_positions,
    sampled_worlds,
)

SHORT = Ruleset(max_turns=3)
KIND = WAR_OF_THE_RING


def at_a_die(states):
    return states["decision"] == Decision.ACTION_DIE


@pytest.fixture(scope="module")
def positions():
    return sample_positions(KIND, make_bot("scripted", 0), 24, SHORT, 5, at_a_die)


def test_positions_are_those_that_are_wanted_one_of_a_game(positions):
    assert len(positions) == 24 == len(set(positions.games))
    assert at_a_die(positions.states).all() and (positions.masks.sum(axis=1) > 1).all()
    assert len(set(positions.states["turn"])) > 1 and len(set(positions.states["seat"])) == 2
    masks = np.zeros_like(positions.masks)
    KIND.kernels.refresh(positions.states.copy(), masks)
    assert (masks == positions.masks).all()
    again = sample_positions(KIND, make_bot("scripted", 0), 24, SHORT, 5, at_a_die)
    assert again.states.tobytes() == positions.states.tobytes()


def test_games_are_played_to_their_ends_and_those_given_stay(positions):
    before, seen = positions.states.tobytes(), []
    winners = play_to_end(KIND, make_bot("scripted", 0), positions.states, lambda *some: seen.append(some[0]))
    assert positions.states.tobytes() == before
    assert (winners != Winner.NONE).all() and len(seen) > 10
    assert all(set(later) <= set(sooner) for sooner, later in itertools.pairwise(seen))


def test_worlds_hide_what_the_seat_does_not_see_and_keep_the_choice(positions):
    worlds = sampled_worlds(KIND, positions.states[:4], 8, 3)
    assert worlds.shape == (4, 8) and len({each.tobytes() for each in worlds[0]}) == 8
    for place, of_one in enumerate(worlds):
        assert (of_one["seat"] == positions.states["seat"][place]).all()
        action = int(np.flatnonzero(positions.masks[place])[-1])
        states, masks = after(KIND, of_one, action)
        assert (masks.any(axis=1) | (states["winner"] != Winner.NONE)).all()


def test_every_choice_has_the_same_worlds_and_dice(positions, monkeypatch):
    bot, legal = make_bot("scripted", 0), [np.flatnonzero(row).tolist() for row in positions.masks]
    twice = [[row[0], row[0], row[-1]] for row in legal]
    found = playout_results(KIND, bot, positions, twice, 6, SHORT, 9)
    assert all(each.shape == (3, 6) and (each[0] == each[1]).all() for each in found)
    monkeypatch.setattr(playouts, "MOST_AT_ONCE", 20)
    done = []
    small = playout_results(KIND, bot, positions, twice, 6, SHORT, 9, done.append)
    assert all((one == other).all() for one, other in zip(found, small, strict=True))
    assert done == [1] * 24


def test_outcomes_are_those_of_who_chooses(positions, monkeypatch):
    choices = [[int(np.flatnonzero(row)[0])] for row in positions.masks]
    for winner in (Winner.SHADOW, Winner.DRAW):
        monkeypatch.setattr(
            playouts, "play_to_end", lambda _kind, _bot, states, winner=winner: np.full(len(states), winner)
        )
        found = playout_results(KIND, make_bot("random", 0), positions, choices, 2, SHORT, 1)
        wanted = 0.5 if winner == Winner.DRAW else positions.states["seat"] == 1
        assert (np.array(found)[:, 0, 0] == wanted).all()
