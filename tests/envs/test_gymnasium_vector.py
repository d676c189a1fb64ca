"""The vector environments of Gymnasium: their autoreset, and that their games are those of ``Game``."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from tests.gymnasium_play import ID, First, Last, expected_reward, first, random_actions
from wotr_env import Game, IllegalAction, Ruleset, VectorGame
from wotr_env.envs.gymnasium_vector import WarOfTheRingBotVectorEnv, WarOfTheRingVectorEnv
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.observation import OBSERVATION_SIZE


def check_step(env, result):
    """The types and shapes of a step's result, as SyncVectorEnv has them."""
    observations, rewards, terminations, truncations, infos = result
    assert observations in env.observation_space
    assert rewards.shape == terminations.shape == truncations.shape == (env.num_envs,)
    assert rewards.dtype == np.float32
    assert terminations.dtype == truncations.dtype == np.bool_
    assert infos["action_mask"].shape == (env.num_envs, NUM_ACTIONS)
    assert infos["action_mask"].any(axis=1).all()
    assert infos["seat"].shape == (env.num_envs,)
    ended = terminations | truncations
    assert not (terminations & truncations).any()
    assert ended.any() == ("final_obs" in infos) == ("final_info" in infos)
    np.testing.assert_array_equal(np.abs(rewards), terminations)
    np.testing.assert_array_equal(infos["rewards"].sum(axis=1), 0)
    if ended.any():
        np.testing.assert_array_equal(infos["_final_obs"], ended)
        np.testing.assert_array_equal(infos["_final_info"], ended)
        for game in range(env.num_envs):
            final = infos["final_obs"][game]
            assert final in env.single_observation_space if ended[game] else final is None
    return ended


