"""The environments of any game: the checks of PettingZoo and Gymnasium, rewards, copies and leaks."""

import copy
import dataclasses
import inspect
import pickle
import typing
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from tests.toy_race import RACE
from wotr_agents import BotError
from wotr_env import IllegalAction
from wotr_env.core.raster import raster
from wotr_env.envs import kind_pettingzoo
from wotr_env.envs.kind_gymnasium import KindEnv
from wotr_env.envs.kind_pettingzoo import KindAEC, KindArguments
from wotr_env.envs.kind_vector import KindBotVectorEnv
from wotr_env.play.games import game_kind, game_kinds

DUEL = game_kind("duel")
GAMES = [*game_kinds().values(), RACE]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


class First:
    """A bot: the first legal action."""

    def act(self, view):
        return view.masks.argmax(axis=1)


class Parallel(KindAEC):
    """parallel_api_test plays actions without a mask, so take a legal one in place of an illegal one."""

    def step(self, action):
        mask = self.game.masks[0]
        super().step(action if action is None or mask[action] else int(mask.argmax()))


def play(env, seed):
    """Random legal play to the end; the actions."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    actions = []
    while not any(env.terminations.values()):
        observation = env.observe(env.agent_selection)
        actions.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(actions[-1])
    return actions


@pytest.mark.parametrize("make", [kind_pettingzoo.env, kind_pettingzoo.raw_env])
def test_arguments_that_are_unknown_or_missing_are_told_in_words(make):
    known = "game, name, ruleset, render_mode, shaping, max_turns, rewards, individual_bonus, viewer"
    with pytest.raises(TypeError, match=f"^unknown argument 'seat' of the environment; known: {known}$"):
        make(game="duel", seat="sauron")
    with pytest.raises(TypeError, match="^the environment needs the argument 'game'$"):
        make(render_mode="ansi")


@by_game
def test_nothing_is_rendered_before_the_first_game(game):
    for env in (KindAEC(game, render_mode="ansi"), KindEnv(game, opponent=First(), render_mode="ansi")):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\)"):
            env.render()
        env.reset(seed=1)
        assert env.render()


def test_the_type_of_the_arguments_has_all_that_there_are():
    assert list(typing.get_type_hints(KindArguments)) == list(inspect.signature(KindAEC).parameters)


@by_game
@pytest.mark.parametrize("make", [kind_pettingzoo.env, kind_pettingzoo.raw_env])
def test_api(game, make):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")  # a Dict
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "We recommend agents to be named")  # asks for a name of one word
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")  # after the end
        warnings.filterwarnings("ignore", "`reset` is called with options")
        api_test(make(game=game), num_cycles=500)


@by_game
def test_seeds_are_reproducible(game):
    seed_test(lambda: kind_pettingzoo.env(game=game), num_cycles=200)


@by_game
def test_parallel_form(game):
    env = Parallel(game)
    env.metadata["is_parallelizable"] = True
    parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=50)


def test_made_by_id():
    env = pettingzoo.make("aec", "lotr_duel-v0", ruleset="open")
    assert str(env) == "lotr_duel_v0" and env.unwrapped.game.ruleset.free_order
    assert env.possible_agents == ["fellowship_0", "sauron_0"]


@pytest.mark.parametrize("players, ruleset", list(enumerate(("two", "three", "four", "five"), start=2)))
def test_two_to_five_agents(players, ruleset):
    env = pettingzoo.make("aec", "two_towers-v0", ruleset=ruleset)
    assert str(env) == "two_towers_v0" and len(env.possible_agents) == players
    play(env, 3)
    rewards = sorted(env.rewards.values())
    assert rewards == [-1.0] * (players - 1) + [1.0]


@by_game
def test_plays_the_game_of_its_seed(game):
    env = KindAEC(game)
    for seed in range(5):
        actions = play(env, seed)
        other = game.game(seed, game.find_ruleset())
        for action in actions:
            other.step(action)
        assert other.state.tobytes() == env.game.states.tobytes()
        end = env.infos[env.possible_agents[0]]
        seats = other.ruleset.seats
        reason = next(each for each in game.ends if each.name == end["reason"])
        worths = reason.worth if isinstance(reason.worth, tuple) else (reason.worth, -reason.worth)
        assert list(env.rewards.values()) == [worths[seat.team] for seat in seats]
        if end["winner"] != "draw" and game.environments.end_info is None:
            assert {game.teams[seat.team].name for seat in seats if seat.name in end["winning_seats"]} == {
                end["winner"]
            }


def test_any_game_has_a_viewer_and_can_do_without_rewards():
    kind = game_kind("two-towers")
    viewer = kind.find_ruleset().seats[1].name
    env = KindAEC(kind, render_mode="rgb_array", rewards="none", viewer=viewer)
    env.reset(seed=1)
    assert env.viewer == f"{viewer}_0"
    shown = env.render()
    for seat, same in enumerate((False, True)):  # each sees only its own hand
        assert np.array_equal(shown, raster(kind.drawing(env.game.states[0], seat))) is same
    play(env, 1)
    assert set(env.rewards.values()) == {0}


def test_an_illegal_action_loses_or_raises():
    env = kind_pettingzoo.env(game="duel")
    env.reset(seed=1)
    illegal = int(np.argmin(env.observe(env.agent_selection)["action_mask"]))
    loser = env.agent_selection
    env.step(illegal)
    assert env.rewards[loser] == -1 and all(env.terminations.values())
    raw = kind_pettingzoo.raw_env(game="duel")
    raw.reset(seed=1)
    before = raw.game.states.tobytes()
    for wrong in (illegal, -1, DUEL.actions.size, 1.5):
        with pytest.raises(IllegalAction):
            raw.step(wrong)
    assert raw.game.states.tobytes() == before


@pytest.mark.parametrize("game", ["war-of-the-ring", "duel"])
@pytest.mark.parametrize("illegal", ["error", "loss"])
def test_an_action_before_reset_and_a_name_are_refused_in_words(game, illegal):
    env = KindEnv(game, illegal=illegal)
    with pytest.raises(IllegalAction, match=r"^action 1 before a game has begun: call reset\(\)$"):
        env.step(1)
    env.reset(seed=1)
    name = env.game.kind.actions.names[env.action_masks().argmax()]
    with pytest.raises(IllegalAction, match=f"^an action is an integer, its id, not '{name}'$"):
        env.game.step(name)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(copied):
    env = KindAEC("duel")
    env.reset(seed=3)
    env.step(int(env.game.masks[0].argmax()))
    other = copied(env)
    while not env.game.over:
        action = int(env.game.masks[0].argmax())
        env.step(action)
        other.step(action)
        assert env.game.states.tobytes() == other.game.states.tobytes()
    assert env.rewards == other.rewards


def test_nothing_hidden_is_seen():
    """Observations, masks and text stay when what the seat does not know is drawn anew."""
    env = KindAEC("duel", render_mode="ansi")
    for seed in range(5):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        changed = 0
        while not env.game.over:
            seat, agent = env.game.seat, env.agent_selection
            seen, text, true = env.observe(agent), env.render(), env.game.states.copy()
            DUEL.kernels.sample_worlds(env.game.states, np.array([seat]), rng.integers(0, 2**62, 1))
            changed += env.game.states["deck"].tobytes() != true["deck"].tobytes()
            assert (env.observe(agent)["observation"] == seen["observation"]).all() and env.render() == text
            env.game.states[:] = true
            env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        assert changed > 10


def test_the_text_for_a_viewer_shows_nothing_hidden_from_it():
    kind, rng, texts, changed = game_kind("two-towers"), np.random.default_rng(1), set(), 0
    env = KindAEC(kind, render_mode="ansi", viewer=kind.find_ruleset().seats[1].name)
    env.reset(seed=1)
    for _ in range(60):
        text, true = env.render(), env.game.states.copy()
        kind.kernels.sample_worlds(env.game.states, np.array([1]), rng.integers(0, 2**62, 1))
        changed += env.game.states["hand"].tobytes() != true["hand"].tobytes()
        assert env.render() == text
        env.game.states[:] = true
        texts.add((env.game.seat, text))
        env.step(int(rng.choice(np.flatnonzero(env.game.masks[0]))))
    assert changed > 10
    assert {text.splitlines()[0] for seat, text in texts if seat == 0} == {"Player 1 decides"}
    assert len({text for seat, text in texts if seat == 1}) > 10


@by_game
def test_check_env(game):
    for seat in game.find_ruleset().seats:
        env = KindEnv(game, seat=seat.name, opponent=First(), illegal="loss", render_mode="ansi")
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            warnings.filterwarnings("ignore", ".*Not able to test alternative render modes")  # it has no spec
            check_env(env)


def test_check_env_of_what_is_made_by_id():
    for seat in ("fellowship", "sauron"):
        env = gymnasium.make("LotrDuel-v0", seat=seat, illegal="loss", render_mode="ansi").unwrapped
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            check_env(env)


@by_game
def test_one_seat_against_bots(game):
    rules = game.limited(game.find_ruleset(), 2)
    cutting = {end.name for end in game.ends if end.truncates}
    for seat, named in enumerate(rules.seats):
        env = KindEnv(game, seat=named.name, opponent=First(), ruleset=rules)
        observation, info = env.reset(seed=4)
        other = game.game(4, rules)
        over = False
        while not over:
            while other.state["seat"] != seat:
                other.step(other.legal()[0])
            assert np.flatnonzero(info["action_mask"]).tolist() == other.legal()
            seen = game.kernels.observe(np.array([other.state]), np.array([seat]))
            assert (observation == seen[0]).all() and (env.action_masks() == info["action_mask"]).all()
            other.step(other.legal()[-1])
            observation, reward, terminated, truncated, info = env.step(
                int(np.flatnonzero(info["action_mask"])[-1])
            )
            over = terminated or truncated
            assert truncated == (info.get("reason") in cutting) and (over or reward == 0)
            while other.result is None and other.state["seat"] != seat:
                other.step(other.legal()[0])
            assert over == (other.result is not None)
        assert other.state.tobytes() == env.game.states.tobytes()
        assert reward == env.game.rewards()[seat] and not info["action_mask"].any()
        with pytest.raises(IllegalAction):
            env.step(0)


def test_a_vector_of_games():
    envs = gymnasium.make_vec("LotrDuel-v0", num_envs=3, opponent="random")
    _, infos = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(150):
        chosen = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in infos["action_mask"]]
        _, rewards, terminated, _, infos = envs.step(np.array(chosen))
        ended += int(terminated.sum())
        assert (rewards[~terminated] == 0).all()
    assert ended > 3


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"game": "chess"}, ValueError, "unknown game"),
        ({"game": "duel", "ruleset": "closed"}, ValueError, "has no ruleset"),
        ({"game": "duel", "ruleset": 3}, ValueError, "is a DuelRuleset, a dictionary of its options"),
        ({"game": "duel", "render_mode": "svg"}, ValueError, "render_mode is one of"),
    ],
)
def test_wrong_arguments(arguments, error, words):
    for make in (KindAEC, KindEnv):
        with pytest.raises(error, match=words):
            make(**arguments)


def test_games_that_are_drawn_are_rendered_as_pixels():
    undrawn = dataclasses.replace(DUEL, drawing=None)
    for make in (KindAEC, KindEnv):
        env = make("duel", render_mode="rgb_array")
        assert "rgb_array" in env.metadata["render_modes"]
        env.reset(seed=2)
        pixels = env.render()
        assert pixels.shape == (840, 1060, 3) and pixels.dtype == np.uint8 and len(np.unique(pixels)) > 100
        np.testing.assert_array_equal(pixels, env.render())
        with pytest.raises(ValueError, match="render_mode is one of"):
            make(undrawn, render_mode="rgb_array")


def test_a_game_that_ends_before_the_learner_decides_is_replaced(monkeypatch):
    """With one turn, the last of three players never decides in many games of The Two Towers."""
    rules = game_kind("two-towers").find_ruleset("three")
    env = KindEnv("two-towers", rules.seats[-1].name, ruleset=rules, max_turns=1)
    envs = KindBotVectorEnv("two-towers", 4, rules.seats[-1].name, ruleset=rules, max_turns=1)
    _, infos = envs.reset(seed=1)
    rng, ended, first = np.random.default_rng(1), 0, set()
    for seed in range(20):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any() and "winner" not in info
        first.add(env.game.states["turn"].item())
        assert infos["action_mask"].any(axis=1).all()
        masks = infos["action_mask"]
        *_, terminated, _, infos = envs.step(np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
        ended += terminated.sum()
    assert ended > 3
    monkeypatch.setattr("wotr_env.envs.kind_gymnasium.MOST_STARTS", 3)
    monkeypatch.setattr("wotr_env.envs.kind_vector.MOST_STARTS", 3)
    short = {"seat": "fellowship", "max_turns": 1}  # Sauron begins
    with pytest.raises(ValueError, match=r"in a row ended before fellowship made a decision; use a ruleset"):
        KindEnv("duel", **short).reset(seed=1)
    with pytest.raises(ValueError, match=r"in a row ended before fellowship made a decision; use a ruleset"):
        KindBotVectorEnv("duel", 2, **short).reset(seed=1)


def test_wrong_opponents():
    with pytest.raises(BotError):
        KindEnv("duel", opponent="nobody")
    with pytest.raises(ValueError, match="there is no player 'shadow'; this game has fellowship, sauron"):
        KindEnv("duel", seat="shadow")


@pytest.mark.parametrize("page", ["duel", "two-towers"])
def test_the_example_of_the_docs(page):
    page = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(example, names)
    assert not names["env"].agents and names["single"].observation_space.contains(names["observation"])
