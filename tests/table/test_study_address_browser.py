"""The address of the analysis board: it leads back to the same game, tab and step, and holds no secrets."""

from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.small_tournament import ALONE, SMALL, run_tournament
from tests.table.pages import is_idle, wait_until
from tests.tools.live_table import LiveServer
from tests.web_tables import PEOPLE

pytestmark = pytest.mark.slow

TAB = "[role=tab][aria-selected=true]"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The server, with a tournament."""
    folder = tmp_path_factory.mktemp("tournament")
    run_tournament(SMALL, folder, ALONE)
    with LiveServer(tmp_path_factory.mktemp("tables"), (folder,)).running() as server:
        yield server


def shown(page):
    """What the board shows."""
    wait_until(page, lambda: is_idle(page), "an answer of the server")
    place = [page.locator(each).inner_text() for each in (".steps output", "#question", TAB)]
    view = page.get_by_label("Seen by").input_value()
    return [*place, view, page.locator("#play .line").all_text_contents()]


def asked(page):
    """The fields of the address, once it is that of what is shown."""

    def fields():
        number = page.locator(".steps output").inner_text().split(" / ")[0]
        tab = page.locator("body").get_attribute("data-tab")
        found = {name: values[0] for name, values in parse_qs(urlsplit(page.url).fragment).items()}
        return found if (found.get("step"), found.get("tab")) == (number, tab) else None

    return wait_until(page, fields, "an address that follows")


def kept(page):
    """The game in the address."""
    packed = asked(page)["game"]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15))


def begin(page, seed):
    page.get_by_label("Seed").fill(seed)
    page.get_by_role("button", name="Begin").click()
    page.locator("dialog[open]").wait_for(state="detached")
    wait_until(page, lambda: is_idle(page), "an answer of the server")


def branched(open_page, server):
    """A page with two lines, in a tab and at a step of the second."""
    page = open_page(f"{server.url}/study")
    begin(page, "5")
    for _ in range(3):
        page.locator("#play .answer").first.click()
        wait_until(page, lambda: is_idle(page), "an answer of the server")
    page.keyboard.press("Home")
    shown(page)
    page.locator("#play .answer:not(.primary)").first.click()
    wait_until(page, lambda: page.locator("#play .line").count() == 2, "a second line")
    page.keyboard.press("e")
    page.keyboard.press("l")
    return page


def test_a_shared_address_shows_the_same_lines_eyes_tab_and_step_to_others(open_page, server):
    page = branched(open_page, server)
    before = shown(page)
    asked(page)
    other = open_page(page.url)
    other.locator("#log details").first.wait_for()
    assert shown(other) == before and before[0] == "1 / 1" and before[2] == "Log"
    assert kept(other) == kept(page)


def test_a_reload_and_back_lead_to_the_same_tab_and_step(open_page, server):
    page = branched(open_page, server)
    before = shown(page)
    asked(page)
    address = page.url
    page.reload()
    page.locator("#log details").first.wait_for()
    assert shown(page) == before
    page.get_by_role("link", name="All games and tables").click()
    page.get_by_role("link", name="Analysis board").wait_for()
    page.go_back()
    page.locator("#log details").first.wait_for()
    assert shown(page) == before
    page.keyboard.press("o")
    begin(page, "6")
    wait_until(page, lambda: kept(page)["start"]["seed"] == "6", "the address of another game")
    page.go_back()
    wait_until(page, lambda: shown(page) == before, "the game before")
    assert page.url == address
    page.go_forward()
    wait_until(page, lambda: kept(page)["start"]["seed"] == "6", "the other game")


def test_the_game_of_an_entry_that_was_left_is_not_opened(open_page, server):
    page = open_page(f"{server.url}/study")
    for seed in ("5", "6"):
        if seed == "6":
            page.keyboard.press("o")
        begin(page, seed)
        wait_until(page, lambda wanted=seed: kept(page)["start"]["seed"] == wanted, "the address of the game")
    held = []
    page.route("**/api/study/line", lambda route: held.append(route))
    page.go_back()
    wait_until(page, lambda: len(held) == 1, "a question for the first game")
    page.go_forward()
    wait_until(page, lambda: len(held) == 2, "a question for the second game")
    for request in reversed(held):
        with page.expect_response("**/api/study/line"):
            request.continue_()
    shown(page)
    assert kept(page)["start"]["seed"] == "6"


def test_the_log_does_not_wait_for_the_position(open_page, server):
    page = branched(open_page, server)
    before = shown(page)
    asked(page)
    held = []
    page.route("**/api/study/position", lambda route: held.append(route))
    page.reload()
    page.locator("#log details").first.wait_for()
    assert page.locator("#question").inner_text() == ""
    wait_until(page, lambda: held, "a request for the position")
    for request in held:
        request.continue_()
    assert shown(page) == before and page.locator("#log details.now").count() == 1


def test_a_new_game_begins_with_an_empty_log(open_page, server):
    page = branched(open_page, server)
    page.locator("#log details").first.wait_for()
    page.keyboard.press("o")
    begin(page, "6")
    assert page.locator("#log").inner_text() == ""


def test_the_log_of_other_eyes_is_asked_for_again(open_page, server):
    page = open_page(f"{server.url}/study")
    begin(page, "5")
    page.locator("#play .answer").first.click()
    shown(page)
    held = []
    page.route("**/api/study/told", lambda route: held.append(route))
    page.keyboard.press("l")
    wait_until(page, lambda: held, "a request for the log")
    page.keyboard.press("p")
    page.keyboard.press("e")
    held[0].continue_()
    shown(page)
    with page.expect_request("**/api/study/told") as asked_again:
        page.keyboard.press("l")
    assert asked_again.value.post_data_json["eyes"] == page.get_by_label("Seen by").input_value()


CUT = """() => {
    const whole = window.fetch;
    window.fetch = async (path, { signal }) => {
        window.fetch = whole;
        window.cut = true;
        const body = (it) => signal.addEventListener("abort", () => it.error(signal.reason));
        return new Response(new ReadableStream({ start: body }));
    };
}"""
"""Of the next answer only the head comes."""


def test_an_answer_that_is_cut_off_is_not_kept(open_page, server):
    page = branched(open_page, server)
    page.keyboard.press("ArrowUp")
    shown(page)
    page.evaluate(CUT)
    page.keyboard.press("e")
    wait_until(page, lambda: page.evaluate("window.cut"), "an answer without its body")
    page.keyboard.press("e")
    page.keyboard.press("e")
    page.keyboard.press("e")
    shown(page)
    assert page.locator(".steps output").inner_text() == "1 / 3" and page.locator("#turn").inner_text()


def test_two_pages_of_a_browser_keep_their_own_games(open_page, server):
    page = open_page(f"{server.url}/study")
    begin(page, "7")
    wait_until(page, lambda: kept(page)["start"]["seed"] == "7", "its address")
    other = page.context.new_page()
    other.goto(f"{server.url}/study#{urlsplit(page.url).fragment}")
    other.locator("#play .answer").first.wait_for()
    other.keyboard.press("o")
    begin(other, "8")
    wait_until(other, lambda: kept(other)["start"]["seed"] == "8", "its address")
    page.reload()
    page.locator("#play .answer").first.wait_for()
    assert kept(page)["start"]["seed"] == "7"


def test_a_game_of_a_tournament_keeps_its_short_address_until_it_branches(open_page, server):
    page = open_page(f"{server.url}/study?tournament=1&game=0.1")
    page.locator("#play .answer").first.wait_for()
    page.keyboard.press("ArrowRight")
    shown(page)
    assert "game" not in asked(page) and urlsplit(page.url).query == "tournament=1&game=0.1"
    page.reload()
    page.locator(".steps output", has_text="1 / ").wait_for()
    page.keyboard.press("Home")
    shown(page)
    page.locator("#play .answer:not(.primary)").first.click()
    wait_until(page, lambda: "game" in asked(page) and not urlsplit(page.url).query, "a longer address")
    assert len(kept(page)["lines"]) == 2


def test_another_game_as_long_as_that_of_the_tournament_has_its_own_address(open_page, server):
    page = open_page(f"{server.url}/study?tournament=1&game=0.1")
    page.locator("#play .answer").first.wait_for()
    page.keyboard.press("End")
    end = shown(page)[0]
    others = page.locator("#play .answer:not(.primary)")
    while not others.count():
        page.keyboard.press("ArrowLeft")
        shown(page)
    others.first.click()
    while (place := shown(page)[0]) != end:
        assert "The game is over" not in page.locator("#play").inner_text(), place
        page.keyboard.press("1")
    page.get_by_role("button", name="Make line 1 the main line").click()
    page.get_by_role("button", name="Take line 2 away").click()
    wait_until(page, lambda: "game" in asked(page) and not urlsplit(page.url).query, "a longer address")
    assert len(kept(page)["lines"]) == 1


@pytest.mark.parametrize("over", [False, True], ids=["in play", "over"])
def test_the_address_of_a_table_holds_what_the_server_told_and_no_token(open_page, server, over):
    ruleset = "first:max_turns=1"
    table = server.open(PEOPLE, ruleset, seed=515253, study=True)
    found = table.table
    while over and not found.line.over:
        server.do(found.play(found.line.legal[:1]))
    page = open_page(f"{server.url}/study?table={table.name}#{table.tokens['shadow']}")
    page.locator("#play .line").first.wait_for()
    shown(page)
    game = kept(page)
    assert not any(secret in page.url for secret in (*table.tokens.values(), table.name))
    assert (str(found.header.seed) in json.dumps(game)) is over
    if not over:
        text = found.study(server.do(server.tables.find(table.name, table.tokens["shadow"]))[1])["text"]
        opened = page.request.post(f"{server.url}/api/study/open", data={"record": text})
        assert game["start"] == opened.json()["start"] and game["eyes"] == "shadow"
    other = open_page(page.url)
    other.locator("#play .line").first.wait_for()
    assert shown(other) == shown(page)


def test_a_damaged_address_is_told_in_a_sentence(open_page, server):
    page = open_page("about:blank")
    for fragment in ("game=%20", "game=AAAA", "step=2&game=eyJ9"):
        page.goto("about:blank")
        page.goto(f"{server.url}/study#{fragment}")
        page.get_by_text("The address is damaged or not complete").wait_for()


def test_the_address_is_copied_to_share_it(open_page, server):
    page = open_page(f"{server.url}/study", permissions=["clipboard-read", "clipboard-write"])
    begin(page, "9")
    page.get_by_role("button", name="Share").click()
    page.get_by_text("The address is copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url and asked(page)["game"]
