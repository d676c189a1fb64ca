"""A turn limit: the option ``max_turns`` of every game that counts turns (R12.7, D10.2, TT7.4)."""

from __future__ import annotations

import dataclasses

import gymnasium
import numpy as np
import pettingzoo
import pytest

from tests.toy_games import HUNT
from wotr_env.core.states import layout_of
from wotr_env.core.vector import VectorGame
from wotr_env.envs.kind_game import with_turn_limit
from wotr_env.play.game_checks import check_game
from wotr_env.play.games import OWN_GAMES, game_kind

COUNTED = ("duel", "two-towers")


def played(kind, ruleset, games=32):
    """Games played at random to their ends."""
    batch = kind.games(games, 1, ruleset, auto_reset=False)
    while not batch.terminated.all():
        batch.random_steps(8)
    return batch


@pytest.mark.parametrize("name", OWN_GAMES)
def test_a_limit_ends_every_game(name):
    kind = game_kind(name)
    ruleset = kind.limited(kind.find_ruleset(), 2)
    batch = played(kind, ruleset)
    assert (batch.end_records["turn"] <= 2).all() and (batch.end_records["reason"] > 0).all()
    assert kind.turn_limit(ruleset) == 2 and kind.ruleset.of(batch.states[0]) == ruleset
    assert kind.turn_limit(kind.limited(ruleset, 0)) == 0


@pytest.mark.parametrize("name", COUNTED)
def test_games_with_a_limit_pass_all_checks(name):
    kind = game_kind(name)
    check_game(kind, kind.limited(kind.find_ruleset(), 12), games=3)


@pytest.mark.parametrize("name", COUNTED)
def test_a_limit_that_is_not_reached_changes_nothing(name):
    kind = game_kind(name)
    free, limited = (played(kind, kind.limited(kind.find_ruleset(), limit), 8) for limit in (0, 127))
    assert free.end_records.tobytes() == limited.end_records.tobytes()
    assert (limited.states["max_turns"] == 127).all() and not free.states["max_turns"].any()


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("limit", [-1, 128, True, 1.0])
def test_a_limit_out_of_range_is_refused(name, limit):
    with pytest.raises(ValueError, match="max_turns must be an integer from 0 to 127"):
        dataclasses.replace(game_kind(name).find_ruleset(), max_turns=limit)


def test_a_limit_of_a_game_without_turns_is_refused():
    ruleset = HUNT.find_ruleset()
    assert HUNT.with_turn_limit(ruleset, 0) == HUNT.limited(ruleset, 3) == ruleset
    with pytest.raises(ValueError, match=f"{HUNT.title} has no turn limit"):
        HUNT.with_turn_limit(ruleset, 3)


@pytest.mark.parametrize("name", OWN_GAMES)
def test_environments_of_every_game_take_a_limit(name):
    kind = game_kind(name)
    assert kind.turn_limit(with_turn_limit(kind, None, 3)) == 3


def test_environments_end_at_the_limit():
    agents = pettingzoo.make("aec", "lotr_duel-v0", max_turns=3)
    agents.reset(seed=1)
    turns = 0
    for agent in agents.agent_iter():
        observation, _, over, cut, _ = agents.last()
        mask = observation["action_mask"]
        turns += not (over or cut)
        agents.step(None if over or cut else agents.action_space(agent).sample(mask))
    assert turns >= 3 and agents.unwrapped.game.state["turn"] == 3
    many = gymnasium.make_vec("LotrDuel-v0", num_envs=2, max_turns=4)
    assert many.unwrapped.ruleset.max_turns == 4
    many.close()


@pytest.mark.parametrize("name", COUNTED)
def test_states_of_before_have_the_same_layout(name):
    kind = game_kind(name)
    fields = [(field, *rest) for field, *rest in kind.state.descr if field != "max_turns"]
    before = np.dtype([("turn", "<i2") if field == "turn" else (field, *rest) for field, *rest in fields])
    assert layout_of(before) == layout_of(kind.state)
    states = VectorGame(kind, 4, 1, kind.find_ruleset()).states
    assert (states.view(before)["turn"] == states["turn"]).all()
