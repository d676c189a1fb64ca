"""A game in a notebook: the SVG map has what the drawn one has, and nobody sees what is hidden."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

from tests.games.war_of_the_ring.render.test_render import CHANGES, MAP
from tests.games.war_of_the_ring.words.test_picture import hidden_reordered, sampled_positions
from tests.positions import Position
from wotr_env import Game, IllegalAction
from wotr_env.core import game as any_game
from wotr_env.core.codes import PUBLIC
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH
from wotr_env.games.duel.ruleset import DuelRuleset
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, REGION_NAMES
from wotr_env.games.war_of_the_ring.render import style
from wotr_env.games.war_of_the_ring.render.map import HEIGHT, WIDTH
from wotr_env.games.war_of_the_ring.render.view import View


def elements(svg: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def test_the_map_has_the_size_the_names_and_the_colours_of_the_drawn_one():
    view = Game(1).render()
    root = ElementTree.fromstring(view.svg)
    assert root.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
    told = {
        " ".join(word for line in text.iter() if (word := (line.text or "").strip()))
        for text in elements(view.svg, "text")
    }
    plain = [name for name in REGION_NAMES if name.isascii()]
    assert len(plain) > 90
    assert told >= set(plain)
    for colour in (*style.NATION_COLOURS.values(), *style.SIDE_COLOURS.values(), style.SEA_COLOUR):
        assert colour in view.svg


def test_all_kinds_of_positions_are_well_formed():
    for state in sampled_positions()[::30]:
        for viewer in (PUBLIC, 0, None):
            view = View(state, viewer)
            ElementTree.fromstring(view.svg)
            ElementTree.fromstring(view.html)


@pytest.mark.parametrize("name", [name for name, (_, *areas) in CHANGES.items() if MAP in areas])
def test_what_changes_on_the_map_is_seen(name):
    before, after = Position(), Position()
    CHANGES[name][0](after)
    assert View(before.state, 0).svg != View(after.state, 0).svg


def test_a_region_tells_what_is_in_it():
    position = Position().army("dale", north=2).place("gollum", "fangorn")
    told = [title.text or "" for title in elements(View(position.state, PUBLIC).svg, "title")]
    assert any(re.fullmatch(r"Dale \(City\) North 2 Regulars", text) for text in told), told
    assert any(text.startswith("Fangorn") and "Gollum" in text for text in told)


@pytest.mark.parametrize("viewer", [PUBLIC, 0, 1])
def test_a_view_stays_the_same_when_what_is_hidden_changes(viewer):
    rng = np.random.default_rng(5)
    changed = 0
    for state in sampled_positions()[::40]:
        other = state
        for side in Side:
            if side != viewer:
                other = hidden_reordered(other, side, rng)
        changed += View(other, None).html != View(state, None).html
        assert View(other, viewer).html == View(state, viewer).html
        assert View(other, viewer).image.tobytes() == View(state, viewer).image.tobytes()
    assert changed


def test_a_notebook_shows_what_everybody_may_see():
    game = Game(3)
    hands = [{card for card in CARD_NAMES if card in game.render(seat).text} for seat in Side]
    assert len(hands[0]) == len(hands[1]) == 2
    assert hands[0].isdisjoint(hands[1])
    shown = game._repr_html_()
    assert shown == game.render(PUBLIC).html == game.render()._repr_html_()
    assert not any(card in shown for card in CARD_NAMES)
    assert all(card in game.render(None).text for card in hands[0] | hands[1])
    with pytest.raises(ValueError, match=r"the seats of this game are 0 \(Free Peoples\)"):
        game.render(2)


def test_views_are_saved_by_their_ending(tmp_path):
    view = Game(1).render(1)
    for ending in ("svg", "html", "txt", "png"):
        view.save(tmp_path / f"map.{ending}")
    assert (tmp_path / "map.svg").read_text(encoding="utf-8") == view.svg + "\n"
    assert (tmp_path / "map.txt").read_text(encoding="utf-8") == f"{view}\n"
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"saved as .svg, .html, .png or .txt, not as 'map.gif'"):
        view.save(tmp_path / "map.gif")
    assert not (tmp_path / "map.gif").exists()


def test_any_game_is_played_by_names():
    game = any_game.Game(DUEL_FOR_MIDDLE_EARTH, 1, DuelRuleset())
    name = game.name_of(game.legal()[0])
    assert game.step(name).moves() == [name]
    before = game.hash()
    with pytest.raises(IllegalAction, match=f"there is no action '{name}x'; names look like {name}"):
        game.step(name + "x")
    with pytest.raises(IllegalAction, match="is illegal in decision turn; legal: "):
        game.step(next(each for each in range(500) if each not in game.legal()))
    wrong: Any
    for wrong in (True, 1.5, None):
        with pytest.raises(IllegalAction, match="by its name or its integer id"):
            game.step(wrong)
    with pytest.raises(IllegalAction, match="ids go from 0 to"):
        game.step(10**6)
    assert game.hash() == before
    assert game.describe()
