"""Several people at a table in several browsers, on phones, with keys alone, and lines that break."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import any_choice, decision, open_at
from tests.table.pages import PHONE, changing, hash_of, press, press_on, settle, sit_down, wait_until
from tests.tools.live_table import LiveTable, legal_names
from tests.web_tables import SHORT

pytestmark = pytest.mark.slow

FOUR = ("gondor", "sauron", "isengard", "rohan")


def in_battle(server) -> LiveTable:
    """A table in the middle of a battle, where somebody is asked for a Combat card."""
    return open_at(
        server, lambda line: decision(line) == "combat-card", ruleset="first", most=900, choose=any_choice
    )


def test_two_people_in_two_browsers_and_one_who_looks_on(open_page, server):
    table = server.open(dict.fromkeys(("free_peoples", "shadow"), "person"), SHORT)
    pages = {seat: sit_down(open_page, table, seat) for seat in ("free_peoples", "shadow")}
    looking = open_page(table.link("watch"))
    for number in range(5):
        settle(pages[table.seat], table)
        press_on(pages[table.seat], table, number)
        settle(pages[table.seat], table)
    assert table.line.number >= 5
    for page in (*pages.values(), looking):
        wait_until(page, lambda page=page: hash_of(page) == table.table.hash, "the last position")
    asked = [seat for seat, page in pages.items() if page.locator("body.asked").count()]
    assert asked == [table.seat]
    assert looking.locator("body.asked").count() == 0
    assert looking.locator(".card").count() == 0 and looking.locator(".back").count() > 0
    assert pages["shadow"].get_by_text("here", exact=True).count() == 1


def test_a_battle_goes_on_after_a_reload_on_a_second_device_and_after_a_dropped_line(open_page, server):
    table = in_battle(server)
    seat = table.seat
    page = sit_down(open_page, table, seat)
    asked = page.locator("#question").inner_text()
    assert page.locator("#act .battle").is_visible()
    page.reload()
    settle(page, table)
    assert page.locator("#question").inner_text() == asked
    phone = sit_down(open_page, table, seat, **PHONE)
    assert phone.locator("#question").inner_text() == asked
    server.drop_all()
    for each in (page, phone):
        wait_until(each, lambda each=each: each.locator("body.lost").count() == 0, "the connection")
    wait_until(phone, lambda: len(server.tables.here(table.table)) == 1, "the seat to be taken")
    with changing(phone, table):
        phone.locator("#act button.answer").last.click()
    wait_until(page, lambda: hash_of(page) == table.table.hash, "the position of the phone")


def test_four_players_at_one_table(open_page, server):
    table = server.open(dict.fromkeys(FOUR, "person"), "first:players=4,max_turns=2", seed=3)
    pages: dict[str, object] = {}
    for number in range(9):
        if table.seat not in pages:
            pages[table.seat] = sit_down(open_page, table, table.seat)
        page = pages[table.seat]
        settle(page, table)
        press_on(page, table, number)
    assert len(pages) >= 2
    assert table.line.number >= 9


def test_a_turn_with_keys_alone(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "random"}, "first:max_turns=2")
    page = sit_down(open_page, table)
    for _ in range(60):
        if table.line.over or int(table.line.state["turn"]) > 1:
            break
        before = table.table.hash
        for key in ("Enter", "1", "Enter", "a", "b"):
            page.keyboard.press(key)
            settle(page, table)
            if table.table.hash != before:
                break
        else:
            for key in ("Escape", "Escape", "2", "Enter", "3"):
                page.keyboard.press(key)
                settle(page, table)
    assert table.line.over or int(table.line.state["turn"]) > 1


def test_everything_that_can_be_pressed_has_a_name(open_page, server):
    table = in_battle(server)
    for options in ({}, PHONE):
        page = sit_down(open_page, table, table.seat, **options)
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("button, select, input, [role=button], summary")]
                .filter((each) => !(each.ariaLabel || each.textContent.trim() || each.labels?.length))
                .map((each) => each.outerHTML)"""
        )
        assert nameless == []
        assert page.evaluate("[...document.querySelectorAll('[id]')].length") == page.evaluate(
            "new Set([...document.querySelectorAll('[id]')].map(({ id }) => id)).size"
        )


def test_the_focus_stays_when_panels_are_drawn_again(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))
    page = sit_down(open_page, table)
    page.locator("#act [data-plan='plan:draw-card']").focus()
    other = sit_down(open_page, table, "shadow")
    page.get_by_text("here", exact=True).wait_for()
    assert page.evaluate("document.activeElement.dataset.plan") == "plan:draw-card"
    other.close()


def test_two_fingers_zoom_the_map_of_a_phone(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "random"}, SHORT)
    page = sit_down(open_page, table, **PHONE)
    view = page.locator(".map > svg")
    width = float(view.get_attribute("viewBox").split()[2])
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: int) -> None:
        points = [{"x": 195 - apart, "y": 250, "id": 0}, {"x": 195 + apart, "y": 250, "id": 1}]
        points = [] if kind == "touchEnd" else points
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 30)
    for apart in range(35, 90, 5):
        fingers("touchMove", apart)
    fingers("touchEnd", 90)
    assert float(view.get_attribute("viewBox").split()[2]) < 0.7 * width
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    press(page, table, page.locator("#act button.answer").first)
