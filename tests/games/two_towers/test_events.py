"""What steps of The Two Towers tell, and to whom."""

import re

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS, Towers
from tests.kind_play import play, texts_shown
from wotr_env.core.codes import PUBLIC
from wotr_env.games.two_towers.actions import ACTION_NAMES, HIDDEN


def step(towers: Towers, name: str, viewer: int | None = None):
    return TOWERS.step_of(towers.state, ACTION_NAMES.index(name), viewer)


def texts(towers: Towers, name: str, viewer: int | None = None) -> list[str]:
    return [sentence.text for sentence in step(towers, name, viewer).sentences]


def test_a_hidden_card_is_told_to_who_draws_it():
    towers = Towers().refresh()
    for viewer, cards in ((None, 1), (0, 1), (1, None), (PUBLIC, None)):
        drew = step(towers, "take:hidden", viewer).events[1]
        assert drew["number"] == 1 and (drew["cards"] is None) == (cards is None)
        assert len(texts(towers, "take:hidden", viewer)) == (2 if cards else 1)
    assert texts(towers, "take:hidden")[1].startswith("Player 1 draws ")


def test_a_location_is_told():
    towers = Towers(3).no_hands().row(1, "red-strength", 3).row(2, "blue-wisdom", 1).at("Fangorn", 5, 2)
    towers.refresh().do("end", "end")
    assert texts(towers, "end") == [
        "lay no more cards",
        "Fangorn: Player 1 shows 0 cards and takes no points",
        "Fangorn: Player 2 shows 3 cards and takes 5 points, and loses a card of red",
        "Fangorn: Player 3 shows 1 card and takes 2 points, and loses a card of blue",
        "Player 2 takes the ring",
        f"on space 1 of {towers.state['path'][2]} to Edoras",
    ]
    scored = step(towers, "end").events[1]
    assert (scored["valid"], scored["points"], scored["ring"]) == ([0, 3, 1], [0, 5, 2], "player_2")


def test_the_end_is_told():
    towers = (
        Towers(3).no_hands().row(2, "red-strength", 1).at("Minas Tirith", 5, 2).refresh().do("end", "end")
    )
    assert texts(towers, "end")[-1] == "Player 3 has won by points, 5 to 0 and 0"
    assert step(towers, "end").events[-1] == {"kind": "ended", "winner": "player_3"}


def test_who_learns():
    towers = Towers(4).refresh()
    assert TOWERS.who_learns(towers.state, HIDDEN) == {0, 1, 2, 3}
    towers = Towers(4).hand(0, "red-strength").at("Rohan", 4, 3, 2).refresh()
    assert TOWERS.who_learns(towers.state, ACTION_NAMES.index("lay:red-strength")) == {1, 2, 3}


@pytest.mark.parametrize("ruleset", ["two", "five"])
def test_nothing_hidden_is_told(ruleset):
    """Public choices, told to each other seat and to nobody's, in worlds of that seat: the same words."""
    seats = len(TOWERS.find_ruleset(ruleset).seats)
    compared = 0

    def look(states, masks):
        nonlocal compared
        for state, mask in zip(states, masks, strict=True):
            for viewer in (*range(seats), PUBLIC):
                if viewer == state["seat"]:
                    continue
                world = np.array([state], dtype=TOWERS.state)
                TOWERS.kernels.sample_worlds(world, np.array([max(viewer, 0)]), np.array([compared]))
                shared = mask & np.array(
                    [not name.startswith(("swap", "lay", "begin")) for name in ACTION_NAMES]
                )
                for action in np.flatnonzero(shared).tolist():
                    told = TOWERS.step_of(state, action, viewer)
                    assert told == TOWERS.step_of(world[0], action, viewer)
                    compared += 1

    play(TOWERS, 4, 1, ruleset, look)
    assert compared > 200


def test_one_of_a_thing_is_no_plural():
    several = re.compile(r"\b1 (?:point|card|space|hidden card)s\b")

    def look(states, masks):
        for state, mask in zip(states, masks, strict=True):
            for text in texts_shown(TOWERS, state, mask, 0):
                assert not several.search(text), text

    play(TOWERS, 3, 1, "five:paths=1+1+2+3+4+5", look)
    towers = Towers(2).no_hands().row(1, "red-strength", 1).at("Fangorn", 5, 2).refresh().do("end")
    assert any("shows 1 card and" in text for text in texts(towers, "end"))
