"""Positions of the Duel as plain data and drawn: complete, and nothing that the viewer may not know."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.games.duel.test_events import steps, worlds_of
from tests.without_hue import without_hue
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form
from wotr_env.core.raster import raster
from wotr_env.core.shapes import Box, Disc, Drawing, Stroke, Words, element, svg
from wotr_env.games.duel import words
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.components import BONUS_STEP, CARD_IDS, DATA, REGIONS, SLOT_COVER, SUMMIT
from wotr_env.games.duel.drawing import HEIGHT, ROWS, SQUARE, UPRIGHT, WIDTH, draw, drawing_of, slot_place
from wotr_env.games.duel.facts import BONUSES, COLOURS, TOKENS
from wotr_env.games.duel.masks import accessible
from wotr_env.games.duel.picture import picture
from wotr_env.games.duel.pieces import CARD, SMALLEST, Place, card


@functools.cache
def positions(seeds: range) -> list[np.record]:
    """Every third position of random games, to be left unchanged."""
    return [state for state, _ in steps(seeds)][::3]


def words_of(drawing: Drawing) -> list[str]:
    return [shape.text for shape in drawing.shapes if isinstance(shape, Words)]


def test_the_rows_of_each_chapter_are_those_of_the_layouts():
    """A card lies in the row in front of those that it covers, half a place or less to their side."""
    for chapter, rows in enumerate(ROWS):
        assert sum(rows) == len(SLOT_COVER[chapter])
        for slot, covers in enumerate(SLOT_COVER[chapter].tolist()):
            across, row = slot_place(chapter, slot)
            for other in range(20):
                if covers >> other & 1:
                    other_across, other_row = slot_place(chapter, other)
                    assert other_row == row + 1 and abs(other_across - across) <= 0.5


def test_a_position_shows_cards_units_fortresses_and_steps():
    game = Duel().offer("c2-13").units(FELLOWSHIP, lindon=7).units(SAURON, gondor=5)
    game.state["ring"] = 11, 4
    shown = picture(game.refresh().state, SAURON)
    assert shown["regions"]["lindon"]["units"] == [7, 0] and shown["regions"]["gondor"]["units"] == [0, 5]
    assert [shown["sides"][side]["ring"] for side in ("fellowship", "sauron")] == [11, 4]
    last = shown["slots"][19]
    assert last["card"] == "c2-13" and last["up"] and last["covered_by"] == [] and last["price"] == [3, 3]
    told = words_of(draw(game.state, SAURON))
    assert "2 steps" in told and "7" in told and "5" in told
    assert {name.capitalize() for name in REGIONS} <= set(told)
    assert "ring 11 of 14" in told


@pytest.mark.parametrize(
    ("form", "size"), [(Form.WIDE, (WIDTH, HEIGHT)), (Form.SQUARE, SQUARE), (Form.UPRIGHT, UPRIGHT)]
)
def test_every_drawing_is_of_svg_within_its_edges_with_letters_that_can_be_read(form, size):
    width, height = size
    for state in positions(range(3)):
        for viewer in (FELLOWSHIP, None):
            drawing = draw(state, viewer, form=form)
            assert (drawing.width, drawing.height) == size
            ElementTree.fromstring(svg(drawing, pointed=True))
            for shape in drawing.shapes:
                match shape:
                    case Box():
                        assert 0 <= shape.x and shape.x + shape.width <= width
                        assert 0 <= shape.y and shape.y + shape.height <= height
                    case Disc():
                        assert shape.radius <= shape.x <= width - shape.radius
                        assert shape.radius <= shape.y <= height - shape.radius
                    case Words():
                        assert 0 <= shape.x <= width and 0 <= shape.y <= height and shape.size >= SMALLEST
                    case Stroke():
                        assert 0 <= shape.x <= width and 0 <= shape.y <= height


@pytest.mark.parametrize("form", Form)
def test_all_that_can_be_chosen_is_somewhere_in_the_drawing(form):
    """All but to decline and to take another turn, which are no things."""
    seen = set()
    for state in positions(range(5, 18)):
        masks = np.zeros((1, DUEL.actions.size), dtype=np.bool_)
        states = np.array([state], dtype=DUEL.state)
        DUEL.kernels.refresh(states, masks)
        boxes = [each for each in draw(state, int(state["seat"]), form=form).shapes if isinstance(each, Box)]
        pointed = {name for box in boxes for name in box.actions}
        legal = {ACTION_NAMES[action] for action in np.flatnonzero(masks[0])} - {"again", "pass"}
        assert legal <= pointed, (legal - pointed, form)
        seen |= {name.partition(":")[0] for name in legal}
    assert seen == set(DUEL.actions.blocks) - {"again", "pass"}


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("part", ["units", "fort", "ring"])
def test_the_sides_are_told_apart_by_more_than_their_colours(part, form):
    drawn = []
    for side in (FELLOWSHIP, SAURON):
        game = Duel()
        game.state["units"], game.state["fort"], game.state["ring"] = 0, 0, 0
        if part == "units":
            game.state["units"][side, REGIONS.index("rohan")] = 3
        elif part == "fort":
            game.state["fort"][REGIONS.index("rohan")] = 1 + side
        else:
            game.state["ring"][side] = 5
        shapes = [
            each
            for each in without_hue(draw(game.state, PUBLIC, form=form).shapes)
            if not (isinstance(each, Words) and "regions" in each.text)
        ]
        drawn.append({repr(each) for each in shapes})
    one, other = drawn
    assert one - other and other - one


@pytest.mark.parametrize("form", Form)
def test_cards_of_each_colour_are_told_apart_by_more_than_it(form):
    """Those that lie out by what they give, those of a side by letters."""
    for size in (Place(0, 0, 60, 60, 30), Place(0, 0, 86, 104, 40)):
        looks = collections.defaultdict(set)
        for data in DATA["cards"]:
            slot = {"card": data["id"], "up": True, "price": [0, 0]}
            shapes = without_hue(card(size, slot, [], 0, 1, 1))
            given = [each.text for each in shapes if isinstance(each, Words)]
            looks[data["color"]].add(tuple(given[len(data["cost"]) :]))
        for one, other in itertools.combinations(looks, 2):
            assert not looks[one] & looks[other]
    told = set()
    for colour in COLOURS:
        game = Duel().offer("c2-13")
        name = next(each["id"] for each in DATA["cards"] if each["color"] == colour)
        shown = picture(game.state, PUBLIC)
        shown["sides"]["sauron"]["cards"], shown["discard"] = [name], [name]
        drawing = drawing_of(shown, form)
        told.add(tuple(each.text for each in drawing.shapes if isinstance(each, Words)))
    assert len(told) == len(COLOURS)


def test_who_points_at_a_thing_is_told_what_it_does():
    drawing = draw(Duel().offer("c2-13").refresh().state, SAURON)
    tips = [each.tip for each in drawing.shapes if isinstance(each, Box)]
    assert (
        "Blue card c2-13: 2 steps\n"
        "Cost: strength, courage, courage. It gives the campfire, which makes a later card free. "
        "Now 3 coins for the Fellowship, 3 for Sauron."
    ) in tips
    assert any(tip.startswith("Arnor\nthe Fellowship: 2 units") for tip in tips)
    assert set(BONUSES) == {*BONUS_STEP.tolist(), SUMMIT} and set(COLOURS) == set(CARD)
    assert all(title and sentence for title, sentence in TOKENS.values())


def test_a_covered_card_tells_what_lies_on_it():
    covered = 0
    for state in positions(range(2)):
        shown = picture(state, FELLOWSHIP)
        tips = [shape.tip for shape in draw(state, FELLOWSHIP).shapes if isinstance(shape, Box)]
        for slot in filter(None, shown["slots"]):
            on = [shown["slots"][other]["card"] for other in slot["covered_by"]]
            assert bool(on) != bool(accessible(state, shown["slots"].index(slot)))
            if slot["card"] and on:
                (tip,) = (tip for tip in tips if f"card {slot['card']}:" in tip)
                assert "Covered by " in tip and all(name in tip for name in on if name)
                assert tip.count("a card face down") == on.count(None)
                covered += 1
    assert covered > 20


def test_choices_tell_what_a_discarded_card_brings():
    game = Duel().offer("c2-13")
    assert words.action(game.state, ACTION_NAMES.index("sell:c2-13")) == (
        "discard blue c2-13 (2 steps) for 2 coins"
    )
    game.give(SAURON, "double-discard")
    coins = int(game.state["coins"][game.state["seat"]])
    assert words.action(game.state, ACTION_NAMES.index("sell:c2-13")).endswith(" for 4 coins")
    game.do("sell:c2-13")
    assert game.state["coins"][SAURON] == coins + 4


def test_words_cannot_end_the_element_they_stand_in():
    assert "<b>" not in element(Words(0, 0, "<b>&", 1, "#000000"))
    assert "&lt;b&gt;&amp;" in element(Words(0, 0, "<b>&", 1, "#000000"))


def test_pixels_are_those_of_the_shapes():
    drawing = Drawing(40, 20, "#102030", "two", (Box(0, 0, 10, 20, "#ff0000"), Disc(30, 10, 8, "#00ff00")))
    pixels = raster(drawing)
    assert pixels.shape == (20, 40, 3) and pixels.dtype == np.uint8
    assert pixels[10, 4].tolist() == [255, 0, 0] and pixels[10, 30].tolist() == [0, 255, 0]
    assert pixels[10, 16].tolist() == [16, 32, 48]


def test_an_unknown_viewer_is_refused():
    with pytest.raises(ValueError, match="the seats of this game are"):
        picture(Duel().state, 2)


def test_who_may_see_all_sees_the_cards_that_lie_face_down():
    state = Duel().state
    everything = [slot["card"] for slot in picture(state, None)["slots"]]
    assert everything == [CARD_IDS[card] for card in state["deck"][0, :20]]
    assert [slot["card"] for slot in picture(state, PUBLIC)["slots"]].count(None) == 8


@pytest.mark.parametrize("seat", [FELLOWSHIP, SAURON])
def test_what_a_seat_does_not_know_changes_nothing_that_it_is_shown(seat):
    changed = 0
    for state in positions(range(4)):
        shown, drawn = picture(state, seat), draw(state, seat)
        public = picture(state, PUBLIC)
        assert json.loads(json.dumps(shown)) == shown
        for world in worlds_of(state, seat):
            changed += int(world["deck"].tobytes() != state["deck"].tobytes())
            assert picture(world, seat) == shown and draw(world, seat) == drawn
            assert picture(world, PUBLIC) == public
    assert changed > 150


def test_the_public_sees_what_each_seat_sees_but_for_a_discard_looked_through():
    """And who has looked knows three cards more."""
    more = 0
    for state in positions(range(10)):
        public = picture(state, PUBLIC)
        for seat in (FELLOWSHIP, SAURON):
            shown = picture(state, seat)
            more += int(shown["discard"] != public["discard"])
            if state["looked"][seat, state["chapter"]]:
                assert set(public["discard"]) < set(shown["discard"])
            else:
                assert shown == public
    assert more > 0
