"""The PettingZoo environment: PettingZoo's own tests, and what they do not ask."""

import copy
import inspect
import itertools
import pickle
import random
import subprocess
import sys
import time
import typing
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import wotr_env
from wotr_benchmarks import environments
from wotr_env import Game, IllegalAction, Ruleset
from wotr_env.envs.kind_game import RENDER_MODES
from wotr_env.envs.kind_pettingzoo import REWARDS
from wotr_env.envs.pettingzoo_env import EnvArguments, WarOfTheRingAEC
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.observation import OBSERVATION_SIZE

AGENTS = ("free_peoples_0", "shadow_0")
PARTNERS = {
    3: ["free_peoples_0", "sauron_0", "isengard_0"],
    4: ["gondor_0", "sauron_0", "isengard_0", "rohan_0"],
}
"""The agents by the number of players."""


def play(env, seed, steps=10**9):
    """Random legal play to the end or for some steps; the actions played."""
    env.reset(seed=seed)
    generator = random.Random(seed)
    actions = []
    for _agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated or len(actions) == steps:
            break
        actions.append(generator.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        env.step(actions[-1])
    return actions


@pytest.mark.parametrize("make", [wotr_env.env, wotr_env.raw_env])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_api(make, players):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")  # a Dict
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "We recommend agents to be named")  # asks for a name of one word
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")  # after the end
        warnings.filterwarnings("ignore", "`reset` is called with options")
        api_test(make(ruleset=Ruleset(players=players)), num_cycles=300)
        api_test(make(ruleset=Ruleset(players=players, max_turns=1)), num_cycles=1500)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seeds_are_reproducible(players):
    seed_test(lambda: wotr_env.env(ruleset=Ruleset(players=players)), num_cycles=300)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_parallel_form(players):
    parallel_api_test(turn_based_aec_to_parallel(_Parallel(Ruleset(players=players))), num_cycles=50)


class _Parallel(WarOfTheRingAEC):
    """parallel_api_test plays actions without a mask, so take a legal one in place of an illegal one."""

    def step(self, action):
        mask = self.game.mask()
        super().step(action if action is None or mask[action] else int(mask.argmax()))


def test_render():
    pytest.importorskip("wotr_env.games.war_of_the_ring.render.drawing")
    render_test(wotr_env.env)


def test_performance_benchmark(capsys, monkeypatch):
    """It runs, by a clock that goes on at each look: how fast the environment is, ``wotr bench`` measures."""
    ticks = itertools.count(step=0.01)
    monkeypatch.setattr(time, "time", lambda: next(ticks))
    performance_benchmark(wotr_env.env())
    line = next(line for line in capsys.readouterr().out.splitlines() if "turns per second" in line)
    assert float(line.split()[0]) > 100


def test_made_by_id():
    env = pettingzoo.make("aec", "war_of_the_ring/wotr-v0", max_turns=2)
    assert str(env) == "wotr_v0"
    assert env.unwrapped.game.ruleset.max_turns == 2


def test_spaces_and_observations():
    env = wotr_env.env()
    env.reset(seed=1)
    game = Game(seed=1)
    decides, other = AGENTS[game.seat], AGENTS[1 - game.seat]
    assert env.possible_agents == ["free_peoples_0", "shadow_0"] and env.agent_selection == decides
    assert env.action_space(decides).n == NUM_ACTIONS
    assert env.observation_space(decides)["observation"].shape == (OBSERVATION_SIZE,)
    seen = env.observe(decides)
    assert seen in env.observation_space(decides) and env.observe(other) in env.observation_space(other)
    np.testing.assert_array_equal(seen["action_mask"], game.mask())
    np.testing.assert_array_equal(seen["observation"], game.observe(game.seat))
    np.testing.assert_array_equal(env.observe(other)["observation"], game.observe(1 - game.seat))
    assert not env.observe(other)["action_mask"].any()
    env.step(int(seen["action_mask"].argmax()))
    np.testing.assert_array_equal(seen["action_mask"], game.mask())  # an observation once given stays


def test_plays_the_games_of_game():
    env = wotr_env.env()
    actions = play(env, seed=7)
    game = Game(seed=7)
    for action in actions:
        assert not game.over
        game.step(action)
    assert game.over
    won = 1 if game.result.winner == Winner.FREE_PEOPLES else -1
    assert env.rewards == env.unwrapped._cumulative_rewards == {AGENTS[0]: won, AGENTS[1]: -won}
    assert set(env.terminations.values()) == {True} and set(env.truncations.values()) == {False}
    assert env.infos[AGENTS[0]] == {
        "winner": game.result.winner.name.lower(),
        "reason": game.result.reason.name.lower(),
        "turn": game.result.turn,
    }
    env.step(None)
    env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("players", PARTNERS)
