"""Many games of any kind in step: rewards by seat, and beginning anew."""

import numpy as np
import pytest

from wotr_env import VectorGame as WarOfTheRing
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.errors import IllegalAction
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.core.vector import VectorGame
from wotr_env.play.games import game_kind


def random_step(games, generator):
    return games.step(np.where(games.masks, generator.random(games.masks.shape), -1).argmax(axis=1))


@pytest.mark.parametrize(("name", "ruleset"), [("duel", "standard"), ("two-towers", "three")])
def test_rewards_are_the_worth_of_ends_by_seat(name, ruleset):
    kind = game_kind(name)
    games, generator = kind.games(32, 1, kind.find_ruleset(ruleset)), np.random.default_rng(1)
    assert games.rewards.shape == (32, len(games.rulesets[0].seats)) and games.rewards.dtype == np.float32
    ended = 0
    for _ in range(200):
        random_step(games, generator)
        assert not games.rewards[~games.terminated].any()
        for row in np.flatnonzero(games.terminated):
            winner, ended = int(games.end_records["winner"][row]), ended + 1
            seats = games.rulesets[0].seats
            won = [0.0 if winner == kind.draw else 1.0 if s.team == winner else -1.0 for s in seats]
            assert games.rewards[row].tolist() == won
    assert ended > 20


def test_games_begin_anew():
    kind = game_kind("duel")
    games, other = (kind.games(4, seed, kind.find_ruleset()) for seed in (1, 2))
    first, generator = games.states.copy(), np.random.default_rng(1)
    for _ in range(30):
        random_step(games, generator)
    assert games.reset().states.tobytes() != first.tobytes()  # the next episodes
    assert games.reset(1).states.tobytes() == first.tobytes() and not games.terminated.any()
    assert games.reset(2).states.tobytes() == other.states.tobytes()
    assert (games.observations == other.observations).all() and (games.masks == other.masks).all()
    with pytest.raises(ValueError):
        games.reset(-1)


KINDS = pytest.mark.parametrize("name", ["war-of-the-ring", "duel", "two-towers"])


def batch(name, number=6, seed=3, ruleset=None, **arguments):
    kind = game_kind(name)
    if name == "war-of-the-ring":
        return WarOfTheRing(number, seed, ruleset=kind.read_ruleset(ruleset), **arguments)
    return VectorGame(kind, number, seed, ruleset, **arguments)


def arrays(games):
    return [
        each.tobytes()
        for each in (
            games.states,
            games.masks,
            games.seats,
            games.observations,
            games.rewards,
            games.terminated,
        )
    ]


@KINDS
def test_threads_change_no_byte(name):
    one, other = batch(name, 7), batch(name, 7, threads=3)
    generator, same = np.random.default_rng(1), np.random.default_rng(1)
    with other:
        for _ in range(40):
            assert arrays(random_step(one, generator)) == arrays(random_step(other, same))
        assert one.random_steps(50) == other.random_steps(50) == 7 * 50
        assert arrays(one) == arrays(other)
    assert arrays(one.reset()) == arrays(other.reset())


@KINDS
def test_a_game_of_a_batch_does_not_depend_on_how_many_there_are(name):
    few, many = batch(name, 2), batch(name, 5)
    few.random_steps(60)
    many.random_steps(60)
    assert few.states.tobytes() == many.states[:2].tobytes()


@KINDS
def test_without_auto_reset_games_stay_over(name):
    games = batch(
        name, 4, ruleset="first:max_turns=1" if name == "war-of-the-ring" else None, auto_reset=False
    )
    made = games.random_steps(10_000)
    assert games.terminated.all() and not games.masks.any() and made < 4 * 10_000
    with pytest.raises(ValueError, match="all games are over"):
        games.random_steps(1)
    over = games.terminated
    over[1:] = False
    games.restart(over)  # an array of the batch itself
    assert games.terminated.tolist() == [False, True, True, True]
    actions = games.masks.argmax(axis=1)
    with pytest.raises(IllegalAction, match="game 1: the game is over and takes -1"):
        games.step(actions)
    actions[1:] = NO_ACTION
    kept = games.states[1:].tobytes()
    assert games.step(actions).states[1:].tobytes() == kept


