"""Shaping adds what a potential says and no more: returns move by a constant, and nothing hidden is told."""

import copy
import itertools
import pickle

import gymnasium
import numpy as np
import pytest

import wotr_env
from tests.random_play import positions_of_partners
from tests.toy_race import RACE, RaceRuleset
from wotr_env import Ruleset
from wotr_env.envs import kind_pettingzoo
from wotr_env.envs.gymnasium_env import WarOfTheRingEnv
from wotr_env.envs.gymnasium_vector import WarOfTheRingBotVectorEnv, WarOfTheRingVectorEnv
from wotr_env.envs.kind_gymnasium import KindEnv
from wotr_env.envs.kind_pettingzoo import KindAEC
from wotr_env.envs.shaping import ShapedRewards, Shaping
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.play.games import game_kind

DUEL = game_kind("duel")
GAMMAS = (1.0, 0.9)
SHORT = Ruleset(max_turns=1)
MAKERS = {
    "war": lambda **given: wotr_env.raw_env(ruleset=SHORT, **given),
    "war-wrapped": lambda **given: wotr_env.env(ruleset=SHORT, **given),
    "partners": lambda **given: wotr_env.env(ruleset=Ruleset(players=4, max_turns=1), **given),
    "duel": lambda **given: kind_pettingzoo.env(game=DUEL, **given),
    "race": lambda **given: kind_pettingzoo.raw_env(game=RACE, **given),
}
ONE_SEAT = {
    "war": lambda **given: WarOfTheRingEnv("shadow", ruleset=SHORT, **given),
    "duel": lambda **given: KindEnv(DUEL, "sauron", **given),
    "race": lambda **given: KindEnv(RACE, "green", **given),
}
by_gamma = pytest.mark.parametrize("gamma", GAMMAS)


def potential(observations):
    """Tells of every number of an observation."""
    weights = np.sin(np.arange(observations.shape[1]) + 1.0)
    return 3 + np.cos((observations * weights).sum(axis=1))


class First:
    """A bot: the first legal action."""

    def act(self, view):
        return view.masks.argmax(axis=1)


def of(observation):
    return potential(observation[None])[0]


def discounted(rewards, gamma):
    return sum(reward * gamma**power for power, reward in enumerate(rewards))


def turns(env, seed):
    """Random legal play to the end: what each agent saw at its decisions, and all the rewards it got."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seen = {agent: [] for agent in env.possible_agents}
    got = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        got[agent].append(reward)
        over = terminated or truncated
        if not over:
            seen[agent].append(observation["observation"])
            others = set(env.agents) - {agent}
            assert not any(env.rewards[other] for other in others)  # only he who decides learns anything
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return seen, got


def added(shaped, plain):
    """What shaping has added after each decision."""
    assert shaped[0] == plain[0] == 0 or len(shaped) == 1
    return [float(one - other) for one, other in zip(shaped[1:], plain[1:], strict=True)]


def expected(seen, gamma):
    """The same by definition, from what the agent itself has seen and nothing else."""
    potentials = [of(each) for each in seen] + [0.0]
    return [gamma * after - before for before, after in itertools.pairwise(potentials)]


@by_gamma
@pytest.mark.parametrize("name", MAKERS)
def test_pettingzoo_returns_move_by_the_first_potential(name, gamma):
    make = MAKERS[name]
    seen, shaped = turns(make(shaping=Shaping(potential, gamma)), 3)
    _, plain = turns(make(), 3)
    for agent, each in seen.items():
        assert each
        more = added(shaped[agent], plain[agent])
        assert more == pytest.approx(expected(each, gamma))
        assert discounted(more, gamma) == pytest.approx(-of(each[0]))


def one_seat(env, seed):
    """Random legal play to the end: what the learner saw at its decisions, and the rewards after them."""
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seen, got, over = [], [], False
    while not over:
        seen.append(observation)
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        got.append(reward)
        over = terminated or truncated
    return seen, got


@by_gamma
@pytest.mark.parametrize("name", ONE_SEAT)
def test_gymnasium_returns_move_by_the_first_potential(name, gamma):
    env = ONE_SEAT[name](shaping=Shaping(potential, gamma))
    for seed in (3, 4):  # the second game owes nothing to the first
        seen, shaped = one_seat(env, seed)
        _, plain = one_seat(ONE_SEAT[name](), seed)
        more = [one - other for one, other in zip(shaped, plain, strict=True)]
        assert more == pytest.approx(expected(seen, gamma))
        assert discounted(more, gamma) == pytest.approx(-of(seen[0]))


def returns_of_all_plays(shaping, gamma, seed):
    """The discounted return of every sequence of the learner's choices in a race of two."""
    env = KindEnv(RACE, "red", First(), RaceRuleset(2), shaping=shaping)
    found = {}
    for choices in itertools.product(range(2), repeat=4):
        env.reset(seed=seed)
        got, over = [], False
        for action in choices:
            if not over:
                _, reward, over, _, _ = env.step(action)
                got.append(reward)
        assert over
        found[choices] = discounted(got, gamma)
    return found