def test_partners_play_the_games_of_game(players):
    rules = Ruleset(players=players)
    env = wotr_env.env(ruleset=rules, individual_bonus=0.5)
    assert env.possible_agents == PARTNERS[players]
    actions = play(env, seed=7)
    game = Game(7, rules)
    selected = set()
    for action in actions:
        selected.add(game.seat)
        game.step(action)
    assert selected == set(range(players)) and game.over
    expected = {}
    for seat, agent in enumerate(PARTNERS[players]):
        won = 1 if rules.seats[seat].team == game.result.winner else -1
        expected[agent] = won + 0.5 * (seat in game.result.winning_partners)
    assert env.rewards == env.unwrapped._cumulative_rewards == expected
    assert set(env.terminations.values()) == {True}
    for info in env.infos.values():
        assert info["winner"] == game.result.winner.name.lower()
        assert info["winning_seats"] == tuple(rules.seats[seat].name for seat in game.result.seats)
    for _ in range(players):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("players", PARTNERS)
def test_each_partner_sees_his_own(players):
    env = wotr_env.env(ruleset=Ruleset(players=players))
    play(env, seed=3, steps=250)
    game = Game.from_state(env.unwrapped.game.state)
    for seat, agent in enumerate(PARTNERS[players]):
        seen = env.observe(agent)
        assert seen in env.observation_space(agent)
        np.testing.assert_array_equal(seen["observation"], game.observe(seat))
        expected = game.mask() if seat == game.seat else np.zeros(NUM_ACTIONS)
        np.testing.assert_array_equal(seen["action_mask"], expected)
    assert env.agent_selection == PARTNERS[players][game.seat]


@pytest.mark.parametrize("players", PARTNERS)
def test_an_illegal_action_of_a_partner_loses_for_him_alone(players):
    env = wotr_env.env(ruleset=Ruleset(players=players), individual_bonus=1.0)
    env.reset(seed=1)
    while env.agent_selection != PARTNERS[players][2]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
    env.step(int(env.last()[0]["action_mask"].argmin()))
    assert env.rewards == {agent: -1 if agent == "isengard_0" else 0 for agent in PARTNERS[players]}
    assert all(env.terminations.values())


def test_turn_limit_truncates():
    env = wotr_env.env(max_turns=1)
    play(env, seed=3)
    assert set(env.truncations.values()) == {True} and set(env.terminations.values()) == {False}
    assert set(env.rewards.values()) == {0}
    assert env.infos[AGENTS[1]] == {"winner": "draw", "reason": Reason.TURN_LIMIT.name.lower(), "turn": 1}


def test_ruleset_and_no_rewards():
    env = wotr_env.env(ruleset=Ruleset.second_edition(), rewards="none")
    play(env, seed=5)
    assert env.unwrapped.game.ruleset == Ruleset.second_edition()
    assert any(env.terminations.values()) and set(env.rewards.values()) == {0}


def test_reset_without_seed_follows_the_last_seed():
    def states(env):
        env.reset(seed=11)
        for _ in range(3):
            yield env.unwrapped.game.states.tobytes()
            env.reset()

    first, again = (list(states(wotr_env.env())) for _ in range(2))
    assert first == again and len(set(first)) == 3
    one, other = wotr_env.env(), wotr_env.env()
    one.reset()
    other.reset()
    assert one.unwrapped.game.states.tobytes() != other.unwrapped.game.states.tobytes()


def test_an_illegal_action_loses():
    env = wotr_env.env()
    env.reset(seed=1)
    agent = env.agent_selection
    illegal = int(env.observe(agent)["action_mask"].argmin())
    env.step(illegal)
    assert env.rewards[agent] == -1 and sum(env.rewards.values()) == -1
    assert all(env.terminations.values())


@pytest.mark.parametrize("action", [NUM_ACTIONS, -1, 1.0, None, "region:rohan"])
def test_an_impossible_action_is_refused(action):
    env, raw = wotr_env.env(), wotr_env.raw_env()
    env.reset(seed=1)
    raw.reset(seed=1)
    before = raw.game.states.tobytes()
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    with pytest.raises(IllegalAction):
        raw.step(action)
    assert raw.game.states.tobytes() == before


