"""VectorGame: the same games as Game plays, whatever the number of threads."""

import operator
import tracemalloc

import numpy as np
import pytest
import torch

from wotr_env import STATE, Game, IllegalAction, Result, Ruleset, VectorGame
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Phase, Reason, Winner
from wotr_env.games.war_of_the_ring.components import REGION_SIDE, SETTLEMENT_REGIONS
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.observation import observe

SHORT = Ruleset(max_turns=1)
ARRAYS = operator.attrgetter("states", "masks", "seats", "rewards", "terminated")


def random_actions(games: VectorGame, generator: np.random.Generator) -> np.ndarray:
    """One uniform legal action per game; -1 for those that are over."""
    scores = generator.random(games.masks.shape) * games.masks
    return np.where(games.masks.any(axis=1), scores.argmax(axis=1), NO_ACTION)


def snapshot(games: VectorGame) -> bytes:
    arrays = (*ARRAYS(games), games.observations, games.end_records)
    return b"".join(array.tobytes() for array in arrays)


def test_arrays():
    games = VectorGame(5, seed=1)
    assert games.states.dtype == STATE and games.states.shape == (5,)
    assert games.masks.dtype == np.bool_ and games.masks.shape == (5, NUM_ACTIONS)
    assert games.seats.dtype == np.int8 and games.seats.shape == (5,)
    assert games.rewards.dtype == np.float32 and games.rewards.shape == (5, 2)
    assert games.terminated.dtype == np.bool_ and games.terminated.shape == (5,)
    assert games.masks.any(axis=1).all() and not games.terminated.any() and not games.rewards.any()


def test_buffers_are_reused():
    games = VectorGame(3, seed=1)
    arrays = (*ARRAYS(games), games.observations, games.end_records)
    games.step(random_actions(games, np.random.default_rng(0)))
    games.random_steps(5)
    games.reset()
    after = (*ARRAYS(games), games.observations, games.end_records)
    for one, other in zip(arrays, after, strict=True):
        assert one.ctypes.data == other.ctypes.data and one.shape == other.shape


def test_observations_are_those_of_the_seat_that_decides():
    games = VectorGame(5, seed=4, ruleset=SHORT, threads=2)
    generator = np.random.default_rng(0)
    for number in range(60):
        assert games.observations.tobytes() == observe(games.states, games.seats).tobytes()
        if number % 3 == 0:
            games.random_steps(7)
        elif number % 20 == 1:
            games.restart(np.arange(5) % 2 == 0)
        else:
            games.step(random_actions(games, generator))


def test_without_observations_the_same_games_are_played():
    seeing, blind = VectorGame(4, seed=4), VectorGame(4, seed=4, observations=False)
    assert seeing.random_steps(100) == blind.random_steps(100)
    assert blind.observations.shape == (0, OBSERVATION_SIZE)
    assert seeing.states.tobytes() == blind.states.tobytes()


def test_torch_wraps_the_arrays_without_a_copy():
    games = VectorGame(3, seed=1)
    for array in (games.observations, games.masks, games.seats, games.rewards, games.terminated):
        tensor = torch.from_numpy(array)
        assert tensor.data_ptr() == array.ctypes.data and tensor.is_contiguous()


@pytest.mark.parametrize("auto_reset", [True, False])
def test_a_step_allocates_no_arrays(auto_reset):
    games = VectorGame(4096, seed=1, auto_reset=auto_reset)
    actions = games.masks.argmax(axis=1)
    for _ in range(3):
        games.step(actions)
        np.argmax(games.masks, axis=1, out=actions)
    tracemalloc.start()
    for _ in range(20):
        games.step(actions)
        np.argmax(games.masks, axis=1, out=actions)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 4096  # some small objects, but no number for each game


def test_each_game_has_its_ruleset():
    rulesets = [Ruleset.first_edition(), Ruleset.second_edition(), Ruleset(max_turns=3)]
    games = VectorGame(3, seed=6, ruleset=rulesets)
    alone = [VectorGame(3, seed=6, ruleset=ruleset) for ruleset in rulesets]
    for batch in (games, *alone):
        batch.random_steps(4_000)
    assert games.rulesets == tuple(rulesets)
    for index, batch in enumerate(alone):
        assert games.states[index].tobytes() == batch.states[index].tobytes()
        assert games.end_records[index].tobytes() == batch.end_records[index].tobytes()
    with pytest.raises(ValueError, match="2 rulesets for 3 games"):
        VectorGame(3, ruleset=rulesets[:2])
    mixed = VectorGame(3, ruleset=[Ruleset(), "second", {"max_turns": 3}])
    assert mixed.rulesets == tuple(rulesets)
    with pytest.raises(ValueError, match="no ruleset 'third'"):
        VectorGame(2, ruleset=[Ruleset(), "third"])


