"""The checklist that every game of an environment must pass (after OpenSpiel), over random games."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest

from tests.random_play import PLAYS, positions, refreshed
from wotr_env import Game, IllegalAction, Ruleset, VectorGame
from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.observation import observe

RULESETS = {
    "first": Ruleset.first_edition(),
    "second": Ruleset.second_edition(),
    "ask_single": Ruleset(ask_single=True),
    "turn_limit": Ruleset(max_turns=3),
}


@functools.cache
def visited(name: str, seed: int, every: int = 113, most: int = 8000) -> tuple[Game, ...]:
    """A random game at each so many decisions, and its end if it has one within ``most``."""
    game = Game(seed, RULESETS[name])
    choices = np.random.default_rng(seed)
    found = []
    for step in range(most):
        if step % every == 0 or game.over:
            found.append(game.clone())
        if game.over:
            break
        game.step(choices.choice(game.legal()))
    return tuple(found)


@pytest.fixture(params=RULESETS)
def games(request) -> tuple[Game, ...]:
    """Positions of random games; the last of each game is its end."""
    return tuple(game for seed in range(2) for game in visited(request.param, seed))


def same(one: Game, other: Game) -> bool:
    """The same game: state, legal actions, decision, result and observations."""
    return (
        one.hash() == other.hash()
        and one.legal() == other.legal()
        and (one.decision, one.seat, one.result) == (other.decision, other.seat, other.result)
        and all((one.observe(seat) == other.observe(seat)).all() for seat in range(2))
    )


def play_both(one: Game, other: Game, seed: int, most: int = 40) -> None:
    """The same random actions in both games lead to the same games."""
    choices = np.random.default_rng(seed)
    for _ in range(most):
        if one.over:
            break
        action = int(choices.choice(one.legal()))
        one.step(action)
        other.step(action)
    assert same(one, other)


# --- One game. ---


def test_games_end_with_a_result(games):
    assert {game.over for game in games} == {True, False}
    for game in games:
        assert game.over == (game.result is not None) == (not game.legal())


def test_a_clone_is_the_same_and_evolves_the_same(games):
    for number, game in enumerate(games):
        one, other = game.clone(), game.clone()
        assert same(one, game) and same(one, other)
        play_both(one, other, number)


@pytest.mark.parametrize("copied", [Game.clone, copy.copy])
def test_a_clone_leaves_the_original_alone(games, copied):
    for game in games[::5]:
        before, clone = game.hash(), copied(game)
        if not game.over:
            clone.step(clone.legal()[0])
            assert clone.hash() != before
        assert game.hash() == before and len(clone.actions) == len(game.actions) + (not game.over)


def test_a_saved_game_is_the_same_and_evolves_the_same(games):
    for number, game in enumerate(games):
        data = game.to_bytes()
        other = Game.from_bytes(data)
        assert same(game, other) and other.to_bytes() == data
        assert (other.seed, other.actions, other.ruleset) == (game.seed, game.actions, game.ruleset)
        play_both(game.clone(), other, number)


def test_a_game_of_the_same_state_evolves_the_same(games):
    for number, game in enumerate(games[::3]):
        other = Game.from_state(game.state)
        assert same(game, other)
        play_both(game.clone(), other, number)


def test_seed_and_actions_lead_to_the_same_game(games):
    end = games[-1]
    again = Game(end.seed, end.ruleset)
    for action in end.actions:
        again.step(action)
    assert same(again, end)


def test_the_mask_is_the_list(games):
    for game in games:
        mask = game.mask()
        assert mask.shape == (NUM_ACTIONS,) and np.flatnonzero(mask).tolist() == game.legal()


def test_illegal_actions_are_refused_and_change_nothing(games):
    for game in games[::7]:
        before = game.to_bytes()
        for action in [*np.flatnonzero(~game.mask()).tolist(), -1, NUM_ACTIONS]:
            with pytest.raises(IllegalAction):
                game.step(action)
        assert game.to_bytes() == before


def test_looking_changes_nothing(games):
    for game in games[::3]:
        before = game.to_bytes()
        game.observe(0), game.observe(1), game.mask(), game.legal(), game.describe(), repr(game), game.result
        assert game.to_bytes() == before


# --- Actions. ---


def test_action_names_are_unique_and_lead_back():
    assert len(set(ACTION_NAMES)) == NUM_ACTIONS == len(ACTION_IDS)
    game = Game(1)
    for action, name in enumerate(ACTION_NAMES):
        assert game.name_of(action) == name and game.action(name) == action == ACTION_IDS[name]


def test_legal_actions_have_names_of_their_own(games):
    for game in games:
        assert not any(game.name_of(action).startswith("unused") for action in game.legal())


# --- Observations. ---


def test_all_ways_to_observe_agree(games):
    states = np.array([game.state for game in games])
    for seat in range(2):
        rows = observe(states, seat)
        for game, row in zip(games, rows, strict=True):
            np.testing.assert_array_equal(game.observe(seat), row)
    for game in games:
        np.testing.assert_array_equal(game.observe(), game.observe(game.seat))


@pytest.mark.parametrize("auto_reset", (True, False))
def test_a_vector_observes_what_its_games_do(auto_reset):
    games = VectorGame(8, seed=3, ruleset=RULESETS["turn_limit"], auto_reset=auto_reset)
    choices = np.random.default_rng(3)
    for step in range(400):
        np.testing.assert_array_equal(games.observations, observe(games.states, games.seats))
        if step % 40 == 0:
            for state, seen, mask in zip(games.states, games.observations, games.masks, strict=True):
                game = Game.from_state(state)
                np.testing.assert_array_equal(game.observe(), seen)
                np.testing.assert_array_equal(game.mask(), mask)
        if not auto_reset and games.terminated.all():
            break
        games.step(random_actions(games, choices))


@pytest.mark.parametrize("name", ("first", "turn_limit"))
def test_resampling_leaves_the_observation_at_every_decision_of_a_game(name):
    rng = np.random.default_rng(2)
    game, found = Game(5, RULESETS[name]), []
    while not game.over and len(found) < 1500:
        found.append(game.state)
        game.step(rng.choice(game.legal()))
    assert game.over or name == "first", "the turn limit ends a game"
    states, masks = refreshed(np.array(found))
    for seat in range(2):
        worlds = states.copy()
        WAR_OF_THE_RING.kernels.sample_worlds(
            worlds, np.full(len(worlds), seat), rng.integers(2**62, size=len(worlds))
        )
        assert (worlds != states).all()
        np.testing.assert_array_equal(observe(worlds, seat), observe(states, seat))
        own = states["seat"] == seat
        np.testing.assert_array_equal(refreshed(worlds)[1][own], masks[own])


# --- Many games in step. ---


def random_actions(games: VectorGame, choices: np.random.Generator) -> np.ndarray:
    """A random legal action for each game; ``NO_ACTION`` for those that are over."""
    weights = np.where(games.masks, choices.random(games.masks.shape), -1)
    return np.where(games.masks.any(axis=1), weights.argmax(axis=1), NO_ACTION)


def contents(games: VectorGame) -> dict[str, bytes]:
    names = ("states", "masks", "observations", "seats", "rewards", "terminated", "end_records")
    return {name: getattr(games, name).tobytes() for name in names}


@pytest.mark.parametrize("auto_reset", (True, False))
def test_threads_change_no_byte(auto_reset):
    mixed = [ruleset for ruleset in RULESETS.values() for _ in range(3)][:11]
    runs = [
        VectorGame(11, seed=9, threads=threads, ruleset=mixed, auto_reset=auto_reset) for threads in (1, 2, 3)
    ]
    choices = np.random.default_rng(9)
    for step in range(600):
        assert contents(runs[0]) == contents(runs[1]) == contents(runs[2])
        if step % 50 == 49:
            assert len({games.random_steps(7) for games in runs}) == 1
            continue
        actions = random_actions(runs[0], choices)
        for games in runs:
            games.step(actions)
    assert runs[0].statistics.games > 0
    for games in runs:
        games.close()


def test_a_vector_plays_the_same_games_as_single_games():
    vector = VectorGame(4, seed=2, ruleset=RULESETS["turn_limit"], auto_reset=False)
    games = [Game.from_state(state) for state in vector.states]
    choices = np.random.default_rng(2)
    while not vector.terminated.all():
        actions = random_actions(vector, choices)
        vector.step(actions)
        for game, action, state in zip(games, actions.tolist(), vector.states, strict=True):
            if action != NO_ACTION:
                game.step(action)
            assert game.state.tobytes() == state.tobytes()
    for game, end_record in zip(games, vector.end_records, strict=True):
        assert end_record["winners"][game.result.winner] == 1 == end_record["winners"].sum()
        assert end_record["reason"] == game.result.reason and end_record["decisions"] == len(game.actions)


@pytest.mark.parametrize("name", ("first", "turn_limit"))
def test_rewards_are_zero_sum_and_paid_at_the_end(name):
    games = VectorGame(32, seed=4, ruleset=RULESETS[name])
    games.random_steps(4000)
    choices = np.random.default_rng(4)
    before = ended = games.statistics.games
    for _ in range(400):
        games.step(random_actions(games, choices))
        assert not games.rewards.sum(axis=1).any()
        assert not games.rewards[~games.terminated].any()
        assert np.isin(games.rewards, (-1, 0, 1)).all()
        winners = games.end_records["winner"]
        for side in range(2):
            assert (games.rewards[winners == side, side] == 1).all()
        assert not games.rewards[winners == Winner.DRAW].any()
        assert ((winners != Winner.NONE) == games.terminated).all()
        ended += int(games.terminated.sum())
    assert ended > before and games.statistics.games == ended


def test_the_plays_reach_finished_games():
    assert all((positions(name)["winner"] != Winner.NONE).any() for name in PLAYS)
