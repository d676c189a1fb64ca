"""The page of the web table in a browser: Chromium, driven by Playwright. Without them tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from tests.table.fake_table import TABLE, TOKEN, FakeTable, served
from wotr_env.picture import picture
from wotr_env.war_of_the_ring import WAR_OF_THE_RING

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FIRST_LOAD = 300_000  # bytes, uncompressed


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium, such as Debian's package chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., Any]]:
    """Opens a page; until the end of the test there may be no error, and no breach of the policy."""
    problems, pages = [], []

    def open_page(url: str, **options: Any) -> Any:
        page = browser.new_page(**{"viewport": {"width": 1400, "height": 900}, **options})
        pages.append(page)
        page.set_default_timeout(10_000)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


@pytest.fixture
def table() -> Iterator[FakeTable]:
    with served(FakeTable()) as table:
        yield table


def sit_down(open_page, table: FakeTable, **options: Any) -> Any:
    page = open_page(f"{table.url}/table/{TABLE}#{TOKEN}", **options)
    page.locator("#question:not(:empty)").wait_for()
    return page


def wait_for_change(page, table: FakeTable, before: int) -> None:
    for _ in range(200):
        if table.changes > before:
            break
        page.wait_for_timeout(10)
    assert table.changes > before
    page.wait_for_timeout(60)


def press(page, table: FakeTable, locator) -> None:
    """Presses what makes the game go on."""
    before = table.changes
    locator.click()
    wait_for_change(page, table, before)


def to_the_dice(page, table: FakeTable) -> None:
    while not any(name.startswith("face:") for name in legal(table)):
        press(page, table, page.locator("#act button.answer").first)


def legal(table: FakeTable) -> list[str]:
    return [WAR_OF_THE_RING.actions.names[action] for action in table.game.legal()]


def finish_by_clicks(page, table: FakeTable, rounds: int = 400) -> None:
    """Answers whatever is asked by what the panel offers, each time another one."""
    for number in range(rounds):
        if table.game.over:
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


def army_dice() -> FakeTable:
    """A table where the Free Peoples may use an Army die."""
    for seed in range(1, 60):
        table = FakeTable(seed=seed)
        while not table.game.over and not any(name.startswith("face:") for name in legal(table)):
            table.act([table.game.legal()[0]])
        if "face:army" in legal(table) or "face:army-muster" in legal(table):
            table.acts.clear()
            table.gestures.clear()
            return table
    raise AssertionError("no seed has such dice")


def test_an_army_moves_by_two_clicks_and_enter_and_comes_back_by_undo(open_page):
    with served(army_dice()) as table:
        page = sit_down(open_page, table)
        start = table.number
        page.locator(".contents[data-region='osgiliath'] .plate").click()
        page.locator(".contents[data-region='lossarnach'] .settlement").click()
        assert "MOVE FROM OSGILIATH TO LOSSARNACH" in page.locator(".card-form h2").inner_text().upper()
        before = table.changes
        page.keyboard.press("Enter")
        wait_for_change(page, table, before)
        (sent,) = table.acts
        assert sent[1:] == ["plan:move-armies", "region:osgiliath", "region:lossarnach", "verb:whole-army"]
        page.wait_for_timeout(100)
        assert page.locator(".contents[data-region='lossarnach'] .plate").count() == 1
        page.keyboard.press("u")
        page.locator(".contents[data-region='osgiliath'] .plate").wait_for()
        assert table.number == start


def test_an_army_is_split_by_steppers_after_a_drag(open_page):
    with served(army_dice()) as table:
        page = sit_down(open_page, table)
        army = page.locator(".contents[data-region='osgiliath'] .plate").bounding_box()
        goal = page.locator(".contents[data-region='lossarnach'] .settlement").bounding_box()
        page.mouse.move(army["x"] + 12, army["y"] + 6)
        page.mouse.down()
        page.mouse.move(goal["x"] + 4, goal["y"] + 4, steps=8)
        page.mouse.up()
        page.get_by_role("button", name="fewer Regular of Gondor").click()
        press(page, table, page.locator("#act .primary"))
        page.wait_for_timeout(200)
        armies = picture(table.game.state, 0)["regions"]
        assert armies["osgiliath"]["armies"][0]["figures"] == {"gondor": [1, 0, 0]}
        assert armies["lossarnach"]["armies"][0]["figures"] == {"gondor": [1, 0, 0]}


def test_a_gesture_that_the_rules_forbid_is_taken_back(open_page):
    with served(army_dice()) as table:
        page = sit_down(open_page, table)
        start = table.game.hash()
        page.locator(".contents[data-region='fords-of-isen'] .plate").click()
        page.locator(".contents[data-region='orthanc'] .settlement").click()
        assert "Against" in page.locator(".card-form").inner_text()  # though Rohan is not at war
        page.locator("#act .primary").click()
        page.wait_for_timeout(600)
        assert table.game.hash() == start
        assert "do not allow" in page.locator("#news").inner_text()


def test_keys_alone(open_page, table):
    page = sit_down(open_page, table)
    before = table.changes
    page.keyboard.press("1")
    wait_for_change(page, table, before)
    to_the_dice(page, table)
    page.keyboard.press("h")
    page.get_by_text("Hint: a guess").wait_for()
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


def test_who_looks_on_is_asked_nothing(open_page):
    with served(FakeTable(watched=True)) as table:
        page = sit_down(open_page, table)
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


def test_a_lost_connection_comes_back_by_itself(open_page):
    with served(FakeTable()) as table:
        page = sit_down(open_page, table)
        press(page, table, page.locator("#act button.answer").first)
        table.drop_all()
        page.get_by_text("The connection is lost").wait_for()
        page.get_by_text("The connection is lost").wait_for(state="detached")
        assert [hello["after"] for hello in table.hellos] == [None, table.number]
        press(page, table, page.locator("#act button.answer").first)


def test_the_start_page_opens_a_table(open_page, table):
    page = open_page(f"{table.url}/")
    page.get_by_label("Players").select_option("4")
    assert page.locator("fieldset label").count() == 4
    page.get_by_label("Players").select_option("2")
    page.get_by_label("Turns at most").fill("2")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("link", name="Sit down as free peoples").wait_for()
    assert table.opened["ruleset"] == "first:max_turns=2"
    assert table.opened["seats"] == {"free_peoples": "person", "shadow": "scripted"}
    page.get_by_role("link", name="Sit down as free peoples").click()
    page.locator("#question:not(:empty)").wait_for()


def test_the_first_load_is_small(open_page, table):
    sizes = []
    page = open_page("about:blank")
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto(f"{table.url}/table/{TABLE}#{TOKEN}")
    page.locator("#act button.answer").first.wait_for()
    assert len(sizes) > 5
    assert sum(sizes) < FIRST_LOAD, sizes