def test_outcomes_and_statistics_are_those_of_the_games_played():
    games = VectorGame(6, seed=2, ruleset=Ruleset(max_turns=2))
    generator = np.random.default_rng(1)
    length = np.zeros(6, dtype=int)
    results, lengths = [], []
    for _ in range(1_500):
        before = games.states.copy()
        actions = random_actions(games, generator)
        games.step(actions)
        length += 1
        assert np.array_equal(games.terminated, games.end_records["winner"] != Winner.NONE)
        for index in np.flatnonzero(games.terminated):
            result = Game.from_state(before[index]).step(int(actions[index])).result
            book = games.end_records[index]
            assert (book.winner, book.reason, book.turn) == (result.winner, result.reason, result.turn)
            assert tuple(book.victory_points) == result.victory_points
            assert (book.corruption, book.mordor_step) == (result.corruption, result.mordor_step)
            assert tuple(np.flatnonzero(book.won)) == result.seats
            assert book.decisions == length[index]
            results.append(result)
            lengths.append(length[index])
            length[index] = 0
        assert np.array_equal(games.end_records["length"], length)
    found = games.statistics
    assert found.games == len(results) > 20
    assert sum(found.wins) + found.draws == found.games and found.seat_wins == found.wins
    assert found.draws == sum(result.winner == Winner.DRAW for result in results) > 0
    assert found.reasons[Reason.TURN_LIMIT] == found.draws
    assert found.turns == pytest.approx(np.mean([result.turn for result in results]))
    assert found.decisions == pytest.approx(np.mean(lengths))
    assert games.reset(seed=2).statistics.games == 0


@pytest.mark.parametrize("bonus", [0.0, 0.25])
@pytest.mark.parametrize("players", [3, 4])
def test_partners_are_rewarded_as_a_team_and_by_their_bonus(players, bonus):
    rules = Ruleset(players=players, max_turns=2)
    games = VectorGame(6, seed=2, ruleset=rules, individual_bonus=bonus, threads=2)
    assert games.rewards.shape == (6, players) == (6, games.num_seats)
    generator = np.random.default_rng(1)
    wins = np.zeros(players, dtype=int)
    ends = 0
    for _ in range(900):
        hasten_the_end(games, generator)
        last, masks = games.states.copy(), games.masks.copy()
        actions = random_actions(games, generator)
        games.step(actions)
        kernel.step(last, masks, actions)
        assert not games.rewards[~games.terminated].any()
        for index in np.flatnonzero(games.terminated):
            ends += 1
            result = Result.of(last[index])
            assert tuple(np.flatnonzero(games.end_records[index].won)) == result.seats
            wins[list(result.seats)] += 1
            for seat, each in enumerate(rules.seats):
                team = 0 if result.winner == Winner.DRAW else 1 if each.team == result.winner else -1
                assert games.rewards[index, seat] == team + bonus * (seat in result.winning_partners)
    found = games.statistics
    assert found.games == ends > 20 and found.seat_wins == tuple(wins) and wins.all()
    games.reset(seed=3).random_steps(1_000)
    kept = games.snapshot()
    other = VectorGame(6, ruleset=rules, individual_bonus=bonus).restore(kept)
    assert other.statistics == games.statistics and not other.rewards.any()
    assert other.end_records.tobytes() == games.end_records.tobytes()


def hasten_the_end(games: VectorGame, generator: np.random.Generator) -> None:
    """Gives Settlements away, so that the next check of the victory finds one."""
    for state in games._buffers.states:
        if state["phase"] == Phase.ACTION and generator.random() < 0.02:
            home = REGION_SIDE[SETTLEMENT_REGIONS]
            side = generator.integers(2)
            taken = (home == 1 - side) & (generator.random(home.size) < 0.6)
            state["control"][taken] = side
            state["taken_by_second"][:] = generator.integers(0, 2**32, 2, dtype=np.uint32)


def test_games_of_other_numbers_of_players_share_the_arrays():
    rulesets = [Ruleset(players=players, max_turns=1) for players in (2, 3, 4)]
    games = VectorGame(3, seed=6, ruleset=rulesets, individual_bonus=1.0)
    alone = [VectorGame(3, seed=6, ruleset=rules, individual_bonus=1.0) for rules in rulesets]
    for batch in (games, *alone):
        batch.random_steps(700)
    assert games.rewards.shape == (3, 4) and len(games.statistics.seat_wins) == 4
    for index, batch in enumerate(alone):
        assert games.states[index].tobytes() == batch.states[index].tobytes()
        assert games.end_records[index].tobytes() == batch.end_records[index].tobytes()
        assert games.rewards[index].tolist()[: index + 2] == batch.rewards[index].tolist()
        assert not games.rewards[index, index + 2 :].any()