@by_gamma
def test_the_best_plays_are_the_same(gamma):
    apart = 0
    for seed in range(20):
        plain = returns_of_all_plays(None, gamma, seed)
        shaped = returns_of_all_plays(Shaping(potential, gamma), gamma, seed)
        moved = [shaped[choices] - worth for choices, worth in plain.items()]
        assert moved == pytest.approx([moved[0]] * len(moved)) and abs(moved[0]) > 1
        apart += len({round(worth, 6) for worth in plain.values()}) > 1
    assert apart > 5  # games in which choices matter


def test_an_illegal_action_gains_nothing():
    for name in ("war-wrapped", "duel"):
        env = MAKERS[name](shaping=Shaping(potential))
        env.reset(seed=1)
        first, total = {}, dict.fromkeys(env.possible_agents, 0.0)
        rng = np.random.default_rng(1)
        while len(first) < 2:
            agent = env.agent_selection
            observation, reward, *_ = env.last()
            total[agent] += reward
            first.setdefault(agent, of(observation["observation"]))
            legal = observation["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(legal))))
        loser = env.agent_selection
        mask = env.last()[0]["action_mask"]
        total[loser] += env.last()[1]
        env.step(int(mask.argmin()))
        for agent in env.agents:
            worth = -1 if agent == loser else 0
            assert total[agent] + env._cumulative_rewards[agent] == pytest.approx(worth - first[agent])

    alone = KindEnv(DUEL, opponent=First(), illegal="loss", shaping=Shaping(potential))
    observation, info = alone.reset(seed=1)
    _, reward, terminated, _, _ = alone.step(int(info["action_mask"].argmin()))
    assert terminated and reward == pytest.approx(-1 - of(observation))


def batch(env, gamma, steps, seed=5):
    """Random play, by step: observations and seats before it, rewards by seat, where games ended."""
    observations, infos = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        masks, seats = infos["action_mask"], infos["seat"]
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        seen = observations
        observations, rewards, terminated, truncated, infos = env.step(actions)
        yield seen, seats, rewards, infos["rewards"], terminated | truncated


@by_gamma
@pytest.mark.parametrize(("players", "steps"), [(2, 400), (4, 400)])
def test_batches_of_self_play_move_by_the_first_potential(gamma, players, steps):
    rules = Ruleset(players=players, max_turns=1)
    shaped, plain = (
        WarOfTheRingVectorEnv(4, ruleset=rules, shaping=each) for each in (Shaping(potential, gamma), None)
    )
    ended = check_batches(shaped, plain, gamma, steps, players)
    assert ended >= 4


def test_batches_against_bots_move_by_the_first_potential():
    for gamma in GAMMAS:
        shaped, plain = (
            WarOfTheRingBotVectorEnv(4, "shadow", "random", ruleset=SHORT, shaping=each)
            for each in (Shaping(potential, gamma), None)
        )
        assert check_batches(shaped, plain, gamma, 200, 2, learner=1) >= 4


def check_batches(shaped, plain, gamma, steps, seats, learner=None):
    """Plays the same games twice; each sum of what was added is minus the first potential. Ended games."""
    count = np.zeros((4, seats), dtype=int)
    first = np.zeros((4, seats))
    total = np.zeros((4, seats))
    rows, ended = np.arange(4), 0
    for one, other in zip(batch(shaped, gamma, steps), batch(plain, gamma, steps), strict=True):
        seen, deciding, own, rewards, over = one
        assert (seen == other[0]).all() and (over == other[4]).all()
        assert (own == rewards[rows, deciding]).all()
        fresh = count[rows, deciding] == 0
        first[rows, deciding] = np.where(fresh, potential(seen), first[rows, deciding])
        count[rows, deciding] += 1
        total += (rewards - other[3]) * gamma ** np.maximum(count - 1, 0)
        played = np.where(count > 0, first, 0)
        np.testing.assert_allclose(total[over], -played[over], atol=1e-4)
        assert learner is None or not np.delete(total, learner, axis=1).any()
        ended += over.sum()
        count[over], total[over] = 0, 0
    return ended


def test_the_potential_is_given_what_the_seat_sees_and_no_more():
    given = []

    def note(observations):
        given.extend(observations.copy())
        return potential(observations)

    for name in ("war", "race"):
        given.clear()
        env = MAKERS[name](shaping=Shaping(note))
        seen, _ = turns(env, 2)
        assert len(given) == sum(map(len, seen.values()))
        assert {each.tobytes() for each in given} == {row.tobytes() for rows in seen.values() for row in rows}
    given.clear()
    seen, _ = one_seat(WarOfTheRingEnv("shadow", ruleset=SHORT, shaping=Shaping(note)), 2)
    assert np.array_equal(given, seen)
    given.clear()
    envs = WarOfTheRingBotVectorEnv(4, "shadow", "random", ruleset=SHORT, shaping=Shaping(note))
    seen = {row.tobytes() for rows, *_ in batch(envs, 1.0, 60) for row in rows}
    last = envs.games.observations
    assert {each.tobytes() for each in given} == seen | {row.tobytes() for row in last}


@pytest.mark.parametrize("players", [3, 4])
def test_what_is_hidden_moves_no_reward(players):
    states = positions_of_partners(players)
    states = states[states["winner"] < 0]
    seats = states["seat"].astype(np.int64)
    worlds = states.copy()
    kernel.sample_worlds(worlds, seats, np.arange(len(states)))
    assert (worlds["card_zone"] != states["card_zone"]).any(axis=1).mean() > 0.9
    gained = []
    for each in (states, worlds):
        rewards = ShapedRewards(Shaping(potential, 0.9), len(states), players)
        rewards.decide(np.arange(len(states)), seats, observe(each[::-1].copy(), seats[::-1]))
        gained.append(rewards.decide(np.arange(len(states)), seats, observe(each, seats)))
    assert gained[0].any() and np.array_equal(*gained)


def test_a_reset_in_the_middle_of_a_game_begins_anew():
    agents = KindAEC(DUEL, shaping=Shaping(potential))
    envs = WarOfTheRingVectorEnv(2, ruleset=SHORT, shaping=Shaping(potential))
    for _ in range(2):
        agents.reset(seed=1)
        _, infos = envs.reset(seed=1)
        assert not any(agents.rewards.values()) and not any(agents._cumulative_rewards.values())
        paid, asked = 0, np.zeros((2, 2), dtype=bool)
        while not asked.all():
            fresh = ~asked[np.arange(2), infos["seat"]]
            asked[np.arange(2), infos["seat"]] = True
            if paid:
                assert not infos["rewards"][np.arange(2), infos["seat"]][fresh].any()
            _, _, _, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
            paid += 1
        assert paid > 2
        for _ in range(5):
            agents.step(int(agents.observe(agents.agent_selection)["action_mask"].argmax()))
    one = KindEnv(DUEL, opponent=First(), shaping=Shaping(potential))
    for _ in range(2):
        observation, info = one.reset(seed=1)
        after, reward, *_ = one.step(int(info["action_mask"].argmax()))
        assert reward == pytest.approx(of(after) - of(observation))


def test_copies_go_on_alike():
    env = KindAEC(DUEL, shaping=Shaping(potential, 0.9))
    env.reset(seed=3)
    for _ in range(40):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    again = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(40):
        action = int(env.observe(env.agent_selection)["action_mask"].argmax())
        for each in (env, *again):
            each.step(action)
        assert all(each.rewards == env.rewards for each in again)
    assert any(env.rewards.values())


def test_it_is_an_argument_of_make():
    env = gymnasium.make("WarOfTheRing-v0", ruleset=SHORT, opponent=First(), shaping=Shaping(potential))
    observation, info = env.reset(seed=1)
    after, reward, *_ = env.step(int(info["action_mask"].argmax()))
    assert reward == pytest.approx(of(after) - of(observation))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: Shaping(3), TypeError),  # type: ignore[arg-type]
        (lambda: Shaping(potential, 1.5), ValueError),
        (lambda: Shaping(potential, True), ValueError),
        (lambda: Shaping(potential, float("nan")), ValueError),
        (lambda: KindAEC(RACE, shaping=potential), TypeError),  # type: ignore[arg-type]
        (lambda: KindAEC(RACE, shaping=Shaping(lambda seen: seen.sum())).reset(seed=1), ValueError),
        (lambda: KindAEC(RACE, shaping=Shaping(lambda seen: [np.inf])).reset(seed=1), ValueError),
        (lambda: KindAEC(RACE, shaping=Shaping(lambda seen: seen.fill(0))).reset(seed=1), ValueError),
    ],
)
def test_wrong_shapings_are_refused(wrong, error):
    with pytest.raises(error):
        wrong()


def test_a_potential_of_another_shape_is_told_what_is_wanted():
    env = KindAEC(RACE, shaping=Shaping(lambda seen: np.zeros((1, 5))))
    words = r"^a potential returns one number per row: shape \(1,\), not \(1, 5\)$"
    with pytest.raises(ValueError, match=words):
        env.reset(seed=1)
