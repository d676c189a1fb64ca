"""The Gymnasium environments: Gymnasium's own checks, bots as opponents, vectors and their autoreset."""

import copy
import inspect
import typing
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from wotr_agents import BotError
from wotr_env import Game, IllegalAction, Ruleset, VectorGame
from wotr_env.core.spelling import spelled
from wotr_env.envs.gymnasium_env import SeatName, WarOfTheRingEnv
from wotr_env.envs.gymnasium_vector import VectorArguments, WarOfTheRingBotVectorEnv, WarOfTheRingVectorEnv
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.observation import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.ruleset import SEATS

ID = "WarOfTheRing-v0"


def test_the_types_of_words_name_what_is_accepted():
    names = {seat.name for seats in SEATS.values() for seat in seats}
    assert set(typing.get_args(SeatName)) == names | {spelled(name) for name in names}
    vector = list(inspect.signature(WarOfTheRingVectorEnv).parameters)
    assert list(typing.get_type_hints(VectorArguments)) == vector[1:]


class First:
    """A bot: the first legal action, and no random numbers."""

    def act(self, view):
        assert view.masks.any(axis=1).all() and view.observations.shape == (len(view.seats), OBSERVATION_SIZE)
        return view.masks.argmax(axis=1)


class Last:
    """A bot: the last legal action."""

    def act(self, view):
        return NUM_ACTIONS - 1 - view.masks[:, ::-1].argmax(axis=1)


def first(mask):
    return int(np.argmax(mask))


def play(env, seed, choose):
    """One game to its end: every observation and mask, and the last step's result."""
    observation, info = env.reset(seed=seed)
    seen = [(observation, info["action_mask"])]
    while True:
        observation, reward, terminated, truncated, info = env.step(choose(info["action_mask"]))
        seen.append((observation, info["action_mask"]))
        if terminated or truncated:
            return seen, reward, terminated, truncated, info
        assert reward == 0 and set(info) == {"action_mask"}


def random_choice(seed):
    generator = np.random.default_rng(seed)
    return lambda mask: int(generator.choice(np.flatnonzero(mask)))


def random_actions(masks, generator):
    return np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])


# One seat against a bot


@pytest.mark.parametrize(
    ("seat", "players"),
    [("free_peoples", 2), ("shadow", 2), ("isengard", 3), ("gondor", 4), ("isengard", 4), ("rohan", 4)],
)
def test_check_env(seat, players):
    pytest.importorskip("wotr_env.games.war_of_the_ring.render.drawing")
    env = gymnasium.make(
        ID, seat=seat, ruleset=Ruleset(players=players), illegal="loss", render_mode="ansi"
    ).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(env)


def test_the_checker_of_stable_baselines_finds_nothing():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        checker.check_env(gymnasium.make(ID, illegal="loss"))


def test_a_wrapper_gives_observations_as_floats():
    plain = gymnasium.make(ID, illegal="loss")
    floats = gymnasium.wrappers.DtypeObservation(gymnasium.make(ID, illegal="loss"), np.float32)
    (before, info), (after, told) = plain.reset(seed=1), floats.reset(seed=1)
    assert after.dtype == np.float32 and floats.observation_space.contains(after)
    assert (after == before).all() and (info["action_mask"] == told["action_mask"]).all()


@pytest.mark.parametrize("side", list(Side))
def test_plays_the_games_of_game(side):
    env = WarOfTheRingEnv(seat=side.name.lower(), opponent=First())
    seen, reward, terminated, truncated, info = play(env, 5, random_choice(5))
    choose = random_choice(5)
    game = Game(seed=5)
    position = iter(seen)
    while not game.over:
        if game.side == side:
            observation, mask = next(position)
            np.testing.assert_array_equal(observation, game.observe(side))
            np.testing.assert_array_equal(mask, game.mask())
            game.step(choose(game.mask()))
        else:
            game.step(first(game.mask()))
    (observation, mask), *none = position
    np.testing.assert_array_equal(observation, game.observe(side))
    assert not none and not mask.any()
    assert terminated and not truncated
    assert reward == (1.0 if game.result.winner == side else -1.0)
    assert info["winner"] == game.result.winner.name.lower()
    assert info["reason"] == game.result.reason.name.lower() and info["turn"] == game.result.turn


class Asked(First):
    """Remembers the seats that it was asked for."""

    def __init__(self):
        self.seats = set()

    def act(self, view):
        self.seats |= set(view.seats.tolist())
        return super().act(view)


def expected_reward(result, rules, seat, bonus):
    won = {rules.seats[seat].team: 1, 1 - rules.seats[seat].team: -1, Winner.DRAW: 0}[result.winner]
    return won + bonus * (seat in result.winning_partners)


