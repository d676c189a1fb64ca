"""The hint at the page of a table: of any bot, where one looks, and in words."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import open_at
from tests.table.pages import PHONE, press, sit_down, wait_until
from tests.tools.live_table import legal_names

pytestmark = pytest.mark.slow


def dice(server):
    """A table whose Free Peoples choose an action die."""
    return open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_hint_is_in_view_and_names_the_action_with_its_value(open_page, server, options):
    table = dice(server)
    page = sit_down(open_page, table, **options)
    page.evaluate("localStorage.setItem('wotr.bot', 'net:zoo/laptop')")
    if options:
        page.locator(".tabs [data-tab=hand]").tap()
    page.locator("#do-hint").click()
    hint = page.get_by_role("region", name="Hint")
    hint.wait_for()
    box, shown = hint.bounding_box(), page.viewport_size
    assert box["y"] >= 0 and box["y"] + box["height"] <= shown["height"]
    assert box["x"] >= 0 and box["x"] + box["width"] <= shown["width"]
    words = hint.locator(".best").inner_text()
    assert "·" in words and "% of the time" in words
    press(page, table, page.get_by_role("button", name="Do this"))


def test_another_bot_is_asked_from_the_hint(open_page, server):
    page = sit_down(open_page, dice(server))
    page.keyboard.press("h")
    asked = page.get_by_label("Bot that gives hints")
    asked.wait_for()
    assert asked.input_value() == "scripted"
    specs = asked.locator("option").all_inner_texts()
    assert {"net:zoo/wide", "search:zoo/wide", "playouts:zoo/wide"} <= set(specs) and "net" not in specs
    asked.select_option("net:zoo/laptop")
    wait_until(page, lambda: "% of the time" in page.locator(".hint .best").inner_text(), "the other hint")
    page.get_by_role("button", name="Close the hint").click()
    assert page.locator(".hint").count() == 0


def test_the_start_page_offers_the_networks_of_the_zoo(open_page, server):
    page = open_page(f"{server.url}/")
    shadow = page.get_by_label("Shadow", exact=True)
    shadow.select_option("net:zoo/laptop")
    parameters = page.get_by_label("Parameters of the bot of Shadow")
    assert parameters.get_attribute("placeholder") == "temperature=0"
    parameters.fill("temperature=0.5")
    page.get_by_role("button", name="Open the table").click()
    page.locator("#question:not(:empty)").wait_for()
    (newest, *_), _ = server.do(server.tables.listed())
    assert '"net:zoo/laptop,temperature=0.5"' in newest.seats