def test_two_players_get_no_individual_bonus():
    games = VectorGame(16, seed=1, individual_bonus=9.0)
    while not games.rewards.any():
        games.random_steps(100)
    assert set(games.rewards.ravel().tolist()) == {-1.0, 0.0, 1.0}


def test_restart_starts_the_next_episode_of_some_games():
    games = VectorGame(4, seed=3, auto_reset=False)
    games.random_steps(50)
    before = games.states.copy()
    games.restart(np.array([False, True, False, True]))
    assert games.end_records["episode"].tolist() == [0, 1, 0, 1]
    assert games.end_records["length"].tolist() == [50, 0, 50, 0]
    assert games.states[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    seeds = kernel.episode_seeds(3, np.ones(4, dtype=np.int64))
    for index in (1, 3):
        assert games.states[index].tobytes() == Game(int(seeds[index])).state.tobytes()
    for bad in ([True] * 3, [1, 0, 1, 0], np.ones(4)):
        with pytest.raises(ValueError, match="which"):
            games.restart(bad)


def test_no_two_games_of_different_batches_have_the_same_seed():
    first = np.zeros(200_000, dtype=np.int64)
    batches = [
        kernel.episode_seeds(seed, first + episode) for seed in (0, 1, 2, 2**32 + 1) for episode in (0, 1)
    ]
    seeds = np.concatenate(batches)
    assert (seeds >= 0).all()
    assert len(np.unique(seeds)) == len(seeds)
    for bit in range(63):
        assert abs(np.count_nonzero(seeds & (1 << bit)) / len(seeds) - 0.5) < 0.003


def test_a_stream_of_choices_that_is_used_up_is_followed_by_another():
    games = VectorGame(2, seed=4)
    first = games.snapshot()["streams"]
    games.restore(games.snapshot() | {"streams": first - (1 << 32)})  # before the last number
    games.random_steps(1)
    second = games.snapshot()["streams"]
    assert (second >> 32 == 0).all()
    assert (second != first).all()
    games.random_steps(1)
    assert (games.snapshot()["streams"] == second + (1 << 32)).all()


def test_every_game_is_the_game_of_its_episode_seed():
    games = VectorGame(4, seed=9, auto_reset=False)
    singles = [Game(int(seed)) for seed in kernel.episode_seeds(9, np.zeros(4, dtype=np.int64))]
    generator = np.random.default_rng(3)
    for _ in range(100):
        actions = random_actions(games, generator)
        games.step(actions)
        for index, single in enumerate(singles):
            if not single.over:
                single.step(int(actions[index]))
            assert games.states[index].tobytes() == single.state.tobytes()
            assert np.array_equal(games.masks[index], single.mask())


def test_auto_reset_starts_the_next_episode_and_rewards_the_last():
    games = VectorGame(6, seed=2, ruleset=SHORT)
    generator = np.random.default_rng(1)
    ends = 0
    episodes = np.zeros(6, dtype=np.int64)
    for _ in range(400):
        before = games.states.copy()
        actions = random_actions(games, generator)
        games.step(actions)
        assert games.masks.any(axis=1).all()
        assert np.array_equal(games.seats, games.states["seat"])
        assert not games.rewards[~games.terminated].any()
        for index in np.flatnonzero(games.terminated):
            ends += 1
            episodes[index] += 1
            single = Game.from_state(before[index]).step(int(actions[index]))
            expected = {Winner.FREE_PEOPLES: [1, -1], Winner.SHADOW: [-1, 1], Winner.DRAW: [0, 0]}
            assert games.rewards[index].tolist() == expected[single.result.winner]
            fresh = Game(int(kernel.episode_seeds(2, episodes)[index]), SHORT)
            assert games.states[index].tobytes() == fresh.state.tobytes()
    assert ends >= 6


def test_without_auto_reset_a_finished_game_rests():
    games = VectorGame(4, seed=2, ruleset=SHORT, auto_reset=False)
    generator = np.random.default_rng(1)
    rewarded = np.zeros(4, dtype=int)
    while not games.terminated.all():
        over = games.terminated.copy()
        before = games.states.copy()
        games.step(random_actions(games, generator))
        assert games.states[over].tobytes() == before[over].tobytes()
        assert not games.rewards[over].any() and games.terminated[over].all()
        rewarded += games.rewards.any(axis=1)
    assert (games.states["winner"] != Winner.NONE).all() and not games.masks.any()
    assert (rewarded == (games.states["winner"] != Winner.DRAW)).all()
    with pytest.raises(ValueError, match="reset"):
        games.step(np.full(4, NO_ACTION))
    with pytest.raises(ValueError, match="reset"):
        games.random_steps(1)
    assert games.reset().masks.any(axis=1).all() and not games.terminated.any()


@pytest.mark.parametrize("auto_reset", [True, False])
def test_same_bytes_for_any_number_of_threads(auto_reset):
    runs = []
    for threads in (1, 2, 3):
        with VectorGame(7, seed=5, threads=threads, ruleset=SHORT, auto_reset=auto_reset) as games:
            generator = np.random.default_rng(0)
            seen = []
            for _ in range(30):
                games.step(random_actions(games, generator))
                seen.append(snapshot(games))
            made = games.random_steps(50)
            runs.append((seen, made, snapshot(games)))
    assert runs[0] == runs[1] == runs[2]


def test_same_seed_same_bytes_other_seed_other_bytes():
    runs = []
    for seed in (1, 1, 2):
        games = VectorGame(5, seed=seed)
        made = games.random_steps(200)
        assert made == 1000
        runs.append(snapshot(games))
    assert runs[0] == runs[1] != runs[2]


def test_more_threads_than_games_and_closing():
    games = VectorGame(2, threads=8)
    assert games.random_steps(10) == 20
    games.close()
    games.close()
    assert games.random_steps(10) == 20


def test_the_games_of_a_vector_differ():
    games = VectorGame(8, seed=1)
    games.random_steps(20)
    assert len({state.tobytes() for state in games.states}) == 8


def test_random_steps_of_a_finished_game_count_only_what_was_played():
    games = VectorGame(3, seed=1, ruleset=SHORT, auto_reset=False)
    total = games.random_steps(100_000)
    assert games.terminated.all() and 0 < total < 300_000


def test_random_steps_follow_the_preferences():
    plain, biased = VectorGame(4, seed=1), VectorGame(4, seed=1)
    preferences = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    assert plain.random_steps(50) == biased.random_steps(50, preferences)
    assert snapshot(plain) == snapshot(biased)
    preferences[:, : NUM_ACTIONS // 3] = 5
    for _ in range(20):
        allowed = biased.masks & (preferences[biased.seats] == 5)
        expected = np.where(allowed.any(axis=1, keepdims=True), allowed, biased.masks)
        before = biased.states.copy()
        biased.random_steps(1, preferences)
        for index in range(4):
            hashes = [
                Game.from_state(before[index]).step(int(action)).hash()
                for action in np.flatnonzero(expected[index])
            ]
            assert Game.from_state(biased.states[index]).hash() in hashes


def test_random_steps_of_zero_change_nothing():
    games = VectorGame(3, seed=1)
    before = snapshot(games)
    assert games.random_steps(0) == 0 and snapshot(games) == before


def test_reset_with_a_seed_starts_over_and_without_goes_on():
    games = VectorGame(3, seed=1)
    first = snapshot(games)
    games.random_steps(30)
    played = snapshot(games)
    assert snapshot(games.reset(seed=1)) == first
    games.random_steps(30)
    assert snapshot(games) == played
    assert snapshot(games.reset()) != first
    with pytest.raises(ValueError, match="seed"):
        games.reset(seed=-4)
    with pytest.raises(ValueError, match="seed"):
        games.reset(seed=2**63)


BAD_ACTIONS = [
    (np.zeros(3), TypeError),
    (np.zeros(3, dtype=bool), TypeError),
    (["pass"] * 3, TypeError),
    ([None] * 3, TypeError),
    (np.zeros(2, dtype=int), ValueError),
    (np.zeros((3, 1), dtype=int), ValueError),
    (3, ValueError),
    ([NUM_ACTIONS] * 3, IllegalAction),
    ([-1, -1, -1], IllegalAction),
    (np.array([2**64 - 1] * 3, dtype=np.uint64), IllegalAction),
]


@pytest.mark.parametrize("actions, error", BAD_ACTIONS)
def test_bad_actions_change_no_game(actions, error):
    games = VectorGame(3, seed=1)
    before = snapshot(games)
    with pytest.raises(error) as caught:
        games.step(actions)
    assert "\n" not in str(caught.value) and snapshot(games) == before


def test_one_illegal_action_changes_no_game():
    games = VectorGame(3, seed=1)
    actions = random_actions(games, np.random.default_rng(0))
    actions[2] = int(np.flatnonzero(~games.masks[2])[0])
    before = snapshot(games)
    with pytest.raises(IllegalAction, match="game 2"):
        games.step(actions)
    assert snapshot(games) == before


def test_only_no_action_fits_a_finished_game():
    games = VectorGame(2, seed=2, ruleset=SHORT, auto_reset=False)
    generator = np.random.default_rng(1)
    while not games.terminated.any():
        games.step(random_actions(games, generator))
    if games.terminated.all():
        return
    actions = random_actions(games, generator)
    over = int(np.flatnonzero(games.terminated)[0])
    actions[over] = 0
    before = snapshot(games)
    with pytest.raises(IllegalAction, match="takes -1"):
        games.step(actions)
    assert snapshot(games) == before


def test_integers_of_any_width_and_lists_are_actions():
    expected = None
    for kind in (np.int16, np.int32, np.uint64, list):
        games = VectorGame(3, seed=1)
        actions = random_actions(games, np.random.default_rng(0))
        games.step(actions.tolist() if kind is list else actions.astype(kind))
        expected = expected or snapshot(games)
        assert snapshot(games) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_games": 0},
        {"num_games": -2},
        {"num_games": 2.0},
        {"num_games": True},
        {"num_games": 2, "threads": 0},
        {"num_games": 2, "threads": "2"},
        {"num_games": 2, "seed": -1},
        {"num_games": 2, "seed": 2**63},
        {"num_games": 2, "seed": 0.5},
        {"num_games": 2, "individual_bonus": "much"},
        {"num_games": 2, "individual_bonus": float("inf")},
        {"num_games": 2, "individual_bonus": True},
    ],
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(ValueError):
        VectorGame(**arguments)


@pytest.mark.parametrize(
    "k, preferences",
    [
        (-1, None),
        (1.0, None),
        (True, None),
        (1, np.zeros((2, NUM_ACTIONS))),
        (1, np.zeros((1, NUM_ACTIONS), dtype=np.int8)),
        (1, "attack"),
    ],
)
def test_bad_random_steps_are_refused(k, preferences):
    games = VectorGame(2, seed=1)
    before = snapshot(games)
    with pytest.raises(ValueError):
        games.random_steps(k, preferences)
    assert snapshot(games) == before


def test_what_is_written_into_the_masks_changes_nothing():
    games, same = VectorGame(3, seed=4), VectorGame(3, seed=4)
    legal = same.masks.argmax(axis=1)
    illegal = np.array([np.flatnonzero(~mask)[-1] for mask in same.masks])
    for forged in (True, False):
        games.masks[:] = forged
        with pytest.raises(IllegalAction, match="of game 0: it is illegal"):
            games.step(illegal)
        games.random_steps(5)
        same.random_steps(5)
        assert games.masks.tobytes() == same.masks.tobytes()
        games.masks[:] = ~games.masks
        legal = same.masks.argmax(axis=1)
        games.step(legal)
        same.step(legal)
        assert snapshot(games) == snapshot(same)
        illegal = np.array([np.flatnonzero(~mask)[-1] for mask in same.masks])


def test_the_states_are_read_only():
    games = VectorGame(2, seed=4)
    with pytest.raises(ValueError, match="read-only"):
        games.states["corruption"] = 9
    with pytest.raises(ValueError, match="read-only"):
        games.states["stack"][0, 0, 0] = 99
    assert observe(games.states, 0).tobytes() == observe(games.states.copy(), 0).tobytes()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("depth", 11, "game 1 of the batch: depth is 11, not from 1 to 10"),
        ("fellowship_region", 105, "fellowship_region is 105"),
        ("corruption", -1, "corruption is -1"),
        ("seat", 2, "a seat that nobody plays"),
    ],
)
def test_a_snapshot_of_impossible_states_is_refused(field, value, message):
    games = VectorGame(2, seed=4)
    games.random_steps(20)
    before = snapshot(games)
    kept = games.snapshot()
    kept["states"].reshape(-1).view(STATE)[1][field] = value
    with pytest.raises(StateError, match=message):
        games.restore(kept)
    assert snapshot(games) == before


def test_a_snapshot_of_games_of_other_rules_is_refused():
    """Its seats would not fit the rewards."""
    kept = VectorGame(2, seed=4, ruleset=Ruleset(players=4)).snapshot()
    games = VectorGame(2, seed=4)
    before = snapshot(games)
    with pytest.raises(ValueError, match="other rules"):
        games.restore(kept)
    assert snapshot(games) == before