@pytest.mark.parametrize(("players", "seat"), [(3, 2), (4, 0), (4, 3)])
def test_any_seat_plays_with_a_partner(players, seat):
    rules = Ruleset(players=players)
    names = [each.name for each in rules.seats]
    others = [number for number in range(players) if number != seat]
    bots = {number: Asked() for number in others}
    env = WarOfTheRingEnv(
        seat=names[seat],
        opponent={names[number]: bot for number, bot in bots.items()},
        ruleset=rules,
        individual_bonus=0.5,
    )
    seen, reward, _, _, info = play(env, 5, random_choice(5))
    assert [bots[number].seats for number in others] == [{number} for number in others]
    choose, game, position = random_choice(5), Game(5, rules), iter(seen)
    while not game.over:
        if game.seat == seat:
            observation, mask = next(position)
            np.testing.assert_array_equal(observation, game.observe(seat))
            np.testing.assert_array_equal(mask, game.mask())
            game.step(choose(game.mask()))
        else:
            game.step(first(game.mask()))
    assert len(list(position)) == 1
    assert reward == expected_reward(game.result, rules, seat, 0.5)
    assert info["winning_seats"] == tuple(names[each] for each in game.result.seats)


def test_a_spec_makes_a_bot_for_each_seat_and_an_object_plays_them_all():
    rules, asked = Ruleset(players=4, max_turns=1), Asked()
    env = WarOfTheRingEnv(seat="rohan", opponent=asked, ruleset=rules)
    play(env, 1, first)
    assert asked.seats == {0, 1, 2}
    mixed = {"gondor": "random", "sauron": Last(), "isengard": "random"}
    one, again = (WarOfTheRingEnv("rohan", opponent=mixed, ruleset=rules) for _ in range(2))
    games = [play(env, 4, first)[0] for env in (one, again)]
    assert [[o.tobytes() for o, _ in game] for game in games[:1]] == [
        [o.tobytes() for o, _ in game] for game in games[1:]
    ]
    bots = WarOfTheRingEnv("rohan", ruleset=rules)._opponents._bots
    assert len({id(bot) for bot in bots.values()}) == 3


def test_both_outcomes_are_rewarded():
    results = {play(WarOfTheRingEnv(), seed, random_choice(seed))[1] for seed in range(24)}
    assert results == {1.0, -1.0}


def test_turn_limit_truncates():
    env = gymnasium.make(ID, max_turns=1)
    _, reward, terminated, truncated, info = play(env, 1, first)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["winner"] == "draw" and info["reason"] == "turn_limit" and info["turn"] == 1


def test_seeds_decide_game_and_opponent():
    def games(env):
        yield play(env, 9, first)[0]
        for _ in range(2):
            yield play(env, None, first)[0]

    one = [[o.tobytes() for o, _ in game] for game in games(WarOfTheRingEnv(seat="shadow"))]
    again = [[o.tobytes() for o, _ in game] for game in games(WarOfTheRingEnv(seat="shadow"))]
    assert one == again
    assert len({tuple(game) for game in one}) == 3


def test_an_illegal_action_is_an_error():
    env = WarOfTheRingEnv()
    _, info = env.reset(seed=1)
    before = env.game.states.tobytes()
    with pytest.raises(IllegalAction, match="illegal in decision"):
        env.step(int(np.argmin(info["action_mask"])))
    assert env.game.states.tobytes() == before
    play(env, 1, first)
    with pytest.raises(IllegalAction, match="after the end"):
        env.step(0)


def test_an_illegal_action_can_lose():
    env = WarOfTheRingEnv(illegal="loss")
    _, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(int(np.argmin(info["action_mask"])))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert observation in env.observation_space and not info["action_mask"].any()
    with pytest.raises(IllegalAction, match="after the end"):
        env.step(0)
    assert env.reset(seed=1)[1]["action_mask"].any()


def test_action_masks_for_maskable_ppo():
    env = gymnasium.make(ID)
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, info["action_mask"])


def test_ruleset():
    env = WarOfTheRingEnv(ruleset=Ruleset.second_edition(), max_turns=3)
    assert env.game.ruleset.max_turns == 3
    assert play(env, 1, first)[0]


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ({"seat": "both"}, ValueError, "there is no player 'both'; this game has free-peoples, shadow"),
        (
            {"seat": "rohan", "ruleset": Ruleset(players=3)},
            ValueError,
            "no player 'rohan'; this game has free-peoples, sauron, isengard",
        ),
        ({"opponent": {"rohan": "random"}}, ValueError, "there is no player 'rohan'; this game has"),
        ({"opponent": {"fp": "random"}}, ValueError, "opponents has the seats shadow, not fp"),
        ({"opponent": {"shadow": "randon"}}, BotError, "did you mean random"),
        ({"individual_bonus": None}, ValueError, "the individual bonus is a finite number"),
        ({"illegal": "ignore"}, ValueError, "illegal is one of error, loss"),
        ({"render_mode": "svg"}, ValueError, "render_mode is one of"),
        ({"opponent": "randon"}, BotError, "did you mean random"),
        ({"opponent": "net:zoo/wid"}, BotError, "zoo/wid"),
        ({"opponent": "scripted:lvl=1"}, BotError, "unknown parameter 'lvl'.*did you mean level"),
        ({"opponent": "net"}, BotError, "parameter path is missing"),
        ({"opponent": 3}, BotError, "an opponent is a bot or the spec of one"),
        ({"ruleset": 1}, ValueError, "a ruleset of War of the Ring is a Ruleset"),
    ],
)
def test_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        WarOfTheRingEnv(**arguments)
    if "illegal" not in arguments:
        with pytest.raises(error, match=words):
            WarOfTheRingBotVectorEnv(2, **arguments)


