"""Positions as one line of text: whole and as a seat may know them."""

from __future__ import annotations

import random
import re
import zlib

import numpy as np
import pytest

from tests.hidden_cards import middle_of_a_game
from tests.random_play import positions
from wotr_env import Game, Ruleset
from wotr_env.core.errors import StateError
from wotr_env.core.notation import LONGEST
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.game import POSITIONS, WAR_OF_THE_RING

NOTATION = POSITIONS.notation


def game_in(state):
    return Game.from_state(state)


@pytest.fixture(scope="module")
def text():
    return middle_of_a_game().position()


@pytest.mark.parametrize("edition", ["first", "second"])
def test_a_position_is_read_as_it_was_written(edition):
    for state in positions(edition)[::7]:
        game = game_in(state)
        text = game.position()
        again = Game.from_position(f"  {text}\n")
        assert again.state.tobytes() == game.state.tobytes()
        assert again.position() == text
        assert again.ruleset == game.ruleset and again.seed is None
        assert len(text) < 1_000 and re.fullmatch(r"[\w:-]+", text)


def test_the_games_go_on_alike():
    game = middle_of_a_game()
    again = Game.from_position(game.position())
    for _ in range(40):
        action = game.legal()[len(game.legal()) // 2]
        assert game.step(action).hash() == again.step(action).hash()


def test_three_and_four_players_have_positions():
    for players in (3, 4):
        game = Game(3, Ruleset.first_edition(players=players))
        for seat in range(players):
            seen = Game.from_position(game.position(seat))
            np.testing.assert_array_equal(seen.observe(seat), game.observe(seat))


@pytest.mark.parametrize("edition", ["first", "second"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_s_position_says_no_more_than_the_seat_knows(edition, seat):
    """The same text for every world that it holds possible, and what it sees there is what it saw."""
    for state in positions(edition)[::11]:
        game = game_in(state)
        text = game.position(seat)
        seen = Game.from_position(text)
        np.testing.assert_array_equal(seen.observe(seat), game.observe(seat))
        assert seen.position(seat) == text
        for seed in (1, 2):
            worlds = game.state.reshape(1).copy()
            kernel.sample_worlds(worlds, np.array([seat]), np.array([seed]))
            game._states = worlds  # the other seat may be asked what it could not be in this world
            assert game.position(seat) == text


def test_a_seed_draws_another_world_of_a_seat_s_position():
    game = middle_of_a_game()
    text = game.position(1)
    first, again, other = (Game.from_position(text, seed=seed) for seed in (5, 5, 6))
    assert first.hash() == again.hash() != other.hash()
    assert first.position(1) == other.position(1) == text
    with pytest.raises(ValueError, match="a seed is an integer"):
        Game.from_position(text, seed=-1)


def changed(text, place, by):
    parts = text.split(":")
    parts[place] = by
    return ":".join(parts)


def checked(text):
    """With the check that fits."""
    line = text.rpartition(":")[0]
    return f"{line}:{zlib.crc32(line.encode()):08x}"


@pytest.mark.parametrize(
    ("place", "by", "message"),
    [
        (0, "chess", "it is a position of chess, not of war-of-the-ring"),
        (1, "3-0000", "has version 3-0000 of war-of-the-ring; this package reads version"),
        (2, "7", "the seats of this game are"),
        (2, "shadow", "not a position"),
        (3, "AAAA", "cannot be unpacked|its size is wrong"),
        (3, "A", "cannot be unpacked"),
        (3, "", "not a position"),
        (3, "A" * LONGEST, "not a position"),
    ],
)
def test_what_is_no_position_is_refused_in_a_line(text, place, by, message):
    with pytest.raises(ValueError, match=message) as refused:
        Game.from_position(checked(changed(text, place, by)))
    assert "\n" not in str(refused.value)


def test_a_slip_is_noticed(text):
    with pytest.raises(ValueError, match="damaged: its checksum is wrong"):
        Game.from_position(text.replace(text[200], "-" if text[200] != "-" else "_", 1))
    for part in ("", "x", text[:-1], text + "0", text.replace(":", " ")):
        with pytest.raises(ValueError, match="not a position"):
            Game.from_position(part)


def test_the_rules_have_to_allow_it():
    states = middle_of_a_game().state.reshape(1).copy()
    states["turn"] = -4
    with pytest.raises((ValueError, StateError), match="turn"):
        Game.from_position(NOTATION.write(states, None))


def test_mutated_texts_are_a_clean_error_or_a_game(text):
    """With checks that fit, so that all that is behind them meets them too."""
    dice = random.Random(3)
    letters = "ABCXYZabcxyz0189-_:"
    games = 0
    for number in range(1_500):
        line = list(text.rpartition(":")[0])
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(line)) if number % 5 == 0 else dice.randrange(26, len(line))
            line[place] = dice.choice(letters)
        try:
            games += Game.from_position(checked("".join(line) + ":0")).state is not None
        except ValueError as error:
            assert "\n" not in str(error)
    assert games < 1_500


def test_reading_tells_whose_eyes_see_it():
    game = middle_of_a_game()
    assert NOTATION.read(game.position())[1] is None
    assert NOTATION.read(game.position(1))[1] == 1
    assert WAR_OF_THE_RING.name == NOTATION.name


def test_moves_are_names_and_steps_take_them():
    game = Game(seed=1)
    names = []
    for _ in range(30):
        names.append(game.name_of(game.legal()[-1]))
        game.step(names[-1])
    assert game.moves() == names
    again = Game(seed=1)
    for name in names:
        again.step(name)
    assert again.hash() == game.hash()
