"""Positions of The Two Towers as plain data and drawn."""

import json

import gymnasium
import numpy as np
import pytest

import wotr_env  # noqa: F401 (registers the environments)
from tests.games.two_towers.towers import TOWERS, Towers, kinds
from tests.kind_play import play
from tests.without_hue import without_hue
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form
from wotr_env.core.shapes import Box, Disc, Words, svg
from wotr_env.games.two_towers.components import COLOURS, KIND_NAMES
from wotr_env.games.two_towers.drawing import HEIGHT, WIDTH, drawing_of
from wotr_env.games.two_towers.picture import picture


def draw(state: np.record, viewer: int | None, form: Form = Form.WIDE):
    assert TOWERS.drawing is not None
    return TOWERS.drawing(state, viewer, form=form)


def test_a_position_as_data():
    towers = Towers(3).no_hands().hand(0, "red-strength*2", "gandalf").row(1, "blue-wisdom", 2, gandalf=True)
    shown = picture(towers.at("Fangorn", 5, 2).refresh().state, 0)
    assert shown["seat"] == "player_1" and shown["place"] == "at Fangorn"
    fangorn = shown["locations"][1]
    assert (fangorn["qualities"], fangorn["tokens"]) == (["strength", "wisdom"], [5, 2])
    assert fangorn["marker"] == fangorn["spaces"] + 1
    first, second, _ = shown["players"]
    assert first["cards"] == {"red-strength": 2, "gandalf": 1} and first["ring"] and not second["ring"]
    assert second["rows"] == [{"colour": "blue", "quality": "wisdom", "cards": 2, "gandalf": True}]
    assert second["valid"] == 3 and json.loads(json.dumps(shown)) == shown


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("place", ["cards", "rows"])
def test_cards_are_told_apart_by_more_than_their_colours(place, players, form):
    seen = set()
    for colour in COLOURS:
        shown = picture(Towers(players).no_hands().refresh().state, 0)
        for player in shown["players"]:
            if place == "cards":
                player["cards"], player["hand"] = {f"{colour}-wisdom": 2}, 2
            else:
                player["rows"] = [{"colour": colour, "quality": "wisdom", "cards": 2, "gandalf": False}]
        drawing = drawing_of(shown, form)
        seen.add(tuple(each.text for each in without_hue(drawing.shapes) if isinstance(each, Words)))
    assert len(seen) == len(COLOURS)


def test_hands_are_for_those_who_hold_them():
    towers = Towers().hand(1, "red-strength", "gandalf").refresh()
    towers.state["known"][1, kinds("gandalf")[0]] = 1
    for viewer, cards in ((None, 2), (1, 2), (0, 1), (PUBLIC, 1)):
        other = picture(towers.state, viewer)["players"][1]
        assert other["hand"] == 2 and sum(other["cards"].values()) == cards
    with pytest.raises(ValueError, match="seats of this game"):
        picture(towers.state, 2)


@pytest.mark.parametrize("ruleset", ["two", "five"])
def test_what_is_hidden_changes_nothing_and_all_is_within_the_edges(ruleset):
    seats = len(TOWERS.find_ruleset(ruleset).seats)
    looked = 0

    def look(states, _masks):
        nonlocal looked
        looked += 1
        if looked % 15:
            return
        for state in states:
            for viewer in range(seats):
                world = np.array([state], dtype=TOWERS.state)
                TOWERS.kernels.sample_worlds(world, np.array([viewer]), np.array([looked]))
                assert picture(state, viewer) == picture(world[0], viewer)
            assert picture(state, PUBLIC) == picture(world[0], PUBLIC)
            for viewer in (0, None):
                for form in Form:
                    _check_edges(draw(state, viewer, form))

    play(TOWERS, 3, 2, ruleset, look)
    assert looked > 100


def _check_edges(drawing):
    for shape in drawing.shapes:
        if isinstance(shape, Box):
            assert 0 <= shape.x <= shape.x + shape.width <= drawing.width
            assert 0 <= shape.y <= shape.y + shape.height <= drawing.height
        elif isinstance(shape, Disc):
            assert 0 <= shape.x <= drawing.width and 0 <= shape.y <= drawing.height
        elif isinstance(shape, Words):
            assert shape.size >= 11


@pytest.mark.parametrize("ruleset", ["two", "four"])
def test_all_that_can_be_chosen_is_somewhere_in_the_drawing(ruleset):
    """All but to do nothing more; a Gandalf is chosen at his card too."""
    seen = set()

    def look(states, masks):
        for state, mask in zip(states, masks, strict=True):
            legal = {TOWERS.actions.names[action] for action in np.flatnonzero(mask)} - {"end"}
            for form in Form if legal else ():
                drawing = draw(state, int(state["seat"]), form)
                pointed = [box.actions for box in drawing.shapes if isinstance(box, Box)]
                assert legal <= {name for names in pointed for name in names}
                for begun in (name for name in legal if name.startswith("begin:")):
                    assert sum(begun in names for names in pointed) == 2
            seen.update(name.partition(":")[0] for name in legal)

    play(TOWERS, 3, 1, ruleset, look)
    assert seen == {"take", "swap", "lay", "begin"}


def test_a_hand_of_every_kind_fits():
    towers = Towers(5).no_hands().hand(0, *KIND_NAMES).refresh()
    drawing = draw(towers.state, 0)
    cards = [shape for shape in drawing.shapes if isinstance(shape, Words) and shape.text in "GSWPR"]
    assert max(shape.y for shape in cards) < HEIGHT - 12
    assert max(shape.x for shape in cards if shape.y > 640) < WIDTH / 5 + 6
    assert "<svg" in svg(drawing)


def test_environments_draw_it():
    env = gymnasium.make("TwoTowers-v0", render_mode="rgb_array", opponent="random", ruleset="three")
    env.reset(seed=1)
    frame = env.render()
    assert frame.shape == (HEIGHT, WIDTH, 3) and frame.std() > 10
