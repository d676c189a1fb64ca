"""Own dice on the page of the table, against the real server."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.pages import changing, press_on, settle, wait_until

pytestmark = pytest.mark.slow

ROUNDS = 200


def enter(page, table, number: int) -> None:
    """Enters the outcomes that are asked for: by clicks, by keys or by the computer."""
    dice = table.table.pending.asked
    with changing(page, table):
        if number % 3 == 2:
            page.locator("[data-name=dice-computer]").click()
            return
        for _ in range(dice.number):
            if number % 3 == 0:
                page.locator("[data-outcome]").last.click()
            else:
                page.keyboard.press("1")


def test_a_whole_turn_with_entered_dice(open_page, server):
    seats = {"free_peoples": "person", "shadow": "random"}
    table = server.open(seats, "first:max_turns=1", own_dice=True)
    page = open_page(table.link("free_peoples"))
    asked, chosen = [], set()
    for number in range(ROUNDS):
        settle(page, table)
        if table.line.over:
            break
        if (pending := table.table.pending) is not None:
            assert page.locator(".dice-card h2").inner_text().lower() == pending.asked.text.lower()
            asked.append(pending.asked.text)
            chosen |= set(page.locator(".what-for .side").all_inner_texts())
            enter(page, table, len(asked))
        else:
            press_on(page, table, number)
    assert table.line.over
    assert asked  # the only roll, where the Shadow has put all its dice into the Hunt Box
    assert "Shadow" in chosen  # a bot's choice waited, and the person was told which
    assert page.get_by_role("button", name="Download the record").count() == 0
    assert page.locator("#do-study").is_hidden()


def test_dice_are_entered_and_one_taken_away(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "person"}, "first:max_turns=1", own_dice=True)
    page = open_page(table.link("shadow"))
    other = open_page(table.link("free_peoples"))
    while table.table.pending is None:
        who = page if table.seat == "shadow" else other
        settle(who, table)
        press_on(who, table, 0)
    settle(other, table)
    other.keyboard.press("5")
    other.keyboard.press("4")
    entered = other.get_by_label("Entered so far").locator("li")
    assert entered.all_inner_texts()[:3] == ["Will of the West", "Event", "·"]
    other.get_by_role("button", name="Remove the last one").click()
    assert entered.all_inner_texts()[1] == "·"
    assert other.locator("#do-undo").is_disabled()
    settle(page, table)
    page.get_by_role("button", name="Undo").click()
    wait_until(page, lambda: table.table.pending is None, "an undo")
    settle(page, table)
    assert page.locator(".dice-card").count() == 0
