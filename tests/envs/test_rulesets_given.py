"""Rulesets as objects, dictionaries and specs, for all environments and games, and specs as JSON."""

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec

from wotr_env import Game, Ruleset, VectorGame
from wotr_env.envs.gymnasium_vector import WarOfTheRingVectorEnv
from wotr_env.play.games import game_kind

GAMES = {
    "war-of-the-ring": ("WarOfTheRing-v0", "war_of_the_ring/wotr-v0", "second:null_events=false,players=3"),
    "duel": ("LotrDuel-v0", "lotr_duel-v0", "open:may_decline=false"),
    "two-towers": ("TwoTowers-v0", "two_towers-v0", "five:take_back=true"),
}
WRONG = [
    ("third", "has no ruleset 'third'"),
    (":speed=3", "no option 'speed' of a ruleset"),
    ({"speed": 3}, "option 'speed'"),
    ({1: 2}, "option 1"),
    (7, "is a [A-Za-z]+, a dictionary of its options, or a spec such as"),
    (np.zeros((3, 3)), "a dictionary of its options"),
]


def makers(name):
    """All that takes a ruleset of a game, with how it is found in what is made."""
    kind, (single, several, _) = game_kind(name), GAMES[name]
    found = {
        "gymnasium": lambda rules: gymnasium.make(single, ruleset=rules).unwrapped.game.ruleset,
        "pettingzoo": lambda rules: pettingzoo.make("aec", several, ruleset=rules).unwrapped.game.ruleset,
        "make_vec": lambda rules: gymnasium.make_vec(single, num_envs=2, ruleset=rules).ruleset,
        "game": lambda rules: kind.game(1, rules).ruleset,
    }
    if name != "war-of-the-ring":
        return {**found, "games": lambda rules: kind.games(2, 1, rules).rulesets[0]}
    position = Game(1).position()
    return {
        **found,
        "Game": lambda rules: Game(ruleset=rules).ruleset,
        "from_state": lambda rules: Game.from_state(Game(1).state, rules).ruleset,
        "from_position": lambda rules: Game.from_position(position, ruleset=rules).ruleset,
        "games": lambda rules: kind.games(2, 1, rules).rulesets[1],
        "VectorGame": lambda rules: VectorGame(2, ruleset=[rules, rules]).rulesets[0],
        "vector": lambda rules: WarOfTheRingVectorEnv(2, ruleset=rules).games.rulesets[0],
        "games of make_vec": lambda rules: gymnasium.make_vec(single, 2, ruleset=rules).games.rulesets[1],
    }


@pytest.mark.parametrize("name", GAMES)
def test_a_ruleset_is_given_in_any_form(name):
    spec = GAMES[name][2]
    if name == "war-of-the-ring":
        spec = spec.removesuffix(",players=3")  # positions by hand keep their number of players
    rules = game_kind(name).find_ruleset(spec)
    for what, made in makers(name).items():
        for given in (rules, rules.to_dict(), spec):
            assert made(given) == rules, (what, given)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_no_ruleset_is_refused_in_one_line(name, given, message):
    for what, made in makers(name).items():
        with pytest.raises(ValueError, match=message) as caught:
            made(given)
        assert "\n" not in str(caught.value), what


@pytest.mark.parametrize("name", GAMES)
def test_the_spec_of_an_environment_goes_through_json(name):
    single, _, spec = GAMES[name]
    rules = game_kind(name).find_ruleset(spec)
    for given in (rules, rules.to_dict(), spec):
        env = gymnasium.make(single, ruleset=given)
        assert env.spec is not None
        again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
        for each in (env, again, gymnasium.make(env.spec)):
            assert each.unwrapped.game.ruleset == rules
        assert (env.reset(seed=4)[0] == again.reset(seed=4)[0]).all()
        assert env.spec.kwargs["ruleset"] == (spec if given is spec else rules.to_dict())


def test_the_spec_of_a_vector_environment_goes_through_json():
    envs = gymnasium.make_vec("WarOfTheRing-v0", num_envs=3, ruleset=Ruleset(players=4), seat="rohan")
    assert envs.spec is not None
    again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert again.num_envs == 3 and again.games.rulesets == envs.games.rulesets
    assert (envs.reset(seed=4)[0] == again.reset(seed=4)[0]).all()


def test_numbers_of_numpy_and_games_as_objects_go_through_json():
    env = gymnasium.make("LotrDuel-v0", game=game_kind("duel"))
    assert EnvSpec.from_json(env.spec.to_json()).kwargs["game"] == "duel"
    env = gymnasium.make("WarOfTheRing-v0", max_turns=np.int64(3))
    assert EnvSpec.from_json(env.spec.to_json()).kwargs["max_turns"] == 3
