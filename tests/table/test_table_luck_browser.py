"""The luck of a game on the page of its table and on the analysis board, in a browser."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import choices
from tests.table.pages import PHONE, is_idle, wait_until
from tests.web_tables import PEOPLE
from wotr_env.play.games import game_kind
from wotr_experiments.luck.report import luck_of, method_of

pytestmark = pytest.mark.slow

DUEL = dict.fromkeys(("fellowship", "sauron"), "person")


def story_of(table):
    record = table.table.record()
    return luck_of(record, method_of(None, record.kind, record.ruleset))


@pytest.mark.parametrize(
    ("game", "ruleset", "seats", "options"),
    [("war-of-the-ring", "first:max_turns=2", PEOPLE, {}), ("duel", "", DUEL, PHONE)],
)
def test_luck_leads_to_its_strokes(open_page, server, options, game, ruleset, seats):
    table = server.open(seats, ruleset, 4, choices(game, ruleset, 4), game=game)
    story = story_of(table)
    page = open_page(table.link("watch"), **options)
    luck = page.get_by_role("region", name="Luck")
    luck.get_by_text(story.sentence()).wait_for()
    strokes = luck.locator("li button")
    assert strokes.locator("b").all_inner_texts() == [story.head_of(each) for each in story.strokes]
    last = max(
        (each for each in story.strokes if each.number + 1 < table.line.number), key=story.strokes.index
    )
    strokes.nth(story.strokes.index(last)).click()
    page.locator(".review output", has_text=f"{last.number + 1} / ").wait_for()
    assert page.evaluate("document.activeElement.dataset.at") == str(last.number + 1), "the focus stays"
    summary = luck.get_by_text("By turn and source, in points")
    summary.click()
    rows = luck.locator("tbody tr")
    assert rows.count() == len(story.table().rows)
    page.keyboard.press("Home")
    page.locator(".review output", has_text="0 / ").wait_for()
    assert rows.first.is_visible(), "what was opened stays open"


def test_luck_is_told_to_who_plays_when_the_game_ends_and_not_before(open_page, server):
    played = choices("war-of-the-ring", "first:max_turns=1", 6)
    table = server.open(PEOPLE, "first:max_turns=1", 6, played[:-1])
    page, asked = open_page(table.link("shadow")), []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#question:not(:empty)").wait_for()
    assert not page.get_by_role("region", name="Luck").count()
    found = table.table

    async def end():
        await found.play(played[-1:])
        server.tables.changed(found)

    server.do(end())
    page.get_by_text(story_of(table).sentence()).wait_for()
    assert sum(url.endswith("/luck") for url in asked) == 1


def test_a_line_says_why_there_is_no_luck(open_page, server):
    rules = "first:players=3,max_turns=1"
    seats = {seat.name: "person" for seat in game_kind("war-of-the-ring").find_ruleset(rules).seats}
    table = server.open(seats, rules, 4, choices("war-of-the-ring", rules, 4))
    page = open_page(table.link("watch"))
    why = "Luck is not measured: this package has no network for War of the Ring with 3 seats."
    luck = page.get_by_role("region", name="Luck")
    luck.get_by_text(why).wait_for()
    assert luck.get_by_role("link", name="Study costly choices").is_visible()


@pytest.mark.parametrize(
    ("game", "ruleset", "seats", "options"),
    [("war-of-the-ring", "first:max_turns=1", PEOPLE, PHONE), ("duel", "", DUEL, {})],
)
def test_luck_leads_to_where_bots_judge_choices(open_page, server, options, game, ruleset, seats):
    table = server.open(seats, ruleset, 4, choices(game, ruleset, 4), game=game)
    page = open_page(table.link("watch"), **options)
    link = page.get_by_role("region", name="Luck").get_by_role("link", name="Study costly choices")
    link.click()
    page.get_by_text("as one bot estimates it, and the most costly choices").wait_for()
    wait_until(page, lambda: is_idle(page), "the board")
    assert page.get_by_role("tab", selected=True).inner_text() == "Bots"
    number = table.line.number
    assert page.locator(".steps output").inner_text().startswith(f"{number} / {number}")
    assert table.tokens["watch"] not in page.url


def test_the_analysis_board_measures_the_line_that_it_shows(open_page, server):
    table = server.open(PEOPLE, "first:max_turns=2", 5, choices("war-of-the-ring", "first:max_turns=2", 5))
    page = open_page(f"{server.url}/study?table={table.name}#{table.tokens['watch']}")
    page.locator("#play .line").first.wait_for()
    page.keyboard.press("t")
    luck = page.get_by_role("region", name="Luck")
    luck.get_by_role("button", name="Measure the luck of this line").click()
    luck.get_by_text(story_of(table).sentence()).wait_for()
    stroke = luck.locator("li button").first
    stroke.click()
    wait_until(page, lambda: is_idle(page), "an answer of the server")
    assert page.locator(".steps output").inner_text().startswith(f"{stroke.get_attribute('data-at')} / ")
    page.keyboard.press("Home")
    page.keyboard.press("p")
    page.locator("#play .answer:not(.primary)").first.click()
    page.keyboard.press("t")
    luck.get_by_role("button", name="Measure the luck of this line").wait_for()


def test_luck_that_comes_late_is_not_shown_as_that_of_another_line(open_page, server):
    ruleset, held = "first:max_turns=1", []
    table = server.open(PEOPLE, ruleset, 6, choices("war-of-the-ring", ruleset, 6))
    page = open_page(f"{server.url}/study?table={table.name}#{table.tokens['watch']}")
    page.locator("#play .line").first.wait_for()
    page.route("**/api/study/luck", lambda route: held.append(route))
    page.keyboard.press("t")
    offer = page.get_by_role("button", name="Measure the luck of this line")
    offer.click()
    wait_until(page, lambda: held, "the question")
    page.keyboard.press("Home")
    page.keyboard.press("p")
    page.locator("#play .answer:not(.primary)").first.click()
    page.keyboard.press("t")
    offer.wait_for()
    with page.expect_response("**/api/study/luck") as answer:
        held[0].continue_()
    assert answer.value.finished() is None
    wait_until(page, lambda: is_idle(page), "the answer")
    assert offer.is_visible()
