"""The map that ``wotr play`` draws."""

from __future__ import annotations

import random

import pytest

from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_env.games.war_of_the_ring.components import REGION_IDS, REGION_NAMES
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.render.style import SIDE_COLOURS
from wotr_experiments.games.war_of_the_ring.terminal import map as terminal_map
from wotr_experiments.games.war_of_the_ring.terminal.forces import TONES, strength
from wotr_experiments.games.war_of_the_ring.terminal.map import drawn, surroundings, window_of


def positions(count, steps):
    game, generator = Game(2), random.Random(2)
    for _ in range(count):
        for _ in range(steps):
            if game.over:
                return
            game.step(generator.choice(game.legal()))
        yield picture(game.state, 1)


@pytest.mark.parametrize(("width", "height"), [(80, 21), (80, 30), (120, 37)])
def test_every_army_and_character_is_on_the_map(width, height):
    """At usual sizes nothing is left out, however crowded it is."""
    for shown in positions(6, 150):
        text = drawn(shown, width, height)
        lines = text.plain.split("\n")
        assert len(lines) <= height and {len(line) for line in lines} == {width}
        assert "(F" in text.plain or shown["fellowship"]["mordor_step"]
        for side in SIDE_IDS:
            tokens = [
                terminal_map._army(nation, counts, width >= 110)
                for there in shown["regions"].values()
                for army in there["armies"]
                if army["side"] == side
                for nation, counts in army["figures"].items()
            ]
            written = "".join(
                text.plain[span.start]
                for span in text.spans
                if span.style.color and span.style.color.name == SIDE_COLOURS[side]
            )
            missing = [token for token in tokens if token not in text.plain]
            assert not missing, missing
            assert all(letter in written for letter in set("".join(tokens)))


def test_the_land_around_a_region_is_drawn_with_names():
    shown = picture(Game(1).state, 0)
    number = REGION_NAMES.index("Minas Tirith")
    around = surroundings(number)
    text = drawn(shown, 80, 14, window_of(around)).plain
    assert all(REGION_NAMES[region] in text for region in around)
    army = next(iter(shown["regions"][REGION_IDS[number]]["armies"]))
    assert f"G{strength(army['figures']).replace(' ', '')}" in text


def test_the_sea_and_the_fellowship_have_their_colours():
    text = drawn(picture(Game(1).state, 0), 80, 24)
    grounds = {span.style.bgcolor.name for span in text.spans}
    assert {terminal_map.SEA_COLOUR, terminal_map.FELLOWSHIP_COLOUR} <= grounds
    assert "(F)" in text.plain


def test_the_fellowship_has_room_in_a_crowd():
    shown = picture(Game(1).state, 0)
    shown["fellowship"] |= {"progress": 3}
    for width, height in ((80, 21), (80, 22), (100, 24)):
        text = drawn(shown, width, height).plain
        assert "(F+3)" in text and text.count("E2+1") == 3  # two or three units each


def test_the_sides_have_the_colours_of_the_map_as_writing():
    assert len(set(TONES)) == 2 and all(tone.startswith("#") for tone in TONES)
    red, blue = (int(TONES[side][at : at + 2], 16) for side, at in ((1, 1), (0, 5)))
    assert red > 150 and blue > 150
