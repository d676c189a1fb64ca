"""Positions of the Duel as one line of text: whole, and as a seat may know them."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON
from tests.games.duel.test_events import steps, worlds_of
from wotr_env import GameRecord
from wotr_env.core.descriptions import Positions
from wotr_env.core.game import Game
from wotr_env.games.duel.game import POSITIONS
from wotr_env.games.duel.ruleset import DuelRuleset


def positions() -> Positions:
    assert DUEL.positions is not None
    return DUEL.positions


def read(text: str, seed: int | None = None, ruleset: DuelRuleset | None = None) -> Game:
    game = positions().read(text, seed, ruleset)
    assert isinstance(game, Game) and game.start is not None
    return game


def some(seeds: range, every: int = 9) -> list[np.record]:
    return [state for state, _ in steps(seeds)][::every]


def seen(state: np.record, seat: int) -> bytes:
    return DUEL.kernels.observe(np.array([state], dtype=DUEL.state), np.array([seat])).tobytes()


def test_a_position_is_read_as_it_was_written():
    for state in some(range(6)):
        text = positions().write(state, None)
        game = read(f"  {text}\n", None, None)
        assert game.state.tobytes() == state.tobytes() and game.start == text and game.seed is None
        assert game.legal() and game.ruleset.encode().tolist() == [*state["options"], state["max_turns"]]
        assert len(text) < 600 and re.fullmatch(r"[\w:-]+", text)


def test_games_go_on_alike_and_have_records(tmp_path):
    state = some(range(1, 2), 20)[1]
    game = read(positions().write(state, None), None, None)
    other = read(str(game.start), 5)
    while game.result is None:
        action = game.legal()[len(game.legal()) // 2]
        assert game.step(action).hash() == other.step(action).hash()
    record = GameRecord.from_game(game, ("a", "b"))
    record.save(tmp_path / "game.jsonl")
    (again,) = GameRecord.load(tmp_path / "game.jsonl")
    assert again == record and again.verify().hash() == game.hash()
    over = read(positions().write(game.state, None), None, None)
    assert over.result == game.result and over.legal() == []


@pytest.mark.parametrize("seat", [FELLOWSHIP, SAURON])
def test_a_seat_s_position_says_no_more_than_the_seat_knows(seat):
    """The same text for every world that it holds possible, and what it sees there is what it saw."""
    differ = 0
    for state in some(range(8)):
        text = positions().write(state, seat)
        differ += text != positions().write(state, None).replace(":all:", f":{seat}:")
        for seed in (None, 3):
            game = read(text, seed, None)
            assert seen(game.state, seat) == seen(state, seat)
            assert positions().write(game.state, seat) == text
        for world in worlds_of(state, seat):
            assert positions().write(world, seat) == text
    assert differ > 20


def test_a_seed_draws_another_world_of_a_seat_s_position():
    text = positions().write(some(range(1))[0], FELLOWSHIP)
    first, again, other = (read(text, seed, None) for seed in (5, 5, 6))
    assert first.hash() == again.hash() != other.hash()
    with pytest.raises(ValueError, match="seed"):
        read(text, -1, None)


def test_other_rules_may_be_played_from_a_position():
    text = positions().write(some(range(2, 3))[0], None)
    game = read(text, None, DUEL.find_ruleset("open"))
    assert game.ruleset == DUEL.find_ruleset("open") and ":all:" in str(game.start)
    assert read(str(game.start)).ruleset == game.ruleset


def test_what_is_no_position_is_refused():
    state = some(range(1))[1]
    text = positions().write(state, None)
    line = text.rpartition(":")[0].replace(":all:", ":7:")
    for wrong in ("", "chess", text[:-1] + ("0" if text[-1] != "0" else "1"), text.replace("duel", "dual")):
        with pytest.raises(ValueError):
            read(wrong, None, None)
    with pytest.raises(ValueError, match="the seats of this game are"):
        read(f"{line}:{zlib.crc32(line.encode()):08x}", None, None)
    for name, value in (("coins", 31), ("units", 9), ("decision", 5), ("decision", 10), ("acting", 1)):
        states = np.array([state], dtype=DUEL.state)
        states[name] = value
        with pytest.raises(ValueError):
            read(POSITIONS.notation.write(states, None), None, None)


def test_mutated_positions_are_refused_or_played():
    """Bytes of a state changed by chance: ValueError, or a position that checks and plays on."""
    rng = np.random.default_rng(5)
    played = 0
    for state in some(range(12), 3):
        data = bytearray(state.tobytes())
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
        states = np.frombuffer(bytes(data), dtype=DUEL.state)
        try:
            game = read(POSITIONS.notation.write(states, None), None, None)
        except ValueError:
            continue
        for _ in range(3):
            if game.result is not None:
                break
            game.step(int(rng.choice(game.legal())))
        played += 1
    assert played > 5
