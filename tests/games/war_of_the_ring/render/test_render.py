"""Pictures for people: the text and the image say what ``picture()`` says, and nothing else."""

import numpy as np
import pytest
from PIL import Image

from tests.games.war_of_the_ring.words.test_picture import VIEWERS, hidden_reordered, sampled_positions
from tests.positions import Position
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Frame, Side
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, NUM_REGIONS, REGION_NAMES, REGION_XY
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, NATION_IDS, SIDE_IDS, picture
from wotr_env.games.war_of_the_ring.render import sprites
from wotr_env.games.war_of_the_ring.render import style as map_style
from wotr_env.games.war_of_the_ring.render.drawing import IMAGE_SHAPE
from wotr_env.games.war_of_the_ring.render.map import HEIGHT, WIDTH
from wotr_env.games.war_of_the_ring.render.sprites import font, plain, wrap
from wotr_env.games.war_of_the_ring.render.view import View


@pytest.fixture(scope="module")
def state():
    return Game(1).state


@pytest.mark.parametrize("viewer", VIEWERS)
def test_images_of_all_kinds_of_positions(viewer):
    for state in sampled_positions()[::30]:
        image = View(state, viewer).image
        assert image.shape == IMAGE_SHAPE and image.dtype == np.uint8
        assert image.flags.writeable and len(np.unique(image.reshape(-1, 3)[::97], axis=0)) > 50


def test_the_same_position_gives_the_same_bytes(state):
    image = View(state, 0).image
    _ = View(Position().state, 1).image
    assert View(state, 0).image.tobytes() == image.tobytes()
    image[:] = 0
    assert View(state, 0).image.any()


MAP, PANEL, STRIP = (
    (slice(0, HEIGHT), slice(0, WIDTH)),
    (slice(None), slice(WIDTH, None)),
    (slice(HEIGHT, None), slice(0, WIDTH)),
)
CHANGES = {
    "army": (lambda position: position.army("dale", north=2), MAP),
    "leader": (lambda position: position.army("dale", nazgul=1), MAP),
    "control": (lambda position: position.control("moria", Side.FREE_PEOPLES), MAP, PANEL),
    "siege": (lambda position: position.army("erebor", dwarves=1).army("erebor", sauron=1), MAP),
    "character": (lambda position: position.place("gollum", "fangorn"), MAP),
    "fellowship": (lambda position: position.fellowship("lorien"), MAP, PANEL),
    "progress": (lambda position: position.fellowship(progress=3), MAP, PANEL),
    "revealed": (lambda position: position.fellowship(revealed=True), MAP, PANEL),
    "corruption": (lambda position: position.fellowship(corruption=5), PANEL),
    "guide": (lambda position: position.fellowship(guide="strider"), PANEL),
    "mordor": (lambda position: position.fellowship(mordor_step=4), MAP, PANEL),
    "politics": (lambda position: position.at_war("rohan"), PANEL),
    "active": (lambda position: position.politics("gondor", 2, active=True), PANEL),
    "dice": (lambda position: position.dice("will event", "eye army"), PANEL),
    "hunt box": (lambda position: position.hunt_box(1, 2), PANEL),
    "rings": (lambda position: position.rings(1, 1), PANEL),
    "pool": (lambda position: position.pool("tile-3-1", "tile-fp-1"), PANEL),
    "hand": (lambda position: position.hand(Side.FREE_PEOPLES, "fp-char-03"), STRIP),
    "card back": (lambda position: position.hand(Side.SHADOW, "sh-char-03"), STRIP),
    "table": (lambda position: position.table("fp-char-05"), STRIP),
}
"""A change of the position, and each part of the image that must show it; no other part may."""


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_is_seen_where_it_belongs(name):
    change, *areas = CHANGES[name]
    before, after = Position(), Position()
    change(after)
    one, other = View(before.state, 0).image, View(after.state, 0).image
    for area in (MAP, PANEL, STRIP):
        assert (one[area] != other[area]).any() == (area in areas)
    assert View(before.state, 0).text != View(after.state, 0).text


@pytest.mark.parametrize("viewer", [0, 1])
def test_hidden_cards_leave_no_trace(viewer):
    rng = np.random.default_rng(8)
    for state in sampled_positions()[::40]:
        other = hidden_reordered(state, 1 - viewer, rng)
        assert View(other, viewer).text == View(state, viewer).text
        assert View(other, viewer).image.tobytes() == View(state, viewer).image.tobytes()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_text_shows_hands_as_the_viewer_may_see_them(state, viewer):
    text = View(state, viewer).text
    for side in Side:
        for card in np.flatnonzero(state.card_zone == CardZone.HAND + side):
            assert (CARD_NAMES[card] in text) == (viewer in (None, side))
    assert "hand 1 Character, 1 Strategy" in text


