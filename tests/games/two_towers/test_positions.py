"""Positions of The Two Towers as one line of text: whole, and as a seat may know them."""

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS
from tests.kind_play import play
from wotr_env.core.descriptions import Positions
from wotr_env.games.two_towers.ruleset import TwoTowersRuleset

OTHER = "five:qualities=drawn,paths=drawn,may_decline=true,take_back=true,losses=takers"
PRINTED = "three:qualities=wisdom/strength+wisdom/wisdom/strength/wisdom/wisdom+strength,paths=2+2+2+2+2+4"


def positions() -> Positions:
    assert TOWERS.positions is not None
    return TOWERS.positions


def some(ruleset: str, every: int = 25) -> list[np.record]:
    found = []
    play(TOWERS, 5, 2, ruleset, lambda states, _masks: found.extend(states.copy()))
    return found[::every]


@pytest.mark.parametrize("ruleset", ["two", "four", OTHER, PRINTED])
def test_a_position_is_read_as_it_was_written(ruleset):
    rules = TOWERS.find_ruleset(ruleset)
    for state in some(ruleset):
        text = positions().write(state, None)
        game = positions().read(text, None, None)
        assert game.state.tobytes() == state.tobytes() and game.ruleset == rules
        assert TwoTowersRuleset.of(state) == rules
        assert len(text) < 700


@pytest.mark.parametrize("ruleset", ["two", "five"])
def test_a_seat_s_position_says_no_more_than_the_seat_knows(ruleset):
    for state in some(ruleset):
        for seat in range(len(TOWERS.find_ruleset(ruleset).seats)):
            text = positions().write(state, seat)
            world = np.array([state], dtype=TOWERS.state)
            TOWERS.kernels.sample_worlds(world, np.array([seat]), np.array([9]))
            assert positions().write(world[0], seat) == text
            read = positions().read(text, 4, None)
            own = np.array([state, read.state], dtype=TOWERS.state)
            seen = TOWERS.kernels.observe(own, np.array([seat, seat]))
            assert (seen[0] == seen[1]).all()


def test_positions_of_other_rules_are_refused():
    text = positions().write(some("two")[0], None)
    for ruleset in (
        "three",
        "two:qualities=wisdom/wisdom/wisdom/wisdom/wisdom/wisdom",
        "two:paths=2+2+2+2+2+2",
    ):
        with pytest.raises(ValueError):
            positions().read(text, None, TOWERS.find_ruleset(ruleset))
    with pytest.raises(ValueError, match="seats of this game are"):
        positions().write(some("two")[0], 3)
