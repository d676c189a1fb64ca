"""Random play of the Duel: invariants, leaks, determinism, compiled and interpreted play, worked examples."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.golden import GOLDEN_KINDS, playthrough_of
from wotr_env import GameRecord

GAMES = 40


def play(seed: int, games: int, ruleset: str = "standard", look=lambda states, masks: None) -> np.ndarray:
    """Random games to their ends, the same for the same seed; each position is looked at."""
    states = np.zeros(games, dtype=DUEL.state)
    masks = np.zeros((games, DUEL.actions.size), dtype=np.bool_)
    DUEL.kernels.start(states, masks, np.arange(games) + seed, DUEL.find_ruleset(ruleset))
    rng = np.random.default_rng(seed)
    for _ in range(1000):
        going = states["winner"] == -1
        assert (masks.any(axis=1) == going).all()
        look(states, masks)
        if not going.any():
            return states
        DUEL.kernels.step(states, masks, np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
    raise AssertionError("a game does not end")


@pytest.mark.parametrize("ruleset", ["standard", "open", "standard:may_decline=false,revive_triggers=false"])
def test_invariants_and_leaks_in_every_position(ruleset):
    rng = np.random.default_rng(3)
    changed = 0

    def look(states, masks):
        nonlocal changed
        DUEL.kernels.check(states)
        deciders = states["seat"].astype(np.int64)
        for seats in (deciders, 1 - deciders):
            first, second = (rng.integers(0, 2**62, len(states)) for _ in range(2))
            world, seen = states.copy(), masks.copy()
            DUEL.kernels.sample_worlds(world, seats, first)
            DUEL.kernels.check(world)
            assert (DUEL.kernels.observe(world, seats) == DUEL.kernels.observe(states, seats)).all()
            changed += int((world["deck"] != states["deck"]).any())
            if seats is deciders:
                DUEL.kernels.refresh(world, seen)
                assert (seen == masks).all()
            one, other = states.copy(), world.copy()
            DUEL.kernels.sample_worlds(one, seats, second)
            DUEL.kernels.sample_worlds(other, seats, second)
            assert one.tobytes() == other.tobytes()  # nothing hidden has a say

    play(1, GAMES, ruleset, look)
    assert changed > 100


def test_same_seed_same_bytes():
    assert play(5, GAMES).tobytes() == play(5, GAMES).tobytes() != play(6, GAMES).tobytes()


def test_compiled_equals_interpreted():
    code = (
        "import hashlib\nfrom tests.duel.test_play import play\n"
        "print(hashlib.sha256(play(9, 2).tobytes()).hexdigest())"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == hashlib.sha256(play(9, 2).tobytes()).hexdigest(), done.stderr


def test_records_round_trip():
    for ruleset in DUEL.rulesets.values():
        assert DUEL.ruleset.from_dict(json.loads(json.dumps(ruleset.to_dict()))) == ruleset
    result = DUEL.result.of(play(1, 1)[0])
    assert DUEL.result.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    with pytest.raises(ValueError, match="no option"):
        DUEL.ruleset.from_dict({"speed": True})
    with pytest.raises(ValueError, match="true or false"):
        DUEL.ruleset(may_decline=1)


def test_words_of_every_decision():
    def look(states, masks):
        for state, mask in zip(states[:3], masks[:3], strict=True):
            assert DUEL.words.decision(state) and DUEL.words.position(state)
            assert all(DUEL.words.action(state, action) for action in np.flatnonzero(mask))

    play(2, 3, look=look)


def test_words_of_choices_and_chains():
    game = Duel().offer("c3-01").own(SAURON, "c1-07", "c2-06", "c2-07", "c2-08").own(FELLOWSHIP, "c2-03")
    fellowship, sauron = DUEL.words.position(game.state).splitlines()[-2:]
    assert "skills: 2 ruse; chains: none;" in fellowship
    assert (
        "skills: 1 knowledge, knowledge or leadership, ruse or strength or courage; chains: chest;" in sauron
    )
    game = Duel().offer("c2-06")
    told = DUEL.words.action(game.state, DUEL.actions.names.index("play:c2-06"))
    assert told == "play grey c2-06 (knowledge or leadership) for 2 coins"


def test_foreign_states_are_refused():
    states = play(1, 2)
    for name, value in (("coins", 31), ("units", 9), ("place", 1), ("stack_size", 3), ("seat", 2)):
        wrong = states.copy()
        wrong[name] = value
        with pytest.raises(ValueError):
            DUEL.kernels.check(wrong)


def test_D1_1_set_up():
    game = Duel()
    assert game.state["coins"].tolist() == [3, 2] and game.state["seat"] == SAURON
    assert game.at("arnor") == [2, 0] and game.at("mordor") == [0, 2]
    assert (game.state["landmark"] == 1).sum() == 3 and game.state["up"].sum() == 12


def test_D5_3_the_booklets_example_of_the_ring_track():
    game = Duel().offer("c2-13")
    game.state["ring"][SAURON] = 2
    coins = 12 - 3 + 1
    assert game.refresh().do("play:c2-13").state["coins"][SAURON] == coins
    assert game.state["ring"][SAURON] == 4


def test_D6_3_the_booklets_example_of_three_moves():
    game = Duel().offer("c3-23").units(FELLOWSHIP, rohan=1).units(SAURON, enedwaith=2).do("play:c3-23")
    game.do("move:enedwaith:rohan")
    assert game.at("rohan") == [0, 0]
    game.do("move:enedwaith:rohan", "move:rohan:mordor")
    assert game.at("mordor") == [0, 1] and game.state["seat"] == FELLOWSHIP


def test_D6_2_conflict_leaves_units_of_one_side():
    game = Duel().offer("c3-13").units(FELLOWSHIP, arnor=2).units(SAURON, mordor=1)
    assert game.do("play:c3-13", "place:arnor").at("arnor") == [0, 1]


def test_D8_1_ring():
    game = Duel().offer("c3-07")
    game.state["ring"][SAURON] = 12
    game.refresh().do("play:c3-07")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, 2) and not game.masks.any()


def test_D8_3_conquest():
    game = Duel().offer("c3-15").units(FELLOWSHIP)
    game.units(SAURON, arnor=1, rhovanion=1, enedwaith=1, rohan=1, gondor=1, mordor=1)
    game.refresh().do("play:c3-15", "place:lindon")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, 6)


def test_the_golden_game_is_still_what_is_played():
    written = GOLDEN_KINDS["duel"].read_text(encoding="utf-8")
    told = "the Duel plays another game; if that is meant: python -m tests.golden --write"
    assert playthrough_of("duel") == written, told


@pytest.mark.parametrize("ruleset", ["standard", "open"])
def test_records_of_games_replay_to_the_same_bytes(tmp_path, ruleset):
    """Written as JSON and as text, read again, replayed."""
    records, games = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        game = DUEL.game(seed, DUEL.find_ruleset(ruleset))
        while game.result is None and len(game.actions) < (1000 if seed else 20):  # one is not over
            game.step(int(rng.choice(game.legal())))
        games.append(game)
        records.append(GameRecord.from_game(game, ("random", "a;b"), kind="duel"))
        records[-1].append(tmp_path / "games.jsonl")
    assert games[0].result is None and all(game.result is not None for game in games[1:])
    assert GameRecord.load(tmp_path / "games.jsonl") == records
    for record, game in zip(records, games, strict=True):
        for told in (True, False):
            (again,) = GameRecord.from_text(record.to_text(told))
            assert again == record and again.to_text(told) == record.to_text(told)
        assert record.verify().state.tobytes() == game.state.tobytes()
        half = record.replay(len(record.actions) // 2)
        assert half.actions == game.actions[: len(half.actions)] and half.hash() != game.hash()


@pytest.mark.slow
def test_20000_games():
    """Invariants in every position of the first thousand, at the end of all."""
    DUEL.kernels.check(play(100, 20_000))
    play(100, 1_000, look=lambda states, _masks: DUEL.kernels.check(states))
