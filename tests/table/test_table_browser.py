"""The page of the web table in a browser, against the real server."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import LiveTable, legal, reach
from tests.table.pages import PHONE, press, settle, sit_down, to_the_dice, wait_for_change
from wotr_env.picture import picture

pytestmark = pytest.mark.slow

AGAINST_CHANCE = {"free_peoples": "person", "shadow": "random"}
FIRST_LOAD = 300_000  # bytes, uncompressed


@pytest.fixture
def table(server) -> LiveTable:
    """A short game of a person against moves by chance."""
    return server.open(AGAINST_CHANCE, "first:max_turns=2")


def finish_by_clicks(page, table: LiveTable, rounds: int = 400) -> None:
    """Answers whatever is asked by what the panel offers, each time another one."""
    for number in range(rounds):
        if table.line.over:
            settle(page, table)
            return
        buttons = page.locator("#act button.answer:enabled")
        press(page, table, buttons.nth(number % min(3, buttons.count())))
    raise AssertionError(f"still going on: {page.locator('#question').inner_text()}")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_whole_game_by_clicks_with_a_reload_in_the_middle(open_page, table, options):
    page = sit_down(open_page, table, **options)
    assert "declare the Fellowship" in page.locator("#question").inner_text()
    for number in range(6):
        press(page, table, page.locator("#act button.answer:enabled").nth(number % 2))
    asked = page.locator("#question").inner_text()
    page.reload()
    page.locator("#act button.answer").first.wait_for()
    assert page.locator("#question").inner_text() == asked
    finish_by_clicks(page, table)
    assert "The game is over" in page.locator("#question").inner_text()


def army_dice(server) -> LiveTable:
    """A table where the Free Peoples may use an Army die."""

    def wanted(line: Any) -> bool:
        return line.seat == 0 and bool({"face:army", "face:army-muster"} & set(legal(line)))

    seed, actions = reach(wanted)
    return server.open(seed=seed, actions=actions)


def test_an_army_moves_by_two_clicks_and_enter_and_comes_back_by_undo(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    start = table.line.number
    page.locator(".contents[data-region='osgiliath'] .plate").click()
    page.locator(".contents[data-region='lossarnach'] .settlement").click()
    assert "MOVE FROM OSGILIATH TO LOSSARNACH" in page.locator(".card-form h2").inner_text().upper()
    before = table.changes
    page.keyboard.press("Enter")
    wait_for_change(page, table, before)
    sent = table.played[start:]
    assert sent[1:] == ["plan:move-armies", "region:osgiliath", "region:lossarnach", "verb:whole-army"]
    assert page.locator(".contents[data-region='lossarnach'] .plate").count() == 1
    page.keyboard.press("u")
    page.locator(".contents[data-region='osgiliath'] .plate").wait_for()
    assert table.line.number == start


def test_an_army_is_split_by_steppers_after_a_drag(open_page, server):
    table = army_dice(server)
    page = sit_down(open_page, table)
    army = page.locator(".contents[data-region='osgiliath'] .plate").bounding_box()
    goal = page.locator(".contents[data-region='lossarnach'] .settlement").bounding_box()
    page.mouse.move(army["x"] + 12, army["y"] + 6)
    page.mouse.down()
    page.mouse.move(goal["x"] + 4, goal["y"] + 4, steps=8)
    page.mouse.up()
    page.get_by_role("button", name="fewer Regular of Gondor").click()
    press(page, table, page.locator("#act .primary"))
    armies = picture(table.line.state, 0)["regions"]
    assert armies["osgiliath"]["armies"][0]["figures"] == {"gondor": [1, 0, 0]}
    assert armies["lossarnach"]["armies"][0]["figures"] == {"gondor": [1, 0, 0]}


def test_keys_alone(open_page, table):
    page = sit_down(open_page, table)
    before = table.changes
    page.keyboard.press("1")
    wait_for_change(page, table, before)
    to_the_dice(page, table)
    page.keyboard.press("h")
    page.get_by_text("Hint:").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    assert page.locator("#log details").count() > 0
    page.keyboard.press("l")
    assert page.locator("#log").is_hidden()


def test_everything_is_in_view_and_labels_can_be_read(open_page, table):
    page = sit_down(open_page, table)
    to_the_dice(page, table)
    for axis in ("Width", "Height"):
        assert page.evaluate(f"document.documentElement.scroll{axis} - inner{axis}") <= 0
    hidden = page.locator("#state").evaluate("(state) => state.scrollHeight - state.clientHeight")
    assert hidden <= 0
    for factor in (0.5, 1.0, 2.0, 4.0):
        page.evaluate(f"document.querySelector('.zoom button:nth-child({1 if factor > 1 else 2})').click()")
        heights = page.evaluate(
            """() => {
                const scale = document.querySelector('.map > svg').getScreenCTM().a;
                const names = [...document.querySelectorAll('.name:not(.away)')];
                return names.map((name) => parseFloat(getComputedStyle(name).fontSize) * scale);
            }"""
        )
        assert heights and min(heights) >= 10.99


def test_the_wheel_zooms_and_a_drag_moves_the_map(open_page, table):
    page = sit_down(open_page, table)
    view = page.locator(".map > svg")
    whole = view.get_attribute("viewBox")
    page.mouse.move(300, 700)
    page.mouse.wheel(0, -600)
    page.wait_for_timeout(60)
    near = view.get_attribute("viewBox")
    assert float(near.split()[2]) < float(whole.split()[2])
    page.mouse.down()
    page.mouse.move(360, 650, steps=4)
    page.mouse.up()
    moved = view.get_attribute("viewBox")
    assert moved.split()[2:] == near.split()[2:] and moved != near
    page.get_by_role("button", name="The whole map").click()
    assert view.get_attribute("viewBox") == whole


def test_who_looks_on_is_asked_nothing(open_page, table):
    page = sit_down(open_page, table, "watch")
    assert "to decide" in page.locator("#question").inner_text()
    assert page.locator("#act button").count() == 0
    assert page.locator(".back").count() > 0


def test_a_phone_has_tabs_and_always_the_question(open_page, table):
    page = sit_down(open_page, table, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    for tab in ("hand", "state", "log", "act"):
        page.locator(f".tabs [data-tab={tab}]").tap()
        assert page.locator(f"#{tab}").is_visible()
        assert page.locator("#question").is_visible()
        assert page.locator(".map > svg").is_visible()


def test_a_lost_connection_comes_back_by_itself(open_page, server, table):
    page = sit_down(open_page, table)
    press(page, table, page.locator("#act button.answer").first)
    server.drop_all()
    page.get_by_text("The connection is lost").wait_for()
    page.get_by_text("The connection is lost").wait_for(state="detached")
    press(page, table, page.locator("#act button.answer").first)


def test_the_start_page_opens_a_table(open_page, server):
    page = open_page(f"{server.url}/")
    page.get_by_label("Players").select_option("4")
    assert page.locator("fieldset label").count() == 4
    page.get_by_label("Players").select_option("2")
    page.get_by_label("Turns at most").fill("2")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("link", name="Sit down as free peoples").wait_for()
    page.get_by_role("link", name="Sit down as free peoples").click()
    page.locator("#question:not(:empty)").wait_for()
    (newest,) = server.do(server.tables.listed(1))
    assert newest.seats == {"free_peoples": "person", "shadow": "scripted"}
    assert newest.ruleset["max_turns"] == 2


def test_the_first_load_is_small(open_page, table):
    sizes = []
    page = open_page("about:blank")
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto(table.link("free_peoples"))
    page.locator("#act button.answer").first.wait_for()
    assert len(sizes) > 5
    assert sum(sizes) < FIRST_LOAD, sizes