@pytest.mark.parametrize(
    "make",
    [
        WarOfTheRingVectorEnv,
        lambda n, **arguments: gymnasium.make_vec(ID, n, **arguments),
        lambda n, **arguments: gymnasium.make_vec(ID, n, seat="shadow", **arguments),
    ],
)
def test_vector_conformance(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make(5, max_turns=2)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.num_envs == 5
    assert env.single_action_space.n == NUM_ACTIONS and env.action_space.shape == (5,)
    assert env.single_observation_space.shape == (OBSERVATION_SIZE,)
    assert env.observation_space.shape == (5, OBSERVATION_SIZE)
    generator = np.random.default_rng(1)
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space
    ends = 0
    for _ in range(300):
        actions = random_actions(infos["action_mask"], generator)
        assert actions in env.action_space
        before = observations.copy(), infos["action_mask"].copy()
        result = env.step(actions)
        np.testing.assert_array_equal(before[0], observations)  # copies are given
        np.testing.assert_array_equal(before[1], infos["action_mask"])
        ends += check_step(env, result).sum()
        observations, *_, infos = result
    assert ends >= 5
    env.close()
    env.close()


def test_vector_is_the_games_of_vector_game():
    env = WarOfTheRingVectorEnv(6, threads=2, max_turns=2)
    observations, infos = env.reset(seed=3)
    games = VectorGame(6, seed=3, ruleset=Ruleset(max_turns=2))
    generator = np.random.default_rng(3)
    ends = 0
    for _ in range(350):
        np.testing.assert_array_equal(observations, games.observations)
        np.testing.assert_array_equal(infos["action_mask"], games.masks)
        np.testing.assert_array_equal(infos["seat"], games.seats)
        movers = infos["seat"]
        actions = random_actions(infos["action_mask"], generator)
        before = games.states.copy()
        games.step(actions)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        np.testing.assert_array_equal(terminations | truncations, games.terminated)
        np.testing.assert_array_equal(infos["rewards"], games.rewards)
        np.testing.assert_array_equal(rewards, games.rewards[np.arange(6), movers])
        for game in np.flatnonzero(games.terminated):
            ends += 1
            last = Game.from_state(before[game]).step(int(actions[game]))
            np.testing.assert_array_equal(infos["final_obs"][game], last.observe(int(movers[game])))
            assert infos["final_info"]["winner"][game] == last.result.winner.name.lower()
            assert infos["final_info"]["turn"][game] == last.result.turn
            assert infos["final_info"]["seat"][game] == movers[game]
            assert truncations[game] == (last.result.winner == Winner.DRAW)
    assert ends > 5
    env.close()


@pytest.mark.parametrize("side", list(Side))
def test_bot_vector_is_the_games_of_game(side):
    """Every row plays its episodes one after the other, like Game with the seeds of VectorGame."""
    env = WarOfTheRingBotVectorEnv(3, seat=side.name.lower(), opponent=First(), max_turns=3)
    seed = 21

    def new(row, episode):
        number = int(kernel.episode_seeds(seed, np.full(3, episode))[row])
        return answered(Game(seed=number, ruleset=Ruleset(max_turns=3)))

    def answered(game):
        while not game.over and game.side != side:
            game.step(first(game.mask()))
        return game

    games, episodes = [new(row, 0) for row in range(3)], [0, 0, 0]
    observations, infos = env.reset(seed=seed)
    generator = np.random.default_rng(1)
    for _ in range(300):
        for row, game in enumerate(games):
            np.testing.assert_array_equal(observations[row], game.observe(side))
            np.testing.assert_array_equal(infos["action_mask"][row], game.mask())
        actions = random_actions(infos["action_mask"], generator)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert (infos["seat"] == side).all()
        for row, game in enumerate(games):
            answered(game.step(int(actions[row])))
            assert (terminations[row] | truncations[row]) == game.over
            if game.over:
                won = {side: 1, 1 - side: -1, Winner.DRAW: 0}[game.result.winner]
                assert rewards[row] == won and truncations[row] == (won == 0)
                np.testing.assert_array_equal(infos["final_obs"][row], game.observe(side))
                episodes[row] += 1
                games[row] = new(row, episodes[row])
    assert min(episodes) >= 1


@pytest.mark.parametrize(("players", "seat"), [(3, 0), (3, 2), (4, 0), (4, 3)])
def test_bot_vector_of_partners_is_the_games_of_game(players, seat):
    """Every row plays its episodes one after the other; partner and opponents answer each for their seat."""
    rules = Ruleset(players=players, max_turns=2)
    names = [each.name for each in rules.seats]
    bots = {name: Last() if number == 1 else First() for number, name in enumerate(names)}
    del bots[names[seat]]
    env = WarOfTheRingBotVectorEnv(3, seat=names[seat], opponent=bots, ruleset=rules, individual_bonus=0.5)

    def new(row, episode):
        return answered(Game(int(kernel.episode_seeds(8, np.full(3, episode))[row]), rules))

    def answered(game):
        while not game.over and game.seat != seat:
            legal = game.legal()
            game.step(legal[-1] if game.seat == 1 else legal[0])
        return game

    games, episodes = [new(row, 0) for row in range(3)], [0, 0, 0]
    observations, infos = env.reset(seed=8)
    generator = np.random.default_rng(1)
    for _ in range(200):
        for row, game in enumerate(games):
            np.testing.assert_array_equal(observations[row], game.observe(seat))
            np.testing.assert_array_equal(infos["action_mask"][row], game.mask())
        actions = random_actions(infos["action_mask"], generator)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert (infos["seat"] == seat).all() and infos["rewards"].shape == (3, players)
        for row, game in enumerate(games):
            answered(game.step(int(actions[row])))
            assert (terminations[row] | truncations[row]) == game.over
            if game.over:
                everyone = [expected_reward(game.result, rules, each, 0.5) for each in range(players)]
                assert infos["rewards"][row].tolist() == everyone and rewards[row] == everyone[seat]
                winners = tuple(names[each] for each in game.result.seats)
                assert infos["final_info"]["winning_seats"][row] == winners
                np.testing.assert_array_equal(infos["final_obs"][row], game.observe(seat))
                episodes[row] += 1
                games[row] = new(row, episodes[row])
    assert min(episodes) >= 1


@pytest.mark.parametrize("players", [3, 4])
def test_vector_of_partners_rewards_all_seats(players):
    rules = Ruleset(players=players)
    env = WarOfTheRingVectorEnv(2, ruleset=rules, individual_bonus=0.25)
    games = VectorGame(2, seed=3, ruleset=rules, individual_bonus=0.25)
    observations, infos = env.reset(seed=3)
    generator = np.random.default_rng(3)
    ends = 0
    while ends < 2:
        np.testing.assert_array_equal(observations, games.observations)
        np.testing.assert_array_equal(infos["seat"], games.seats)
        movers = infos["seat"]
        actions = random_actions(infos["action_mask"], generator)
        games.step(actions)
        observations, rewards, *_, infos = env.step(actions)
        np.testing.assert_array_equal(infos["rewards"], games.rewards)
        np.testing.assert_array_equal(rewards, games.rewards[np.arange(2), movers])
        for game in np.flatnonzero(games.terminated):
            ends += 1
            winners = np.flatnonzero(games.end_records["won"][game])
            names = tuple(rules.seats[seat].name for seat in winners)
            assert infos["final_info"]["winning_seats"][game] == names
    env.close()


def test_vector_seeds():
    def run(env, seeds):
        for seed in seeds:
            observations, infos = env.reset(seed=seed)
            for _ in range(20):
                yield observations.tobytes()
                observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))

    for make in (WarOfTheRingVectorEnv, WarOfTheRingBotVectorEnv):
        one, again = (list(run(make(2), (4, None, None))) for _ in range(2))
        assert one == again and len(set(one)) > 40
        assert one != list(run(make(2), (5, None, None)))
        assert list(run(make(2), (None,))) != list(run(make(2), (None,)))


