"""A seat is told what came of its own choices, and what happened while nobody looked at the page."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import IDS, any_choice, decision, open_at, reach
from tests.table.pages import hash_of, is_idle, press, sit_down, wait_until
from tests.web_tables import PEOPLE, SHORT

pytestmark = pytest.mark.slow

LONG = {"ruleset": "first", "most": 900, "choose": any_choice}


def hunted(line):
    """Whether a Character die can move the Fellowship, and the Hunt would roll dice."""
    may_move = decision(line) == "action-die" and line.is_legal(IDS["face:character"])
    return line.seat == 0 and may_move and int(line.state["hunt_box"].sum()) > 1


def test_the_roll_of_the_hunt_for_the_own_move_is_told(open_page, server):
    seed, actions = reach(hunted, choose=any_choice)
    table = server.open(PEOPLE, SHORT, seed, actions)
    page = sit_down(open_page, table)
    page.locator("#act [data-plan='plan:move-fellowship']").first.click()
    told = page.get_by_role("region", name="Result")
    told.wait_for()
    assert "Hunt roll of the Shadow" in told.inner_text()
    rolled = table.table._stories[0].between(len(actions), table.line.number)
    assert any(b"Hunt roll of the Shadow" in bytes(text) for each in rolled for text in each.sentences)
    page.reload()
    page.get_by_role("region", name="While you were away").wait_for()
    assert "Hunt roll of the Shadow" in page.locator(".since").inner_text()
    page.get_by_role("button", name="Hide: While you were away").click()
    assert page.locator(".since").count() == 0


def test_cards_that_are_drawn_by_the_own_choice_are_told(open_page, server):
    def may_draw(line):
        return line.seat == 0 and decision(line) == "action-die" and line.is_legal(IDS["face:event"])

    page = sit_down(open_page, open_at(server, may_draw, choose=any_choice))
    hand = page.locator("#hand .card .title b")
    before = hand.all_inner_texts()
    page.locator("#act [data-end^='plan:draw-card']").first.click()
    told = page.get_by_role("region", name="Result")
    told.wait_for()
    (drawn,) = set(hand.all_inner_texts()) - set(before)
    assert drawn in told.inner_text()


def test_the_end_of_the_own_battle_is_told(open_page, server):
    table = open_at(server, lambda line: line.is_legal(IDS["verb:cease"]), **LONG)
    page = sit_down(open_page, table, table.seat)
    page.locator("#act [data-name='verb:cease']").click()
    told = page.get_by_role("region", name="Result")
    told.wait_for()
    assert "The battle for " in told.inner_text() and " is over after " in told.inner_text()


def test_own_losses_are_told(open_page, server):
    table = open_at(server, lambda line: decision(line) == "casualty", **LONG)
    page = sit_down(open_page, table, table.seat)
    rolls = page.locator(".battle .rolls li")
    before = rolls.last.inner_text()
    press(page, table, page.locator("#act .card-form .primary"))
    assert rolls.last.inner_text().startswith("Lost in ") and rolls.last.inner_text() != before


def test_the_first_hand_is_told_until_the_first_choice(open_page, server):
    table = server.open({"player_1": "person", "player_2": "scripted"}, "two", seed=3, game="two-towers")
    page = open_page(table.link("player_1"))
    page.wait_for_selector(".since")
    first = table.table.kind.words.hand(table.line.at(0), 0)
    assert f"First hand of Player 1: {first}" in page.locator(".since").inner_text()
    before = hash_of(page)
    wait_until(page, lambda: is_idle(page), "a painted question")
    page.locator(".choices .answer").first.click()
    wait_until(page, lambda: hash_of(page) != before, "another position")
    assert "First hand" not in page.locator(".since").or_(page.locator("#news")).first.inner_text()
