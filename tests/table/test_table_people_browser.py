"""Names, clocks, offers, resigning, chat and the next game at the page of a table."""

from __future__ import annotations

import json
import urllib.request

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.pages import PHONE, wait_until
from tests.tools.live_table import LiveTable
from tests.web_tables import PEOPLE, SHORT

pytestmark = pytest.mark.slow

DUEL = {"fellowship": "person", "sauron": "person"}
NASTY = "<i>Ann</i>"


def open_table(server, seats, **more) -> LiveTable:
    body = {"seats": seats, "seed": 4, **more}
    request = urllib.request.Request(
        f"{server.url}/api/tables", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        said = json.load(answer)
    return LiveTable(server, said["table"], said["tokens"] | {"watch": said["watch"]})


def pages_of(open_page, table, **options):
    made = [open_page(table.link(seat), **options) for seat in table.table.header.seats]
    for page in made:
        page.locator("#act").get_by_role("button").or_(page.locator("#act .muted")).first.wait_for()
    return made


def test_an_evening_of_two_people(open_page, server):
    clock = {"game": 600, "increment": 5}
    table = open_table(server, PEOPLE, ruleset=SHORT, clock=clock, chat="seats")
    one, other = pages_of(open_page, table)
    looking = open_page(table.link("watch"))
    one.get_by_label("Your name for the others").fill(NASTY)
    one.keyboard.press("Enter")
    other.get_by_text(f"{NASTY}, here").wait_for()
    other.get_by_label("Without a name").click()
    assert other.locator("#act .ask-name").count() == 0
    assert one.locator(".clock.runs").get_attribute("data-seat") == table.seat
    one.locator("#do-people").click()
    one.get_by_role("button", name="Offer a draw").click()
    one.get_by_label("Say").fill("<b>Good evening</b>")
    one.keyboard.press("Enter")
    other.locator("#act").get_by_text(f"{NASTY} (Free Peoples) offers a draw.").wait_for()
    wait_until(
        other,
        lambda: other.locator("#do-people").get_attribute("aria-label") == "Table, 2 new",
        "an offer and a line",
    )
    other.locator("#act").get_by_role("button", name="Decline").click()
    looking.get_by_text("Shadow declines the draw").wait_for()
    other.locator("#do-people").click()
    assert other.locator(".chat-lines li").all_inner_texts() == [f"{NASTY}: <b>Good evening</b>"]
    other.get_by_role("button", name="Resign …").click()
    other.get_by_role("button", name="No", exact=True).click()
    other.get_by_role("button", name="Resign …").click()
    other.get_by_role("button", name="Yes, resign").click()
    for page in (one, other, looking):
        page.locator("#question", has_text="Free Peoples won: Shadow resigned").wait_for()
    one.keyboard.press("Escape")
    one.get_by_role("button", name="Play again, sides swapped").click()
    one.wait_for_url(lambda url: table.name not in url)
    other.keyboard.press("Escape")
    other.get_by_role("button", name="Join the next game").click()
    other.wait_for_url(lambda url: table.name not in url)
    looking.get_by_role("button", name="Watch the next game").click()
    looking.wait_for_url(lambda url: table.name not in url)
    assert one.url.partition("#")[0] == other.url.partition("#")[0] == looking.url.partition("#")[0]
    other.get_by_text(f"{NASTY}, here").wait_for()
    one.locator("#do-people").click()
    (mine,) = one.locator(".players li", has_text="you").all()
    assert "Shadow" in mine.inner_text() and NASTY in mine.inner_text()


def test_the_duel_on_a_phone_is_resigned_and_the_bots_are_met_again(open_page, server):
    table = open_table(server, DUEL | {"sauron": "random"}, game="duel")
    page = open_page(table.link("fellowship"), **PHONE)
    page.locator("#act").get_by_role("button").first.wait_for()
    assert page.locator("#act .ask-name").count() == 0
    page.locator("#do-people").click()
    page.get_by_role("button", name="Resign …").click()
    page.get_by_role("button", name="Yes, resign").click()
    page.locator("#question", has_text="You have lost").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.get_by_role("button", name="Play again", exact=True).click()
    page.wait_for_url(lambda url: table.name not in url)
    page.locator("#act").get_by_role("button").first.wait_for()
