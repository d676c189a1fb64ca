"""The games of a browser: links are kept, and every page has a way home."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.pages import PHONE, settle, sit_down, wait_until
from tests.web_tables import PEOPLE, SHORT

pytestmark = pytest.mark.slow

KEPT = "new PageTransitionEvent('pageshow', { persisted: true })"
DUEL = {"fellowship": "person", "sauron": "person"}


def go_home(page):
    page.get_by_role("link", name="All games and tables").click()
    page.get_by_role("heading", name="Tables", exact=True).wait_for()


def test_a_seat_that_was_taken_is_found_again(open_page, server):
    table = server.open(PEOPLE, SHORT, seed=4)
    duel = server.open(DUEL, "", seed=4, game="duel")
    page = sit_down(open_page, table, **PHONE)
    go_home(page)
    page.goto(duel.link("watch"))
    page.locator("#map svg").wait_for()
    page.goto(table.link("shadow"))
    settle(page, table)
    page.reload()
    settle(page, table)
    go_home(page)
    mine = page.get_by_role("region", name="My games")
    assert mine.locator("li").count() == 2
    assert mine.locator("a").all_inner_texts() == [
        "Sit down as Shadow",
        "Sit down as Free Peoples",
        "Watch",
    ]
    assert "Duel for Middle-earth" in mine.locator("li").nth(1).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    mine.get_by_role("link", name="Sit down as Free Peoples").click()
    page.locator("#act button.answer").first.wait_for()
    assert page.url == table.link("free_peoples")


def test_all_links_of_a_table_that_was_opened_are_kept_until_they_are_forgotten(open_page, server):
    page = open_page(f"{server.url}/")
    page.get_by_label("Shadow", exact=True).select_option("person")
    page.get_by_role("button", name="Open the table").click()
    page.locator(".links a").first.wait_for()
    wanted = page.locator(".links a").evaluate_all("all => all.map(({ href }) => href)")
    page.reload()
    mine = page.get_by_role("region", name="My games")
    mine.locator("a").first.wait_for()
    assert mine.locator("a").evaluate_all("all => all.map(({ href }) => href)") == wanted
    mine.get_by_role("button", name="Forget").click()
    mine.locator("a").first.wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Forget"
    page.reload()
    mine.locator("a").first.wait_for()
    assert mine.locator("a").evaluate_all("all => all.map(({ href }) => href)") == wanted
    mine.get_by_role("button", name="Forget").click()
    page.reload()
    page.get_by_role("heading", name="Tables", exact=True).wait_for()
    page.locator("[aria-label='Tables'] li").first.wait_for()
    assert page.get_by_role("region", name="My games").locator("a").count() == 0


def test_back_from_a_table_leads_to_a_start_page_that_can_be_used(open_page, server):
    page, shown = open_page(f"{server.url}/"), []
    page.get_by_label("Game", exact=True).select_option("duel")
    go = page.get_by_role("button", name="Open the table")
    go.click()
    page.locator("#act button.answer").first.wait_for()
    link = page.url
    page.go_back()
    go.wait_for()
    assert go.is_enabled()
    with page.expect_navigation():  # as a browser that keeps pages as they were left
        page.evaluate(f"void setTimeout(() => dispatchEvent({KEPT}))")
    page.on("dialog", lambda dialog: (shown.append(dialog.default_value), dialog.dismiss()))
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy link").first.click()
    wait_until(page, lambda: shown == [link], "the link")
    join = page.get_by_role("form", name="Join")
    join.get_by_label("Link").fill(link.partition("#")[0])
    join.get_by_role("button").click()
    join.get_by_text("Copy the whole link").wait_for()
    join.get_by_label("Link").fill(link)
    join.get_by_role("button").click()
    page.wait_for_url(link)


def test_strange_contents_of_the_browser_do_no_harm(open_page, server):
    page = open_page(f"{server.url}/")
    for kept in ("{", "7", '[null, {"table": 3}, {"links": []}]'):
        page.evaluate("(kept) => localStorage.setItem('wotr.games', kept)", kept)
        page.reload()
        page.locator("[aria-label='Tables'] li").first.wait_for()


@pytest.mark.parametrize("path", ["/study", "/tournaments"])
def test_other_pages_lead_home(open_page, server, path):
    page = open_page(server.url + path)
    if path == "/study":
        page.get_by_role("button", name="Close").click()
        page.get_by_role("link", name="All games and tables").click()
    else:
        page.get_by_role("link", name="Tables", exact=True).click()
    page.get_by_role("heading", name="Tables", exact=True).wait_for()
