"""The vector environments of any game: the games of its batches, bots at the other seats, autoreset."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from tests.toy_race import RACE
from wotr_agents import BotError
from wotr_env import IllegalAction
from wotr_env.core.codes import GOING_ON
from wotr_env.core.states import copy_states
from wotr_env.envs.kind_game import end_info, rewards_of
from wotr_env.envs.kind_vector import KindBotVectorEnv, KindVectorEnv
from wotr_env.play.games import game_kind, game_kinds

DUEL = game_kind("duel")
GAMES = [*game_kinds().values(), RACE]
IDS = {"duel": "LotrDuel-v0", "two-towers": "TwoTowers-v0", "war-of-the-ring": "WarOfTheRing-v0"}
NUM = 5
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
by_name = pytest.mark.parametrize("name", IDS)
by_threads = pytest.mark.parametrize("threads", [1, 2])


class First:
    """A bot: the first legal action."""

    def act(self, view):
        return view.masks.argmax(axis=1)


def short(game):
    """A ruleset whose games soon end, if there is one."""
    return game.limited(game.find_ruleset(), 2)


def choices(masks, generator):
    """A random legal action of each game."""
    return np.where(masks, generator.random(masks.shape), -1).argmax(axis=1)


def self_play(game, **arguments):
    return KindVectorEnv(game, NUM, ruleset=short(game), **arguments)


def against_bots(game, **arguments):
    last = game.find_ruleset().seats[-1].name
    return KindBotVectorEnv(game, NUM, last, First(), ruleset=short(game), **arguments)


@by_game
@pytest.mark.parametrize("make", [self_play, against_bots])
def test_conformance(game, make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = make(game)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP and envs.num_envs == NUM
    actions, seats = game.actions.size, len(envs.ruleset.seats)
    assert envs.single_action_space.n == actions and envs.action_space.shape == (NUM,)
    assert envs.single_observation_space.shape == (game.layout.size,)
    observations, infos = envs.reset(seed=1)
    generator, rows, ended = np.random.default_rng(1), np.arange(NUM), 0
    for _ in range(260):
        assert observations in envs.observation_space and infos["action_mask"].shape == (NUM, actions)
        assert infos["action_mask"].dtype == np.int8 and infos["action_mask"].any(axis=1).all()
        chosen, viewers = choices(infos["action_mask"], generator), infos["seat"]
        assert chosen in envs.action_space
        before = observations.copy()
        result = envs.step(chosen)
        assert (observations == before).all()  # copies are given
        observations, rewards, terminated, truncated, infos = result
        assert rewards.dtype == infos["rewards"].dtype == np.float32
        assert terminated.dtype == truncated.dtype == np.bool_ and not (terminated & truncated).any()
        assert infos["rewards"].shape == (NUM, seats) and (rewards == infos["rewards"][rows, viewers]).all()
        over = terminated | truncated
        assert not infos["rewards"][~over].any() and over.any() == ("final_obs" in infos)
        if over.any():
            assert (infos["_final_obs"] == over).all() and (infos["_final_info"] == over).all()
            assert all(
                infos["final_obs"][row] in envs.single_observation_space for row in np.flatnonzero(over)
            )
            assert (infos["final_info"]["seat"][over] == viewers[over]).all()
        ended += over.sum()
    assert ended >= 5
    envs.close()
    envs.close()


@by_game
@by_threads
def test_self_play_is_the_games_of_the_game(game, threads):
    rules = short(game)
    envs, games = self_play(game, threads=threads), game.games(NUM, 3, rules)
    observations, infos = envs.reset(seed=3)
    generator, ended = np.random.default_rng(3), 0
    for _ in range(200):
        np.testing.assert_array_equal(observations, games.observations)
        np.testing.assert_array_equal(infos["action_mask"], games.masks)
        np.testing.assert_array_equal(infos["seat"], games.seats)
        assert envs.games.states.tobytes() == games.states.tobytes()
        chosen = choices(games.masks, generator)
        before, viewers = copy_states(games.states), infos["seat"].astype(np.int64)
        games.step(chosen)
        observations, _, terminated, truncated, infos = envs.step(chosen)
        np.testing.assert_array_equal(infos["rewards"], games.rewards[:, : len(rules.seats)])
        np.testing.assert_array_equal(terminated | truncated, games.terminated)
        game.kernels.step(
            before, np.zeros_like(games.masks), chosen
        )  # to the last states of those that ended
        for row in np.flatnonzero(games.terminated):
            ended += 1
            seen = game.kernels.observe(before[row : row + 1], viewers[row : row + 1])[0]
            np.testing.assert_array_equal(infos["final_obs"][row], seen)
            for name, value in end_info(game, before[row], rules).items():
                assert infos["final_info"][name][row] == value
    assert ended >= 5
    envs.close()


@by_game
def test_bots_answer_at_the_other_seats(game):
    """Every row goes on as its game does when the first legal action is taken at all other seats."""
    envs, rules = against_bots(game), short(game)
    learner, ended = len(rules.seats) - 1, 0
    observations, infos = envs.reset(seed=8)
    generator = np.random.default_rng(8)
    for _ in range(80):
        states, masks = copy_states(envs.games.states), envs.games.masks.copy()
        assert (states["seat"] == learner).all() and (infos["seat"] == learner).all()
        seats = np.full(NUM, learner)
        np.testing.assert_array_equal(observations, game.kernels.observe(states, seats))
        np.testing.assert_array_equal(infos["action_mask"], masks)
        chosen = choices(masks, generator)
        observations, rewards, terminated, truncated, infos = envs.step(chosen)
        game.kernels.step(states, masks, chosen)
        for row in range(NUM):
            state, mask = states[row : row + 1], masks[row : row + 1]
            while state["winner"] == GOING_ON and state["seat"] != learner:
                game.kernels.step(state, mask, mask.argmax(axis=1))
            over = state["winner"][0] != GOING_ON
            assert over == (terminated | truncated)[row]
            if not over:
                assert rewards[row] == 0 and state.tobytes() == envs.games.states[row : row + 1].tobytes()
                continue
            ended += 1
            assert rewards[row] == rewards_of(game, state, rules)[0, learner]
            seen = game.kernels.observe(state, np.array([learner]))[0]
            np.testing.assert_array_equal(infos["final_obs"][row], seen)
    assert ended >= 3


@by_name
def test_made_by_id(name):
    envs = gymnasium.make_vec(IDS[name], num_envs=3, seat=game_kind(name).find_ruleset().seats[1].name)
    assert isinstance(envs, KindBotVectorEnv) and envs.kind is game_kind(name) and envs.spec is not None
    again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert again.num_envs == 3 and (envs.reset(seed=4)[0] == again.reset(seed=4)[0]).all()


@by_name
def test_seeds_decide_games_and_bots(name):
    def run(seeds):
        envs = gymnasium.make_vec(IDS[name], num_envs=2)
        for seed in seeds:
            observations, infos = envs.reset(seed=seed)
            for _ in range(20):
                yield observations.tobytes()
                observations, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))

    one, again = (list(run((4, None, None))) for _ in range(2))
    assert one == again and one != list(run((5, None, None)))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
@by_threads
def test_copies_go_on_alike(copied, threads):
    envs = KindBotVectorEnv("duel", 3, threads=threads)
    _, infos = envs.reset(seed=2)
    other = copied(envs)
    for _ in range(80):  # several games each
        chosen = infos["action_mask"].argmax(axis=1)
        observations, rewards, *_, infos = envs.step(chosen)
        others, rewards_of_other, *_, infos_of_other = other.step(chosen)
        assert (observations == others).all() and (rewards == rewards_of_other).all()
        assert (infos["action_mask"] == infos_of_other["action_mask"]).all()
    envs.close()
    other.close()


def test_without_copies_the_arrays_are_those_of_the_games():
    envs = KindVectorEnv(DUEL, 2, copy=False)
    observations, infos = envs.reset(seed=1)
    again, *_, later = envs.step(infos["action_mask"].argmax(axis=1))
    assert np.shares_memory(observations, again)
    assert np.shares_memory(infos["action_mask"], later["action_mask"])
    illegal = int(later["action_mask"][0].argmin())
    later["action_mask"][0, illegal] = 1  # changes nothing of the game
    with pytest.raises(IllegalAction):
        envs.step(np.array([illegal, later["action_mask"][1].argmax()]))


@by_game
def test_illegal_actions_change_nothing(game):
    envs = self_play(game)
    _, infos = envs.reset(seed=1)
    before, chosen = envs.games.states.tobytes(), infos["action_mask"].argmax(axis=1)
    for wrong in (-1, game.actions.size):
        chosen[1] = wrong
        with pytest.raises(IllegalAction, match="of game 1.*; no game has changed"):
            envs.step(chosen)
    with pytest.raises(TypeError, match="actions are integers, one per game, not float64"):
        envs.step(chosen.astype(float))
    with pytest.raises(ValueError, match=r"actions have shape \(5,\), one per game, not \(2,\)"):
        envs.step(chosen[:2])
    assert envs.games.states.tobytes() == before
    with pytest.raises(ValueError, match="reset_mask is not supported"):
        envs.reset(options={"reset_mask": np.ones(NUM, dtype=np.bool_)})
    with pytest.raises(ValueError, match="a seed is an integer"):
        envs.reset(seed=-1)


@by_game
@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"num_envs": 0}, ValueError, "num_games is an integer >= 1, not 0"),
        ({"threads": 0}, ValueError, "threads is an integer >= 1, not 0"),
        ({"render_mode": "human"}, ValueError, "render_mode is one of None, ansi"),
        ({"ruleset": 7}, ValueError, "a dictionary of its options, or a spec"),
        ({"shaping": 1}, TypeError, "shaping is a wotr_env.envs.shaping.Shaping"),
        ({"seat": "nobody"}, ValueError, "there is no player 'nobody'"),
        ({"opponent": 3}, BotError, "an opponent is a bot or the spec of one"),
    ],
)
def test_wrong_arguments(game, arguments, error, words):
    with pytest.raises(error, match=words):
        KindBotVectorEnv(game, **{"opponent": First(), **arguments})


def test_an_unknown_game():
    with pytest.raises(ValueError, match="unknown game"):
        KindVectorEnv("chess")


@by_game
def test_frames(game):
    envs = against_bots(game, render_mode="ansi")
    envs.reset(seed=1)
    frames = envs.render()
    assert len(frames) == NUM and all(isinstance(each, str) and each for each in frames)
    if "rgb_array" not in envs.metadata["render_modes"]:
        assert game is RACE
        return
    envs = KindBotVectorEnv(game, 2, opponent=First(), render_mode="rgb_array")
    envs.reset(seed=1)
    assert all(each.dtype == np.uint8 and each.shape[2:] == (3,) for each in envs.render())
