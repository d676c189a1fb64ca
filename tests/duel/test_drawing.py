"""Positions of the Duel as plain data and drawn: complete, and nothing that the viewer may not know."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tests.duel.duels import FELLOWSHIP, SAURON, Duel
from tests.duel.test_events import steps, worlds_of
from wotr_env.duel.components import CARD_IDS, REGIONS, SLOT_COVER
from wotr_env.duel.drawing import HEIGHT, ROWS, WIDTH, draw, slot_place
from wotr_env.duel.picture import picture
from wotr_env.kind import PUBLIC
from wotr_env.render.raster import raster
from wotr_env.shapes import Box, Disc, Drawing, Stroke, Words, element, svg


def positions(seeds: range) -> list[np.record]:
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
    assert last["card"] == "c2-13" and last["up"] and last["accessible"] and last["price"] == [3, 3]
    told = words_of(draw(game.state, SAURON))
    assert "c2-13" in told and "7" in told and "5" in told
    assert {name.capitalize() for name in REGIONS} <= set(told)
    assert "ring 11 of 14" in told


def test_every_drawing_is_of_svg_within_its_edges():
    for state in positions(range(3)):
        for viewer in (FELLOWSHIP, None):
            drawing = draw(state, viewer)
            assert (drawing.width, drawing.height) == (WIDTH, HEIGHT)
            ElementTree.fromstring(svg(drawing))
            for shape in drawing.shapes:
                match shape:
                    case Box():
                        assert 0 <= shape.x and shape.x + shape.width <= WIDTH
                        assert 0 <= shape.y and shape.y + shape.height <= HEIGHT
                    case Disc():
                        assert shape.radius <= shape.x <= WIDTH - shape.radius
                        assert shape.radius <= shape.y <= HEIGHT - shape.radius
                    case Words() | Stroke():
                        assert 0 <= shape.x <= WIDTH and 0 <= shape.y <= HEIGHT


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
    for state in positions(range(8)):
        shown, drawn = picture(state, seat), draw(state, seat)
        public = picture(state, PUBLIC)
        assert json.loads(json.dumps(shown)) == shown
        for world in worlds_of(state, seat):
            changed += int(world["deck"].tobytes() != state["deck"].tobytes())
            assert picture(world, seat) == shown and draw(world, seat) == drawn
            assert picture(world, PUBLIC) == public
    assert changed > 300


def test_the_public_sees_what_each_seat_sees_but_for_a_discard_looked_through():
    """And who has looked knows three cards more."""
    more = 0
    for state in positions(range(40)):
        public = picture(state, PUBLIC)
        for seat in (FELLOWSHIP, SAURON):
            shown = picture(state, seat)
            more += int(shown["discard"] != public["discard"])
            if state["looked"][seat, state["chapter"]]:
                assert set(public["discard"]) < set(shown["discard"])
            else:
                assert shown == public
    assert more > 0