def test_an_opponent_that_answers_nonsense_is_named():
    class Wrong:
        def act(self, view):
            return np.argmin(view.masks, axis=1)

    with pytest.raises(BotError, match="bot Wrong chose the illegal action"):
        WarOfTheRingEnv(seat="shadow", opponent=Wrong()).reset(seed=1)


@pytest.mark.parametrize("seed", [-1, 1.5, 2**63])
@pytest.mark.parametrize("make", [WarOfTheRingEnv, WarOfTheRingVectorEnv, WarOfTheRingBotVectorEnv])
def test_bad_seeds(make, seed):
    with pytest.raises(ValueError, match="a seed is an integer"):
        make().reset(seed=seed)


@pytest.mark.parametrize("make", [WarOfTheRingEnv, WarOfTheRingVectorEnv, WarOfTheRingBotVectorEnv])
def test_copies_go_on_alike(make):
    env = make()
    _, info = env.reset(seed=2)
    other = copy.deepcopy(env)
    for _ in range(100):
        action = info["action_mask"].argmax(axis=-1)
        observation, *_, info = env.step(action)
        observation_of_other, *_, info_of_other = other.step(action)
        np.testing.assert_array_equal(observation, observation_of_other)
        np.testing.assert_array_equal(info["action_mask"], info_of_other["action_mask"])


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_render(mode, capsys):
    pytest.importorskip("wotr_env.games.war_of_the_ring.render.drawing")
    env = gymnasium.make(ID, render_mode=mode)
    env.reset(seed=1)
    frame = env.render()
    if mode == "ansi":
        assert isinstance(frame, str) and frame
    elif mode == "rgb_array":
        assert frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
    else:
        assert frame is None and capsys.readouterr().out


# Vectors


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
        env = make(5, max_turns=4)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.num_envs == 5
    assert env.single_action_space.n == NUM_ACTIONS and env.action_space.shape == (5,)
    assert env.single_observation_space.shape == (OBSERVATION_SIZE,)
    assert env.observation_space.shape == (5, OBSERVATION_SIZE)
    generator = np.random.default_rng(1)
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space
    ends = 0
    for _ in range(600):
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
    env = WarOfTheRingVectorEnv(6, threads=2, max_turns=5)
    observations, infos = env.reset(seed=3)
    games = VectorGame(6, seed=3, ruleset=Ruleset(max_turns=5))
    generator = np.random.default_rng(3)
    ends = 0
    for _ in range(800):
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
    env = WarOfTheRingBotVectorEnv(3, seat=side.name.lower(), opponent=First(), max_turns=6)
    seed = 21

    def new(row, episode):
        number = int(kernel.episode_seeds(seed, np.full(3, episode))[row])
        return answered(Game(seed=number, ruleset=Ruleset(max_turns=6)))

    def answered(game):
        while not game.over and game.side != side:
            game.step(first(game.mask()))
        return game

    games, episodes = [new(row, 0) for row in range(3)], [0, 0, 0]
    observations, infos = env.reset(seed=seed)
    generator = np.random.default_rng(1)
    for _ in range(700):
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
    env = WarOfTheRingVectorEnv(4, ruleset=rules, individual_bonus=0.25)
    games = VectorGame(4, seed=3, ruleset=rules, individual_bonus=0.25)
    observations, infos = env.reset(seed=3)
    generator = np.random.default_rng(3)
    ends = 0
    while ends < 3:
        np.testing.assert_array_equal(observations, games.observations)
        np.testing.assert_array_equal(infos["seat"], games.seats)
        movers = infos["seat"]
        actions = random_actions(infos["action_mask"], generator)
        games.step(actions)
        observations, rewards, *_, infos = env.step(actions)
        np.testing.assert_array_equal(infos["rewards"], games.rewards)
        np.testing.assert_array_equal(rewards, games.rewards[np.arange(4), movers])
        for game in np.flatnonzero(games.terminated):
            ends += 1
            winners = np.flatnonzero(games.outcomes["won"][game])
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
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=256, n_epochs=2, seed=1, device="cpu")
    model.learn(2_000)
    assert model.num_timesteps >= 2_000
    observation, _ = env.reset(seed=1)
    for _ in range(50):
        masks = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(observation, action_masks=masks)
        assert masks[action]
        observation, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            break
