"""What the Duel says: numbers of one thing, and the counts of each end."""

import re

import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.kind_play import play, texts_shown
from wotr_env.games.duel.components import CARD_IDS, LANDMARK_NAMES, REGIONS, TOKEN_IDS, TOKEN_TITLES
from wotr_env.games.duel.facts import card_tip, landmark_tip
from wotr_env.games.duel.state import DRAW, Reason

SEVERAL_OF_ONE = re.compile(r"\b1 (?:coin|unit|step|card|region|removal|move|maneuver)s\b")


def test_one_of_a_thing_is_no_plural():
    def look(states, masks):
        for state, mask in zip(states, masks, strict=True):
            for text in texts_shown(DUEL, state, mask, 0):
                assert not SEVERAL_OF_ONE.search(text), text

    play(DUEL, 3, 2, "", look)
    assert "Now 1 coin for the Fellowship, 0 for Sauron." in card_tip("c1-09", (1, 0))
    assert "Now 1 coin for the Fellowship, 2 for Sauron." in landmark_tip("erebor", (1, 2))


def test_units_that_are_placed_are_counted():
    game = Duel().offer("c3-13").units(FELLOWSHIP).units(SAURON, mordor=1).do("play:c3-13")
    action = DUEL.actions.names.index("place:arnor")
    number = int(game.state["stack"][0, 1])
    assert DUEL.words.action(game.state, action) == f"{number} units to Arnor"


@pytest.mark.parametrize(
    ("winner", "reason", "told"),
    [
        (FELLOWSHIP, Reason.RING_DESTROYED, "Fellowship has won: the Ring is destroyed, 14 steps to 9"),
        (SAURON, Reason.SAURON_SUPPORT, "Sauron has won: six races give their support, 6 to 2"),
        (SAURON, Reason.SAURON_CONQUEST, "Sauron has won: it is in all seven regions, 7 to 1"),
        (SAURON, Reason.SAURON_REGIONS, "Sauron has won: it is in more regions at the end, 7 to 1"),
        (DRAW, Reason.SHARED, "The victory is shared: both are in 1 region"),
    ],
)
def test_an_end_tells_its_counts(winner, reason, told):
    game = Duel().units(FELLOWSHIP, arnor=2).units(SAURON, **{**dict.fromkeys(REGIONS, 1), "arnor": 0})
    if winner == DRAW:
        game.units(SAURON, mordor=3)
    state = game.state
    state["fort"][REGIONS.index("arnor")] = 1 + SAURON if winner == SAURON else 0
    state["ring"] = [14, 9]
    state["races"] = [[1, 2, 0, 0, 0, 0], [1, 1, 2, 1, 1, 0]]
    state["token"][TOKEN_IDS.index("eagle")] = 1 + SAURON
    state["winner"], state["reason"] = winner, reason
    assert DUEL.words.decision(state) == told


def test_the_layout_is_drawn_as_it_lies():
    """The second chapter without its last row but one card, which covers two of the row above."""
    game = Duel().offer("c2-09")
    state = game.state
    for slot in (18,):
        state["place"][state["deck"][1, slot]] = 1
        state["left"] &= ~(1 << slot)
    state["acting"] = 0
    lines = DUEL.words.layout(state).splitlines()
    assert lines[0].startswith("[ ] can be taken") and lines[-2].strip() == "[c2-09]"
    assert lines[-1].strip() == "yellow" and sum(line.count("[") for line in lines[1:]) == 1
    assert sum(line.count("?") for line in lines[1:]) == 8
    assert max(map(len, lines)) < 80
    state["left"] = 0
    assert DUEL.words.layout(state) == ""


def test_every_part_can_be_looked_up():
    game = DUEL.game(1, DUEL.find_ruleset())
    parts = DUEL.words.parts(game.state)
    assert {*CARD_IDS, *LANDMARK_NAMES, *TOKEN_IDS, *TOKEN_TITLES, "grey", "step 12"} <= set(parts)
    for name, text in parts.items():
        title, _, rest = text.partition("\n")
        assert title and rest.endswith("."), name
    for number, name in enumerate(CARD_IDS):
        up = any(game.state["deck"][0, slot] == number and game.state["up"][slot] for slot in range(20))
        assert ("Now " in parts[name]) == up
