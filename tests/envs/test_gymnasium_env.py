"""The Gymnasium environment: Gymnasium's own checks, and bots as opponents."""

import copy
import inspect
import typing
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.gymnasium_play import ID, First, Last, expected_reward, first
from wotr_agents import BotError
from wotr_env import Game, IllegalAction, Ruleset
from wotr_env.core.spelling import canonical_name
from wotr_env.envs.gymnasium_env import SeatName, WarOfTheRingEnv
from wotr_env.envs.gymnasium_vector import VectorArguments, WarOfTheRingBotVectorEnv, WarOfTheRingVectorEnv
from wotr_env.envs.kind_vector import KindVectorEnv
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.ruleset import SEATS


def test_the_types_of_words_name_what_is_accepted():
    names = {seat.name for seats in SEATS.values() for seat in seats}
    assert set(typing.get_args(SeatName)) == names | {canonical_name(name) for name in names}
    vector = inspect.signature(KindVectorEnv).parameters.keys()
    assert typing.get_type_hints(VectorArguments).keys() == vector - {"game", "num_envs"}


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


@pytest.mark.parametrize(
    ("seat", "players"),
    [("free_peoples", 2), ("shadow", 2), ("isengard", 3), ("rohan", 4)],
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


@pytest.mark.parametrize(("players", "seat"), [(3, 2), (4, 3)])
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
    rewards = set()
    for seat in ("free_peoples", "shadow"):
        _, reward, _, _, info = play(WarOfTheRingEnv(seat=seat), 4, random_choice(4))
        assert reward == (1.0 if info["winner"] == seat else -1.0)
        rewards.add(reward)
    assert len(rewards) == 2


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

    envs = (WarOfTheRingEnv(seat="shadow", max_turns=2) for _ in range(2))
    one, again = ([[o.tobytes() for o, _ in game] for game in games(env)] for env in envs)
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
