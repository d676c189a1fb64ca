"""What an agent of three or four gets is unchanged when all hidden from it is drawn anew (R13.1.3)."""

from __future__ import annotations

import numpy as np
import pytest

import wotr_env
from tests.random_play import positions_of_partners
from wotr_env import Ruleset
from wotr_env.envs.pettingzoo_env import WarOfTheRingAEC
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Winner
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine import kernel

SEATS = [(players, seat) for players in (3, 4) for seat in range(players)]


def worlds(states: np.ndarray, seat: int, seed: int = 0) -> np.ndarray:
    drawn = states.copy()
    kernel.sample_worlds(drawn, np.full(len(states), seat), np.arange(len(states)) + seed)
    return drawn


def environment(players: int, seat: int, mode: str) -> WarOfTheRingAEC:
    rules = Ruleset(players=players)
    env = wotr_env.raw_env(ruleset=rules, viewer=f"{rules.seats[seat].name}_0", render_mode=mode)
    env.reset(seed=1)
    return env


def show(env: WarOfTheRingAEC, state: np.record, seat: int) -> None:
    """Puts a position into the environment; legal actions are worked out for him who decides on them."""
    game = env.game
    game.states[0] = state
    game.masks[:] = False
    if state["seat"] == seat:
        kernel.refresh(game.states, game.masks)
    kernel.observe(game.states, game.states["seat"].astype(np.int64), game.observations)


def test_the_positions_are_those_of_exchanges():
    for players in (3, 4):
        states = positions_of_partners(players)
        given = states["given"].any(axis=1)
        assert given.sum() > 20 and (states["offered"] > 0).sum() >= 2
        assert {Decision.EXCHANGE_CARD, Decision.OFFER_CARD} <= set(states["decision"].tolist())
        assert set(states["seat"][states["winner"] == Winner.NONE].tolist()) == set(range(players))


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_worlds_differ_in_what_is_hidden(players, seat):
    states = positions_of_partners(players)
    drawn = worlds(states, seat)
    zones = (states["card_zone"] != drawn["card_zone"]).sum(axis=1)
    assert (zones > NUM_CARDS // 4).mean() > 0.9
    giving = states[states["offered"] > 0]
    found = np.array([worlds(giving, seat, seed)["offered"] for seed in range(0, 4000, 400)])
    for state, cards in zip(giving, found.T, strict=True):
        giver = state["card_zone"][state["offered"] - 1] - CardZone.HAND
        assert (len(set(cards.tolist())) == 1) == (giver == seat), "another card may be the one offered"


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_observations_and_masks_tell_nothing(players, seat):
    states = positions_of_partners(players)
    drawn = worlds(states, seat)
    env = environment(players, seat, "ansi")
    agent = env.possible_agents[seat]
    for state, world in zip(states, drawn, strict=True):
        show(env, state, seat)
        seen = env.observe(agent)
        show(env, world, seat)
        again = env.observe(agent)
        np.testing.assert_array_equal(again["observation"], seen["observation"])
        np.testing.assert_array_equal(again["action_mask"], seen["action_mask"])
        decides = state["seat"] == seat and state["winner"] == Winner.NONE
        assert seen["action_mask"].any() == decides


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_texts_tell_nothing(players, seat):
    states = positions_of_partners(players)[seat::3]
    env = environment(players, seat, "ansi")
    for state, world in zip(states, worlds(states, seat), strict=True):
        show(env, state, seat)
        text = env.render()
        show(env, world, seat)
        assert env.render() == text


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_pictures_tell_nothing(players, seat):
    states = positions_of_partners(players)
    some = states[np.flatnonzero(states["given"].any(axis=1))[::40]]
    env = environment(players, seat, "rgb_array")
    for state, world in zip(some, worlds(some, seat), strict=True):
        show(env, state, seat)
        image = env.render()
        show(env, world, seat)
        np.testing.assert_array_equal(env.render(), image)