def test_the_text_is_in_chapters(state):
    lines = View(state, 0).text.split("\n")
    rules = [line.split()[1] for line in lines if line.startswith("-- ")]
    assert rules == ["Fellowship", "Nations", "Map", "Cards"]
    assert lines[0].startswith("Turn 1, ")
    assert "  Minas Tirith (Stronghold)          Gondor 3 Regulars, 1 Elite, 1 Leader" in lines
    assert "Gondor:" in lines and "Free lands:" in lines


def test_the_text_names_sieges_and_conquests():
    position = Position().army("minas-tirith", gondor=1).army("minas-tirith", sauron=2, nazgul=1)
    text = View(position.control("edoras", Side.SHADOW).state, 0).text
    assert (
        "  Minas Tirith (Stronghold, besieged) garrison: Gondor 1 Regular; Sauron 2 Regulars, 1 Nazgul"
        in text
    )
    assert "  Edoras (City, taken by the Shadow)" in text


def test_battles_and_events_of_the_sample_are_told():
    battles = 0
    for state in sampled_positions()[::2]:
        shown, text = picture(state, None), View(state, None).text
        battles += shown["battle"] is not None
        assert ("Battle, round" in text) == (shown["battle"] is not None)
        assert ("hits: Free Peoples" in text) == (Frame.BATTLE in state.stack[: state.depth, 0])
    assert battles > 3


def test_the_end_of_a_game_is_told():
    end = sampled_positions()[-1]
    assert end.winner >= 0
    headline = View(end, None).text.split("\n")[0]
    assert " won: " in headline or "Draw: turn limit" in headline


def test_crowded_panels_stay_off_the_map():
    empty, crowded = Position(), Position().dice("character " * 6, "army " * 10)
    for side, names in ((Side.FREE_PEOPLES, "fp-char"), (Side.SHADOW, "sh-strat")):
        crowded.hand(side, *(f"{names}-{number:02d}" for number in range(1, 11)))
    one, other = (View(position.state, None).image for position in (empty, crowded))
    assert (one[:HEIGHT, :WIDTH] == other[:HEIGHT, :WIDTH]).all()
    assert (one[:HEIGHT, WIDTH:] != other[:HEIGHT, WIDTH:]).any()
    assert (one[HEIGHT:, :WIDTH] != other[HEIGHT:, :WIDTH]).any()


def test_cells_tile_the_land():
    width, height = map_style.MAP_SIZE
    cells = map_style.region_cells()
    assert len(cells) == NUM_REGIONS
    for (x, y), cell, name in zip(REGION_XY, cells, REGION_NAMES, strict=True):
        assert all(0 <= a <= width and 0 <= b <= height for a, b in cell), name
        assert _inside((x, y), cell), name
    land = sum(_area(cell) for cell in cells)
    assert land + _area(map_style.SEA) == pytest.approx(width * height, rel=0.001)


def _area(polygon) -> float:
    ring = np.array(polygon)
    after = np.roll(ring, -1, axis=0)
    return abs((ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum()) / 2


def _inside(point, polygon) -> bool:
    """Whether a ray to the right of the point crosses the polygon an odd number of times."""
    x, y = point
    crossings = 0
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            crossings += 1
    return crossings % 2 == 1


def test_styles_are_complete():
    assert tuple(map_style.NATION_COLOURS) == tuple(map_style.NATION_INKS) == NATION_IDS
    assert tuple(map_style.SIDE_COLOURS) == SIDE_IDS
    assert tuple(map_style.CHARACTER_LETTERS) == CHARACTER_IDS
    assert map_style.SETTLEMENT_SHAPES.keys() == map_style.SETTLEMENT_RADIUS.keys()
    assert map_style.blend("#ffffff", "#000000", 0.5) == "#808080"
    assert map_style.region_colour(None) == map_style.LAND_COLOUR
    assert len(map_style.region_walls()) > 20


def test_words_fit_the_lines():
    assert plain("Éomer, Dáin, Círdan, Nazgûl") == "Eomer, Dain, Cirdan, Nazgul"
    assert all(plain(name).isascii() for name in CARD_NAMES)
    for width in (50, 80, 200):
        lines = wrap("Many Kings to the Service of Mordor", 10, width)
        assert " ".join(lines) == "Many Kings to the Service of Mordor"
        assert all(font(10).getlength(line) <= width for line in lines)


@pytest.mark.parametrize("size", [11, 11.5, 13.5])
@pytest.mark.parametrize("words", ["Hunt Box", "4 to roll", "in Elite"])
def test_words_stay_apart(words, size):
    image = Image.new("RGB", (120, 30), "#ffffff")
    sprites.write(image, (5, 15), words, size, "#000000")
    ink = (255 - np.asarray(image.convert("L"), dtype=int)).max(axis=0)
    inked = np.flatnonzero(ink)
    columns = "".join("." if each < 90 else "#" for each in ink[inked[0] : inked[-1]])
    gaps = sorted(map(len, columns.split("#")))
    spaces = words.count(" ")
    assert gaps[-spaces] >= 2 and (gaps[-spaces] > gaps[-spaces - 1]), gaps
