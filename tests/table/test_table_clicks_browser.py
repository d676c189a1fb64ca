"""One press, one answer: what quick presses do at the page of a table and at the start page."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import any_choice, decision, open_at
from tests.table.pages import box_of, changing, hash_of, is_idle, press, settle, sit_down, wait_until
from tests.web_tables import PEOPLE

pytestmark = pytest.mark.slow

DUEL = {"fellowship": "person", "sauron": "scripted"}
CHOICES = {"war-of-the-ring": "#act button.answer", "duel": ".choices .answer"}
GAMES = [("war-of-the-ring", PEOPLE, "free_peoples"), ("duel", DUEL, "fellowship")]
STOPPED = """void (() => {
    [window.painting, window.waiting] = [window.requestAnimationFrame, []];
    window.requestAnimationFrame = (act) => window.waiting.push(act);
})()"""
"""Nothing is painted any more, as far as the page knows."""
RESUMED = """void (() => {
    window.requestAnimationFrame = window.painting;
    window.waiting.splice(0).forEach((act) => act());
})()"""


def first_choice(page, game):
    """The middle of the first choice of the panel."""
    box = box_of(page, page.locator(CHOICES[game]).first)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def ring_table(server):
    """A table of War of the Ring where the Free Peoples change a die with a Ring: two questions in a row."""
    return open_at(
        server, lambda line: line.seat == 0 and decision(line) == "ring-die", most=400, choose=any_choice
    )


def take_seat(open_page, server, game, seats, seat):
    """A table and the page of a seat that is asked twice in a row."""
    table = ring_table(server) if game == "war-of-the-ring" else server.open(seats, "", seed=4, game=game)
    page = open_page(table.link(seat))
    page.locator(CHOICES[game]).first.wait_for()
    wait_until(page, lambda: is_idle(page), "a painted question")
    return table, page


@pytest.mark.parametrize(("game", "seats", "seat"), GAMES)
def test_a_double_click_answers_one_question(open_page, server, game, seats, seat):
    table, page = take_seat(open_page, server, game, seats, seat)
    page.mouse.move(*first_choice(page, game))
    page.mouse.down()
    page.mouse.up()
    wait_until(page, lambda: table.line.number and table.seat == seat, "the next question")
    wait_until(page, lambda: hash_of(page) == table.table.hash, "the position of the table")
    wait_until(page, lambda: is_idle(page) and page.locator(CHOICES[game]).count(), "a painted question")
    number = table.line.number  # the bot has answered
    before = page.locator("#act").inner_html()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.keyboard.press("Escape")  # something that comes after the click
    assert page.locator("#act").inner_html() == before
    assert table.line.number == number
    page.mouse.click(*first_choice(page, game))
    wait_until(
        page, lambda: table.line.number > number or page.locator("#act").inner_html() != before, "one more"
    )


def test_a_question_is_answered_only_once_it_has_been_painted(open_page, server):
    table = ring_table(server)
    page = sit_down(open_page, table)
    page.evaluate(STOPPED)
    page.locator("#act button.answer").first.click(no_wait_after=True, force=True)
    wait_until(page, lambda: hash_of(page) == table.table.hash and table.line.number, "the next question")
    number = table.line.number
    for act in ("click", "key"):
        if act == "click":
            page.mouse.click(*first_choice(page, "war-of-the-ring"))
        else:
            page.keyboard.press("1")
        assert page.evaluate("document.body.dataset.busy") == "true"
        assert table.line.number == number
    wait_until(page, lambda: page.evaluate("document.body.dataset.known") == "true", "all answers")
    page.evaluate(RESUMED)
    wait_until(page, lambda: is_idle(page), "a painted question")
    with changing(page, table):
        page.keyboard.press("1")


def test_a_key_that_is_held_answers_one_question(open_page, server):
    table = ring_table(server)
    page = sit_down(open_page, table)
    with changing(page, table):
        page.keyboard.down("1")
    number = table.line.number
    page.keyboard.down("1")  # as a key that is held is heard again
    page.keyboard.up("1")
    page.keyboard.press("Escape")
    settle(page, table)
    assert table.line.number == number


def test_two_quick_undos_take_back_once(open_page, server):
    table = ring_table(server)
    page = sit_down(open_page, table)
    press(page, table, page.locator("#act button.answer").first)
    changes = table.changes
    page.evaluate("for (let time = 0; time < 2; time++) document.querySelector('#do-undo').click()")
    wait_until(page, lambda: table.changes > changes, "the undo")
    settle(page, table)
    assert len(table.table.undos) == 1
    assert "changed in the meantime" not in page.locator("#news").inner_text()


def test_a_double_click_opens_one_table(open_page, server):
    page = open_page(f"{server.url}/")
    opened = []
    page.on("request", lambda sent: sent.method == "POST" and opened.append(sent.url))
    page.get_by_label("Shadow", exact=True).select_option("person")
    page.mouse.move(0, 0)
    box = box_of(page, page.get_by_role("button", name="Open the table"))
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.up()
    page.locator(".links a").first.wait_for()
    box = box_of(page, page.get_by_role("button", name="Open another table"))
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    assert len(opened) == 1
    page.get_by_role("button", name="Open another table").click()
    wait_until(page, lambda: len(opened) == 2, "another table")


def test_a_table_that_cannot_be_opened_says_why_and_may_be_tried_again(open_page, server):
    page = open_page(f"{server.url}/")
    go = page.get_by_role("button", name="Open the table")
    go.wait_for()
    page.evaluate("[window.native, window.fetch] = [fetch, () => Promise.reject(new TypeError())]")
    go.click()
    page.get_by_text("The server does not answer.", exact=True).wait_for()
    assert is_idle(page) and go.is_enabled()
