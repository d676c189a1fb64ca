"""The scripted bot of the Duel: legal, fair, sees victories and threats, beats random; policies by game."""

import json

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.toy_games import HUNT
from wotr_agents import BotError, make_bot, parse_spec, policies
from wotr_agents.games.duel.entry import DUEL_POLICY
from wotr_agents.games.duel.weights import DEFAULT_WEIGHTS, NAMES, WEIGHTS_FILE
from wotr_agents.policies import Policy
from wotr_agents.random import RandomBot, RandomParameters
from wotr_agents.weighted import WeightedParameters
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.play.bots import ExplainingBot, view_of
from wotr_env.play.plugins import Plugins


def positions(games: int, step: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Positions of scripted games with much noise, a step after the other, all in one row."""
    states, masks = DUEL.new_states(np.arange(games) + seed, DUEL.ruleset())
    streams = np.arange(games, dtype=np.int64)
    found = []
    while (states["winner"] == -1).any():
        going = states["winner"] == -1
        found.append((states[going].copy(), masks[going].copy()))
        DUEL_POLICY.play(states, masks, np.stack([DEFAULT_WEIGHTS] * 2), streams, 8.0, step)
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def best(duel: Duel, spec: str = "scripted:noise=0") -> str:
    return ACTION_NAMES[make_bot(spec, 1, "duel").act(view_of(duel.states, duel.masks, DUEL))[0]]


def test_what_is_hidden_has_no_say():
    states, masks = positions(40, 5)
    worlds = states.copy()
    DUEL.kernels.sample_worlds(worlds, states["seat"].astype(np.int64), np.arange(len(states)) + 7)
    assert (worlds["deck"] != states["deck"]).any(axis=(1, 2)).mean() > 0.5
    chosen, told = [], []
    for seen in (states, worlds):
        bot, view = make_bot("scripted", 5, "duel"), view_of(seen, masks, DUEL)
        chosen.append(bot.act(view).tolist())
        assert isinstance(bot, ExplainingBot)
        told.append(bot.explain(view))
    assert chosen[0] == chosen[1]
    assert told[0] == told[1]


def test_it_explains_legal_actions_of_every_decision():
    states, masks = positions(60, 3)
    assert len(set(states["decision"].tolist())) >= 9
    bot = make_bot("scripted:noise=0", 1, "duel")
    assert isinstance(bot, ExplainingBot)
    view = view_of(states, masks, DUEL)
    for row, mask, action in zip(bot.explain(view), masks, bot.act(view), strict=True):
        assert sorted(each for each, _ in row) == np.flatnonzero(mask).tolist()
        assert row[0][1] == dict(row)[action] == max(value for _, value in row)


def test_the_last_steps_are_taken():
    duel = Duel().offer("c3-07")
    duel.state["ring"][duel.state["seat"]] = 11
    assert best(duel.refresh()) == "play:c3-07"


def test_the_opponents_last_steps_are_denied():
    duel = Duel().offer("c3-07")
    duel.state["ring"][1 - duel.state["seat"]] = 11
    assert best(duel.refresh()) in ("play:c3-07", "sell:c3-07")


def test_units_go_to_the_region_that_wins():
    duel = Duel(3).offer("c3-17")
    side = int(duel.state["seat"])
    duel.state["units"][:] = 0
    duel.state["units"][side] = [1, 1, 1, 0, 1, 1, 1]  # all but enedwaith
    duel.refresh().do("play:c3-17")
    assert best(duel) == "place:enedwaith"


@pytest.mark.parametrize("side", [FELLOWSHIP, SAURON])
def test_it_beats_random_on_either_side(side):
    games = 60
    states, masks = DUEL.new_states(np.arange(games) + 100, DUEL.ruleset())
    scripted, other = make_bot("scripted", 1, "duel"), RandomBot(RandomParameters(), 2)
    while (going := np.flatnonzero(states["winner"] == -1)).size:
        actions = np.zeros(games, dtype=np.int64)
        for bot, rows in ((scripted, states["seat"] == side), (other, states["seat"] != side)):
            asked = going[rows[going]]
            if asked.size:
                actions[asked] = bot.act(view_of(states[asked].copy(), masks[asked], DUEL))
        DUEL.kernels.step(states, masks, actions)
    assert (states["winner"] == side).mean() >= 0.95


def test_every_weight_has_a_name_in_the_file():
    assert json.loads(WEIGHTS_FILE.read_text()).keys() == set(NAMES)
    assert len(NAMES) == len(set(NAMES)) == len(DEFAULT_WEIGHTS)


def test_parameters_are_those_of_the_game():
    assert parse_spec("scripted:noise=2", "duel")[1] == WeightedParameters(2.0)
    assert parse_spec("scripted:level=1", "war-of-the-ring")[1].level == 1
    with pytest.raises(BotError, match="unknown parameter 'level'; known: noise"):
        parse_spec("scripted:level=1", "duel")
    with pytest.raises(BotError, match="noise must be from 0 to 1000, not -1"):
        parse_spec("scripted:noise=-1", "duel")


def test_a_package_adds_a_policy_for_its_game(monkeypatch):
    mine = Policy(HUNT.name, RandomParameters, RandomBot)
    with pytest.raises(BotError, match="scripted does not play hunt-only"):
        parse_spec("scripted", HUNT.name)
    monkeypatch.setattr(policies, "policy_plugins", lambda: Plugins({mine.name: mine}, {}, {}))
    kind, parameters = parse_spec("scripted", HUNT.name)
    assert kind.plays(HUNT.name) and isinstance(parameters, RandomParameters)
    assert isinstance(make_bot("scripted", 1, HUNT.name), RandomBot)
    broken = Plugins({}, {"hunt-only": "entry point hunt-only of wotr.policies is bad"}, {})
    monkeypatch.setattr(policies, "policy_plugins", lambda: broken)
    with pytest.raises(BotError, match="is bad"):
        parse_spec("scripted", HUNT.name)