def test_vector_without_copies_reuses_its_arrays():
    env = WarOfTheRingVectorEnv(2, copy=False)
    observations, infos = env.reset(seed=1)
    again, *_, later = env.step(infos["action_mask"].argmax(axis=1))
    assert np.shares_memory(observations, again)
    assert np.shares_memory(infos["action_mask"], later["action_mask"])


@pytest.mark.parametrize("make", [WarOfTheRingVectorEnv, WarOfTheRingBotVectorEnv])
def test_vector_refuses_illegal_actions(make):
    env = make(3)
    _, infos = env.reset(seed=1)
    before = env.games.states.tobytes()
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = infos["action_mask"][1].argmin()
    with pytest.raises(IllegalAction, match="of game 1"):
        env.step(actions)
    with pytest.raises(TypeError, match="actions are integers"):
        env.step(actions.astype(float))
    with pytest.raises(ValueError, match="shape"):
        env.step(actions[:2])
    assert env.games.states.tobytes() == before
    with pytest.raises(ValueError, match="reset_mask is not supported"):
        env.reset(options={"reset_mask": np.ones(3, dtype=np.bool_)})


def test_vector_wrappers_of_gymnasium():
    env = DictInfoToList(RecordEpisodeStatistics(gymnasium.make_vec(ID, 3, max_turns=2)))
    _, infos = env.reset(seed=1)
    generator = np.random.default_rng(1)
    for _ in range(300):
        actions = random_actions([info["action_mask"] for info in infos], generator)
        _, _, terminations, truncations, infos = env.step(actions)
        for game in np.flatnonzero(terminations | truncations):
            assert infos[game]["final_info"]["reason"] == "turn_limit"
            assert infos[game]["episode"]["l"] > 1
            return
    raise AssertionError("no game ended")


def test_sync_vector_of_single_environments():
    env = gymnasium.make_vec(ID, 2, vectorization_mode="sync", max_turns=1)
    _, infos = env.reset(seed=1)
    for _ in range(60):
        _, _, _, truncations, infos = env.step(infos["action_mask"].argmax(axis=1))
        if truncations.any():
            return
    raise AssertionError("no game ended")


def test_vector_render():
    pytest.importorskip("wotr_env.games.war_of_the_ring.render.drawing")
    env = gymnasium.make_vec(ID, 2, render_mode="ansi")
    env.reset(seed=1)
    frames = env.render()
    assert len(frames) == 2 and all(isinstance(frame, str) for frame in frames)


@pytest.mark.slow
def test_maskable_ppo_learns_on_it():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make(ID, max_turns=8)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=128, n_epochs=1, seed=1, device="cpu")
    model.learn(256)  # two updates
    assert model.num_timesteps == 256
    observation, _ = env.reset(seed=1)
    for _ in range(50):
        masks = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(observation, action_masks=masks)
        assert masks[action]
        observation, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            break