def test_raw_env_refuses_an_illegal_action():
    raw = wotr_env.raw_env()
    raw.reset(seed=1)
    with pytest.raises(IllegalAction, match="illegal in decision"):
        raw.step(int(raw.game.mask().argmin()))


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"rewards": "points"}, "rewards is one of win, none, not 'points'"),
        ({"viewer": "elves"}, "there is no player 'elves'; this game has free-peoples, shadow"),
        ({"render_mode": "svg"}, "render_mode is one of None, human, ansi, rgb_array"),
        ({"max_turns": -1}, "max_turns"),
        ({"individual_bonus": "1"}, "the individual bonus is a finite number, not '1'"),
        (
            {"ruleset": Ruleset(players=3), "viewer": "rohan_0"},
            "there is no player 'rohan_0'; this game has free-peoples, sauron, isengard",
        ),
    ],
)
def test_bad_arguments(arguments, error):
    with pytest.raises(ValueError, match=error):
        wotr_env.env(**arguments)


@pytest.mark.parametrize("make", [wotr_env.env, wotr_env.raw_env])
def test_an_unknown_argument_is_told_with_those_that_there_are(make):
    with pytest.raises(
        TypeError, match="^unknown argument 'foo' of the environment; known: ruleset, max_turns, "
    ):
        make(foo=1)


def test_types_of_words_name_what_is_accepted():
    known = typing.get_type_hints(EnvArguments)
    assert typing.get_args(known["rewards"]) == REWARDS
    for mode in RENDER_MODES:
        assert wotr_env.raw_env(render_mode=mode).render_mode == mode
    arguments = inspect.signature(WarOfTheRingAEC).parameters
    assert list(known) == list(arguments)


def test_copies_go_on_alike():
    env = wotr_env.env()
    play(env, seed=2, steps=40)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    start = env.unwrapped.game.states.tobytes()
    for other in copies:
        assert other.unwrapped.game.states.tobytes() == start
    for _ in range(100):
        seen = env.last()[0]
        action = int(np.flatnonzero(seen["action_mask"])[-1])
        for other in copies:
            np.testing.assert_array_equal(other.last()[0]["observation"], seen["observation"])
            np.testing.assert_array_equal(other.last()[0]["action_mask"], seen["action_mask"])
            other.step(action)
        env.step(action)
    assert env.unwrapped.game.states.tobytes() != start
    for other in copies:
        assert other.unwrapped.game.states.tobytes() == env.unwrapped.game.states.tobytes()


def test_the_game_does_not_import_its_players():
    code = (
        "import sys, wotr_env, wotr_env.envs.pettingzoo_env, wotr_env.envs.gymnasium_vector;"
        "sys.exit(any(name.split('.')[0] in ('agents', 'torch') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_benchmarks(monkeypatch):
    monkeypatch.setattr(environments, "_SECONDS", 0.05)
    said = []
    measured, ratio = environments.compare(repeats=2, say=said.append)
    if environments.missing_packages():
        assert len(measured) == 1 and ratio is None and "pip install" in said[0]
    else:
        assert [done.name for done in measured] == ["pettingzoo", "pettingzoo_chess"]
        assert ratio == measured[0].median / measured[1].median > 1
    monkeypatch.setattr(environments, "_CHESS_NEEDS", ("no_such_package",))
    assert list(environments.benchmarks(said.append)) == ["pettingzoo"]
    assert said[-1].startswith("pettingzoo_chess is skipped: no_such_package not installed")


def test_bad_seed_and_order():
    env = wotr_env.env()
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agents
    with pytest.raises(ValueError, match="a seed is an integer"):
        env.reset(seed=-1)


def test_render_shows_the_viewer_only_his_hand():
    view = pytest.importorskip("wotr_env.games.war_of_the_ring.render.view")
    for viewer, seat in (("free_peoples_0", 0), ("shadow_0", 1), (None, None)):
        env = wotr_env.env(render_mode="ansi", viewer=viewer)
        env.reset(seed=1)
        game = env.unwrapped.game
        assert env.render() == view.View(game.state, game.seat if seat is None else seat).text
    play(env, seed=1)
    assert env.render() == view.View(env.unwrapped.game.state, None).text


def test_human_rendering_prints(capsys):
    pytest.importorskip("wotr_env.games.war_of_the_ring.render.drawing")
    env = wotr_env.env(render_mode="human")
    env.reset(seed=1)
    assert env.render() is None and capsys.readouterr().out
