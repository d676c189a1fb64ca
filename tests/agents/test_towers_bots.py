"""Bots of The Two Towers: the scripted policy, and searches with values of several teams."""

import json

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS, Towers
from wotr_agents import make_bot
from wotr_agents.games.two_towers.entry import TOWERS_POLICY
from wotr_agents.games.two_towers.weights import DEFAULT_WEIGHTS, NAMES, WEIGHTS_FILE
from wotr_agents.search.games import search_game
from wotr_agents.search.search import Search
from wotr_agents.search.simulations import Rollout, SearchSettings
from wotr_env.games.two_towers.actions import ACTION_NAMES
from wotr_env.play.bots import view_of

QUICK = "mcts:sims=60,worlds=4"


def positions(players: str, games: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all stages of noisy scripted play."""
    ruleset = TOWERS.find_ruleset(players)
    states, masks = TOWERS.new_states(np.arange(games), ruleset)
    weights = np.stack([DEFAULT_WEIGHTS] * len(ruleset.seats))
    found = []
    for step in range(1, 40, 6):
        going = states["winner"] == -1
        found.append((states[going].copy(), masks[going].copy()))
        TOWERS_POLICY.play(states, masks, weights, np.arange(games) + step, 4.0, step)
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def best(towers: Towers, spec: str = "scripted:noise=0") -> str:
    return ACTION_NAMES[make_bot(spec, 1, "two-towers").act(view_of(towers.states, towers.masks, TOWERS))[0]]


def test_weights_have_names():
    assert json.loads(WEIGHTS_FILE.read_text()).keys() == set(NAMES)
    assert len(NAMES) == len(DEFAULT_WEIGHTS)


def test_scripted_takes_what_goes_with_its_row():
    towers = Towers().no_hands().row(0, "red-perseverance", 2).display("red-perseverance", "red-wisdom")
    assert best(towers.refresh()) == "take:red-perseverance"


def test_scripted_lays_what_counts_and_keeps_the_rest():
    towers = Towers().no_hands().hand(0, "red-strength", "blue-resolution").at("Fangorn", 5, 2).refresh()
    assert best(towers) == "lay:red-strength"
    assert best(towers.do("lay:red-strength")) == "end"


def test_who_lays_last_keeps_what_changes_nothing():
    towers = Towers().no_hands().hand(1, "red-strength").row(1, "blue-strength", 2).at("Fangorn", 5, 2)
    assert best(towers.refresh().do("end")) == "end"
    towers = Towers().no_hands().hand(1, "red-strength").row(1, "blue-strength", 2).at("Fangorn", 5, 2)
    assert best(towers.row(0, "red-strength", 2).refresh().do("end")) == "lay:red-strength"


@pytest.mark.parametrize("players", ["two", "five"])
@pytest.mark.parametrize("spec", ["scripted", QUICK, "expectation:worlds=2"])
def test_what_is_hidden_has_no_say_and_actions_are_legal(players, spec):
    states, masks = positions(players)
    others = states.copy()
    TOWERS.kernels.sample_worlds(others, states["seat"].astype(np.int64), np.arange(len(states)) + 7)
    assert (others["hand"] != states["hand"]).any()
    told = [
        make_bot(spec, 5, "two-towers").explain(view_of(seen, masks, TOWERS)) for seen in (states, others)
    ]
    assert told[0] == told[1]
    chosen = make_bot(spec, 5, "two-towers").act(view_of(states, masks, TOWERS))
    assert masks[np.arange(len(states)), chosen].all()


def test_scripted_beats_random():
    games = 300
    for seat in range(2):
        states, masks = TOWERS.new_states(np.arange(games) + 100, TOWERS.ruleset())
        rng = np.random.default_rng(seat)
        while (going := states["winner"] == -1).any():
            actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
            own = going & (states["seat"] == seat)
            scores = np.zeros((np.count_nonzero(own), TOWERS.actions.size))
            TOWERS_POLICY.score(states[own].copy(), masks[own].copy(), scores)
            actions[own] = scores.argmax(axis=1)
            TOWERS.kernels.step(states, masks, actions)
        assert (states["winner"] == seat).mean() > 0.95


def last_location() -> Towers:
    """Player 0 of three is behind and wins by laying its strength at Minas Tirith, before all others."""
    towers = Towers(3).no_hands().hand(0, "red-strength*2", "blue-wisdom").at("Minas Tirith", 5, 2)
    towers.row(1, "green-strength", 1)
    towers.state["points"][:3] = [3, 4, 0]
    return towers.refresh()


@pytest.mark.parametrize("rollout", Rollout)
def test_a_search_of_three_finds_what_wins_for_its_own_team(rollout):
    towers = last_location()
    game = search_game("two-towers")
    game.prepare()
    worlds = view_of(towers.states, towers.masks, TOWERS).worlds(4, np.random.default_rng(1))[0]
    made = Search(SearchSettings(rollout=rollout), worlds, 5, game).run(400)
    found = max(made.children(), key=lambda each: each.visits)
    assert ACTION_NAMES[found.action] == "lay:red-strength" and found.value > 0.8
    ended = next(each for each in made.children() if ACTION_NAMES[each.action] == "end")
    assert ended.value < found.value - 0.3


def test_values_of_a_search_are_chances_of_all_teams():
    """Of a finished game one has 1 and the others 0, whoever chose last."""
    towers = last_location()
    towers.do("lay:red-strength", "lay:red-strength", "end", "end")
    assert towers.state["seat"] == 2
    worlds = view_of(towers.states, towers.masks, TOWERS).worlds(2, np.random.default_rng(1))[0]
    made = Search(SearchSettings(), worlds, 5, search_game("two-towers")).run(10)
    assert [each.value for each in made.children()] == [0.0]
    towers.do("end")
    assert towers.state["winner"] == 0


def scored(players: str) -> list[list[float]]:
    """The policy's scores in some positions."""
    states, masks = positions(players, 2)
    scores = np.zeros(masks.shape)
    TOWERS_POLICY.score(states, masks, scores)
    return scores.round(9).tolist()


def test_a_gandalf_is_worth_something():
    towers = Towers().no_hands().display("gandalf").refresh()
    scores = np.zeros((1, TOWERS.actions.size))
    TOWERS_POLICY.score(towers.states, towers.masks, scores)
    assert scores[0, ACTION_NAMES.index("take:gandalf")] > 1.0
