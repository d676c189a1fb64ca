"""The page of the web table in a browser, against the real server."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.browsers import stop_clock
from tests.table.live import any_choice, open_at
from tests.table.pages import (
    PHONE,
    changing,
    press,
    press_on,
    settle,
    sit_down,
    to_the_dice,
    wait_until,
)
from tests.tools.live_table import LiveTable

pytestmark = pytest.mark.slow

AGAINST_CHANCE = {"free_peoples": "person", "shadow": "random"}
FIRST_LOAD = 120_000  # bytes as they come over the network
AGAIN = 30_000  # bytes of a page that is opened again: what the server makes for it, and what it asks about


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
        press_on(page, table, number)
        settle(page, table)
    raise AssertionError(f"still going on: {page.locator('#question').inner_text()}")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_whole_game_by_clicks_with_a_reload_in_the_middle(open_page, server, options):
    table = server.open(AGAINST_CHANCE, "first:max_turns=1")
    page = sit_down(open_page, table, **options)
    assert "declare the Fellowship" in page.locator("#question").inner_text()
    for number in range(6):
        press_on(page, table, number)
        settle(page, table)
    asked = page.locator("#question").inner_text()
    page.reload()
    settle(page, table)
    assert page.locator("#question").inner_text() == asked
    finish_by_clicks(page, table)
    assert "The game is over" in page.locator("#question").inner_text()


def test_keys_alone(open_page, table):
    page = sit_down(open_page, table)
    with changing(page, table):
        page.keyboard.press("1")
    to_the_dice(page, table)
    page.keyboard.press("h")
    page.get_by_role("region", name="Hint").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    assert page.locator("#log details").count() > 0
    page.keyboard.press("l")
    assert page.locator("#log").is_hidden()


def test_an_open_log_stays_where_somebody_reads(open_page, server):
    table = open_at(server, lambda line: line.number > 120, choose=any_choice, most=150)
    page = sit_down(open_page, table, "watch")
    page.keyboard.press("l")
    log, entries = page.locator("#log"), page.locator("#log details")

    def below():
        return log.evaluate("(log) => log.scrollHeight - log.scrollTop - log.clientHeight")

    def play_on():
        found, line = table.table, table.line.copy()
        for _ in range(12):
            line.step(line.legal[0])

        async def play():
            await found.play_bot(line.actions[found.line.number :])
            server.tables.changed(found)

        server.do(play())
        settle(page, table)

    assert below() < 2
    number = entries.count()
    first = entries.first
    first.locator("summary").click()
    first.get_by_role("button").focus()
    place = log.evaluate("(log) => log.scrollTop")
    assert below() > 100
    play_on()
    assert page.evaluate("document.activeElement.closest('details').open")
    assert page.evaluate("document.activeElement.ariaLabel").endswith(first.locator("summary").inner_text())
    assert entries.count() > number and first.get_attribute("open") is not None
    assert log.evaluate("(log) => log.scrollTop") == place
    page.get_by_role("button", name="Close the log").click()
    page.keyboard.press("l")
    assert below() < 2 and first.get_attribute("open") is None


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
    wait_until(page, lambda: view.get_attribute("viewBox") != whole, "the wheel")
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
    assert page.locator("#do-undo").is_disabled() and page.locator("#do-undo").get_attribute("title")
    assert page.locator(".back").count() > 0


LINKS = ({"view": "public", "delay": 0}, {"view": "shadow", "delay": 12})


def test_the_table_shows_by_what_links_others_look_on(open_page, server):
    table = server.open(AGAINST_CHANCE, "first:max_turns=2", watch=LINKS)
    page = sit_down(open_page, table)
    shown = page.locator(".lookers")
    assert shown.inner_text().endswith("the hand of the Shadow, 12 actions behind")
    assert "what everybody sees; " in shown.inner_text()
    assert shown.locator(".open-hand .glyph").is_visible()
    assert shown.locator(".open-hand").inner_text().strip() == "the hand of the Shadow"
    onlooker = sit_down(open_page, table, "watch")
    assert "You see:\nwhat everybody sees" in "\n".join(onlooker.locator(".lookers").all_inner_texts())


def test_a_table_without_links_says_nothing_of_them(open_page, server):
    table = server.open(AGAINST_CHANCE, "first:max_turns=2", watch=())
    page = sit_down(open_page, table)
    assert page.locator(".lookers").count() == 0


@pytest.mark.parametrize(
    ("path", "shown"),
    [("/", "h1"), ("/study", "textarea"), ("/tournaments", "h1"), ("table", "#act button")],
)
def test_a_page_names_all_its_modules_in_its_head(open_page, server, table, path, shown):
    page = open_page(table.link("free_peoples") if path == "table" else server.url + path)
    page.locator(shown).first.wait_for()  # all its modules have run
    named = set(page.locator("link[rel=modulepreload]").evaluate_all("all => all.map(({ href }) => href)"))

    def loaded():
        names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
        return {name for name in names if name.endswith(".js")}

    wait_until(page, lambda: named <= loaded(), "all modules that are named")
    assert loaded() == named
    assert len(named) > 3


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
    stop_clock(page)  # so the next attempt waits
    server.drop_all()
    page.get_by_text("The connection is lost").wait_for()
    page.clock.resume()
    page.get_by_text("The connection is lost").wait_for(state="detached")
    settle(page, table)
    press_on(page, table, 0)


def newest_of(server):
    """The table that was opened last, as the public list has it."""
    (newest, *_), _ = server.do(server.tables.listed())
    return newest


def test_the_start_page_opens_a_table(open_page, server):
    page = open_page(f"{server.url}/")
    page.get_by_label("Players").select_option("4")
    assert page.locator("fieldset:not(.people) label").count() == 4
    page.get_by_label("Players").select_option("2")
    page.get_by_text("More options").click()
    page.get_by_label("Turns at most").fill("2")
    page.get_by_role("button", name="Open the table").click()
    page.locator("#question:not(:empty)").wait_for()
    newest = newest_of(server)
    assert json.loads(newest.seats) == {"free_peoples": "person", "shadow": "scripted"}
    assert json.loads(newest.ruleset)["max_turns"] == 2


def loaded_bytes(page, url: str) -> Callable[[], list[int]]:
    """Opens a page; asks for the sizes of what it has loaded by HTTP, as they came over the network."""
    sizes: list[int] = []
    network = page.context.new_cdp_session(page)
    network.on("Network.loadingFinished", lambda sent: sizes.append(int(sent["encodedDataLength"])))
    network.send("Network.enable")
    page.goto(url)
    return lambda: sizes


def test_the_first_load_is_small(open_page, table):
    page = open_page("about:blank")
    sizes = loaded_bytes(page, table.link("free_peoples"))
    page.locator("#act button.answer").first.wait_for()
    settle(page, table)
    assert len(sizes()) > 5
    assert sum(sizes()) < FIRST_LOAD, sizes()
    page.reload()
    settle(page, table)
    assert sum(sizes()) < FIRST_LOAD + AGAIN, "the browser keeps the files"


def test_the_first_load_of_a_drawn_game_is_small_and_of_its_own_files(open_page, server):
    table = server.open({"fellowship": "person", "sauron": "random"}, "", game="duel")
    page = open_page("about:blank")
    sizes = loaded_bytes(page, table.link("fellowship"))
    page.locator("#act button.answer").first.wait_for()
    named = page.locator("link[rel=modulepreload]").evaluate_all("all => all.map(({ href }) => href)")
    assert any(name.endswith("/drawn.js") for name in named)
    assert not any(name.endswith(("/map.js", "/table.js")) for name in named)
    assert 20_000 < sum(sizes()) < FIRST_LOAD - 30_000


def test_the_first_load_of_the_start_page_is_small(open_page, server):
    page = open_page("about:blank")
    sizes = loaded_bytes(page, f"{server.url}/")
    page.get_by_role("button", name="Open the table").wait_for()
    page.wait_for_load_state("networkidle")
    assert len(sizes()) > 5 and sum(sizes()) < FIRST_LOAD


def test_the_start_page_offers_parameters_links_and_a_pace(open_page, server):
    page = open_page(f"{server.url}/")
    free, shadow = page.get_by_label("Free Peoples", exact=True), page.get_by_label("Shadow", exact=True)
    parameters = page.get_by_label("Parameters of the bot of Shadow")
    assert page.get_by_label("Parameters of the bot of Free Peoples").is_hidden()
    shadow.select_option("mcts")
    assert "sims=" in parameters.get_attribute("placeholder")
    parameters.fill("sims=8,depth=2")
    assert page.get_by_label("Pace in seconds").is_hidden()
    free.select_option("random")
    page.get_by_label("Pace in seconds").fill("0,5")
    page.get_by_text("More options").click()
    page.get_by_role("button", name="Another link").click()
    page.get_by_label("A link shows").nth(1).select_option("shadow")
    page.get_by_label("Actions behind").nth(1).fill("12")
    with page.expect_request("**/api/tables") as wish:
        page.get_by_role("button", name="Open the table").click()
    assert wish.value.post_data_json["pace"] == 0.5
    opened = page.get_by_role("paragraph")  # "My games" has the links too
    opened.get_by_role("link", name="Watch", exact=True).wait_for()
    opened.get_by_role("link", name="Watch with the hand of shadow, 12 actions behind").wait_for()
    assert json.loads(newest_of(server).seats) == {"free_peoples": "random", "shadow": "mcts:sims=8,depth=2"}