@KINDS
def test_statistics_tell_what_has_ended(name):
    games = batch(name, 4, ruleset="first:max_turns=2" if name == "war-of-the-ring" else None)
    assert games.statistics.games == 0 and games.statistics.decisions == 0.0
    seen, won, lengths = 0, np.zeros(games.num_seats), []
    generator, length = np.random.default_rng(2), np.zeros(4)
    for _ in range(1_500):
        random_step(games, generator)
        length += 1
        seen += int(games.terminated.sum())
        won += (games.rewards > 0).sum(axis=0)
        lengths += length[games.terminated].tolist()
        length[games.terminated] = 0
    told = games.statistics
    assert told.games == seen == sum(told.reasons.values()) > 2
    assert sum(told.wins) + told.draws == seen and told.decisions == pytest.approx(np.mean(lengths))
    if name != "war-of-the-ring":  # whose partners may win together with a reward alone
        assert list(told.seat_wins) == won.tolist()
    assert told.turns > 0 and games.reset(3).statistics.games == 0


@KINDS
def test_random_play_prefers_what_it_is_told_to(name):
    games = batch(name, 8, seed=5)
    kind = game_kind(name)
    preferences = np.zeros((len(kind.teams), kind.actions.size), dtype=np.int8)
    preferences[:, ::2] = 1
    states, masks = games.states.copy(), games.masks.copy()
    games.random_steps(1, preferences)
    for row in range(8):
        liked = np.flatnonzero(masks[row])
        liked = liked[liked % 2 == 0] if (liked % 2 == 0).any() else liked
        ends = set()
        for action in liked:
            state, mask = states[row : row + 1].copy(), masks[row : row + 1].copy()
            kind.kernels.step(state, mask, np.array([action]))
            ends.add(state.tobytes())
        assert games.states[row : row + 1].tobytes() in ends
    with pytest.raises(ValueError, match="preferences are int8"):
        games.random_steps(1, preferences[:1].astype(np.int16))


def test_a_snapshot_of_another_ruleset_is_refused():
    towers = game_kind("two-towers")
    with VectorGame(towers, 2, ruleset="five") as five, VectorGame(towers, 2) as two:
        before = two.states.copy()
        with pytest.raises(ValueError, match="of games with another ruleset"):
            two.restore(five.snapshot())
        assert (two.states == before).all() and (two.restore(two.snapshot()).states == before).all()


@KINDS
def test_a_batch_goes_on_from_a_snapshot_with_its_random_choices(name):
    games = batch(name)
    games.random_steps(30)
    kept = games.snapshot()
    again = batch(name, seed=3).restore(kept)
    games.random_steps(40)
    again.random_steps(40)
    assert arrays(games) == arrays(again)


@KINDS
def test_games_are_taken_out_and_put_back(name):
    games, kind = batch(name), game_kind(name)
    rows = np.array([1, 4])
    states, masks = games.take(rows)
    kind.kernels.step(states, masks, masks.argmax(axis=1))
    games.put_back(rows, states, masks)
    assert games.states[rows].tobytes() == states.tobytes() and (games.masks[rows] == masks).all()
    random_step(games, np.random.default_rng(1))


def test_each_game_may_have_rules_of_its_own():
    kind = game_kind("two-towers")
    specs = ["two", "five", "three"]
    games = VectorGame(kind, 3, 4, specs)
    assert games.num_seats == 5 and games.rewards.shape == (3, 5)
    alone = [VectorGame(kind, 3, 4, spec) for spec in specs]
    for each in (games, *alone):
        each.random_steps(400)
    for row, other in enumerate(alone):
        seats = other.num_seats
        assert games.states[row].tobytes() == other.states[row].tobytes()
        assert games.rewards[row, :seats].tolist() == other.rewards[row].tolist()
        assert not games.rewards[row, seats:].any()
    with pytest.raises(ValueError, match="2 rulesets for 3 games"):
        VectorGame(kind, 3, 4, specs[:2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games is an integer >= 1"),
        ({"num_games": 2, "threads": 0}, "threads is an integer >= 1"),
        ({"num_games": 2, "seed": -1}, "a seed is an integer"),
        ({"num_games": 2, "ruleset": "none"}, "has no ruleset 'none'"),
    ],
)
def test_what_makes_no_batch_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        VectorGame(game_kind("duel"), **arguments)


@KINDS
def test_some_games_begin_anew(name):
    games = batch(name, 3)
    before = bytes_of(copy_states(games.states))
    for which in ([False, True, False], [False] * 3):
        games.restart(np.array(which))
        assert (bytes_of(games.states) == before).all(axis=1).tolist() == [True, False, True]
    assert (bytes_of(games.reset(3).states) == before).all() and not games.terminated.any()
    with pytest.raises(ValueError, match="which is bool of shape"):
        games.restart(np.array([1, 0, 0]))
