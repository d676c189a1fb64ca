"""The tree search over sampled worlds, and its bot."""

from __future__ import annotations

import numpy as np
import pytest

from tests.searches import WOUND, Clock, one_game, some_games, wound
from wotr_agents import BotError, make_bot
from wotr_agents.compiled import ensure_searches
from wotr_agents.search import mcts
from wotr_agents.search.search import Search
from wotr_agents.search.simulations import Rollout, SearchSettings
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.check_bot import check_bot

QUICK = "mcts:sims=60,worlds=4,depth=5"


def search(states, masks, **settings):
    ensure_searches()
    worlds = view_of(states, masks).worlds(4, np.random.default_rng(1))
    return Search(SearchSettings(**settings), worlds[0], seed=5)


@pytest.mark.parametrize("rollout", list(Rollout))
def test_visits_add_up_to_the_simulations(rollout):
    states, masks = some_games(1)
    found = search(states, masks, rollout=rollout, depth=5).run(40).run(23).children()
    assert sum(visits for _, visits, _ in found) == 63
    assert all(masks[0, action] and 0 <= value <= 1 for action, _, value in found)
    assert len({action for action, _, _ in found}) == len(found)


def test_a_search_in_parts_is_the_same_as_in_one():
    states, masks = some_games(1)
    parts = search(states, masks, depth=5).run(10).run(50)
    assert parts.children() == search(states, masks, depth=5).run(60).children()


def test_rollouts_to_the_end_are_won_or_lost():
    states, masks = some_games(1)
    found = search(states, masks, depth=1_000_000).run(8).children()
    wins = sum(visits * value for _, visits, value in found)
    assert wins == pytest.approx(round(wins))


@pytest.mark.parametrize("spec", ["mcts:sims=100,depth=20", "mcts:sims=100,rollout=none"])
def test_a_win_at_once_is_found(spec):
    view = view_of(*one_game(wound()))
    (action, chance), *_ = make_bot(spec, 1).explain(view)[0]
    assert (ACTION_NAMES[action], chance) == (f"card:{WOUND}", 1.0)
    assert make_bot(spec, 1).act(view)[0] == action


def test_actions_are_legal_and_follow_from_the_seed():
    view = view_of(*some_games())
    actions = choose(make_bot(QUICK, 3), view, QUICK)
    np.testing.assert_array_equal(actions, make_bot(QUICK, 3).act(view))
    np.testing.assert_array_equal(actions, make_bot(QUICK + ",threads=3", 3).act(view))


def test_a_search_that_ends_early_chooses_as_a_whole_one(monkeypatch):
    view = view_of(*some_games())
    early, whole = make_bot("mcts:sims=300,depth=5", 3), make_bot("mcts:sims=300,depth=5", 3)
    actions = early.act(view)
    monkeypatch.setattr(mcts, "_CHUNK", 300)
    np.testing.assert_array_equal(actions, whole.act(view))
    assert early.simulations < whole.simulations == 300 * len(view.seats)


def test_trees_of_one_decision_are_put_together():
    view = view_of(*some_games(1))
    bot = make_bot("mcts:sims=90,depth=5,threads=3", 3)
    assert view.masks[0, bot.act(view)[0]]
    assert 3 < bot.simulations <= 90


def test_a_time_limit_ends_a_search(monkeypatch):
    monkeypatch.setattr(mcts, "time", Clock(0.01))
    view = view_of(*some_games(2))
    bot = make_bot("mcts:sims=100000,time=0.05", 1)
    assert view.masks[np.arange(2), bot.act(view)].all()
    assert 0 < bot.simulations <= 2 * 5 * mcts._CHUNK  # in two games, five looks at the clock in each


def test_the_bot_is_fair():
    checks = check_bot(QUICK, games=4, decisions=25)
    assert all(check.passed for check in checks), checks


@pytest.mark.parametrize(
    ("parameters", "message"),
    (
        ("sims=0", "sims must be at least 1, not 0"),
        ("depth=-1", "depth must be at least 0, not -1"),
        ("temperature=0", "temperature must be above 0, not 0.0"),
        ("time=nan", "time must be at least 0, not nan"),
        ("rollout=clever", "rollout is one of scripted, random, none, not 'clever'"),
    ),
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(BotError, match=message):
        make_bot(f"mcts:{parameters}", 1)
