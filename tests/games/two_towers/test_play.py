"""Random play of The Two Towers: invariants, leaks, determinism, compiled and interpreted play."""

import os

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS
from tests.kind_play import (
    fingerprint,
    interpreted_fingerprint,
    play,
)
from wotr_env.core.shapes import Words
from wotr_env.games.two_towers.ruleset import TwoTowersRuleset

OTHER = "five:qualities=drawn,paths=drawn,may_decline=true,take_back=true,losses=takers"


@pytest.mark.parametrize("ruleset", ["two", OTHER])
def test_compiled_equals_interpreted(ruleset):
    assert interpreted_fingerprint("two-towers", 9, 2, ruleset) == fingerprint(TOWERS, 9, 2, ruleset)


@pytest.mark.parametrize(
    "field, value", [("points", 99), ("pile", 5), ("gandalf", 1), ("seat", 2), ("known", 5), ("players", 3)]
)
def test_foreign_states_are_refused(field, value):
    states = play(TOWERS, 1, 2)
    states[field] = value
    with pytest.raises(ValueError):
        TOWERS.kernels.check(states)
    TOWERS.kernels.check(states[:0])  # of none


def test_states_of_another_game_are_refused():
    with pytest.raises(ValueError, match="not states of The Two Towers"):
        TOWERS.kernels.check(np.zeros(1, dtype=np.int8))


@pytest.mark.parametrize(
    "options, told",
    [
        ({"players": 6}, "players must be 2 to 5"),
        ({"players": True}, "players must be 2 to 5"),
        ({"take_back": 1}, "true or false"),
        ({"paths": 3}, "paths must be house, drawn"),
        ({"paths": "2+2"}, "6 numbers of spaces"),
        ({"paths": "2+2+3+3+4+6"}, "1 to 5 spaces"),
        ({"paths": "0+2+3+3+4+5"}, "1 to 5 spaces"),
        ({"losses": "none"}, "losses must be all or takers or won"),
        ({"losses": True}, "losses must be all or takers or won"),
        ({"qualities": "strength"}, "must have 6 locations"),
        ({"qualities": "/".join(["courage"] * 6)}, "Rohan asks for strength"),
        ({"qualities": "/".join(["wisdom+wisdom"] * 6)}, "different qualities"),
    ],
)
def test_wrong_options_are_refused(options, told):
    with pytest.raises(ValueError, match=told):
        TwoTowersRuleset(**options)


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="no option 'speed'"):
        TOWERS.ruleset.from_dict({"speed": 1})


@pytest.mark.parametrize("values", [{}, {"winner": 3, "reason": "player_4_points", "points": [1, 2]}, 7])
def test_wrong_results_are_refused(values):
    with pytest.raises(ValueError, match="no result of The Two Towers"):
        TOWERS.result.from_dict(values)


def test_house_values_are_named():
    title = TwoTowersRuleset().title
    assert "house qualities" in title and "house paths" in title
    assert "qualities drawn anew" in TOWERS.find_ruleset("drawn").title


def test_positions_name_what_is_not_as_printed():
    given = "perseverance/strength+wisdom/wisdom/wisdom/wisdom/wisdom+strength+resolution"
    for spec, named in (
        ("two", "house qualities, house paths"),
        ("drawn", "qualities drawn anew, paths drawn anew"),
        (f"two:qualities={given},paths=2+2+2+2+2+3", ""),
    ):
        ruleset = TOWERS.find_ruleset(spec)
        state = TOWERS.game(1, ruleset).state
        line = TOWERS.words.position(state).splitlines()[1]
        assert line.startswith(f"To come ({named}): Rohan" if named else "To come: Rohan")
        drawn = [shape.text for shape in TOWERS.drawing(state, 0).shapes if isinstance(shape, Words)]
        assert named in drawn


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["two", "three", "four", "five", "drawn"])
def test_many_games(ruleset):
    """Invariants in every position of the first games, at the end of all; ``WOTR_GAMES=4000`` plays more."""
    games = int(os.environ.get("WOTR_GAMES", "120"))
    TOWERS.kernels.check(play(TOWERS, 100, games, ruleset))
    play(TOWERS, 100, games // 20, ruleset, lambda states, _masks: TOWERS.kernels.check(states))
