"""Names, clocks, offers, resigning, chat and the next game at the page of a table."""

from __future__ import annotations

import json
import urllib.request

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.browsers import new_page, stop_clock
from tests.table.pages import PHONE, Line, wait_until
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


NO_NOTICES = """
    window.Notification = class {
        static permission = "granted";
        static requestPermission() { return "granted"; }
        constructor() { throw new TypeError("Illegal constructor"); }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
    localStorage.setItem("wotr.notices", "on");
"""
"""As in Chrome on Android, on a page that is hidden."""


def pages_of(open_page, table, **options):
    made = [open_page(table.link(seat), **options) for seat in table.table.header.seats]
    for page in made:
        page.locator("#act").get_by_role("button").or_(page.locator("#act .muted")).first.wait_for()
    return made


def fail_to_download(page):
    """Asks for the record of a game that is over while the server does not answer."""
    page.evaluate("[window.native, window.fetch] = [fetch, () => Promise.reject(new TypeError())]")
    page.get_by_role("button", name="Download the record").click()
    page.locator("#news").get_by_text("The server does not answer.").wait_for()
    page.evaluate("void (window.fetch = window.native)")


def test_an_evening_of_two_people(open_page, server):
    clock = {"game": 600, "increment": 5}
    table = open_table(server, PEOPLE, ruleset=SHORT, clock=clock, chat="seats")
    one, other = pages_of(open_page, table)
    other.add_init_script(NO_NOTICES)
    other.reload()
    looking = open_page(table.link("watch"))
    one.get_by_label("Your name for the others").fill(NASTY)
    one.keyboard.press("Enter")
    other.get_by_text(f"{NASTY}, here").wait_for()
    other.get_by_label("Without a name").click()
    assert other.locator("#act .ask-name").count() == 0
    runs = one.locator(".clock.runs")
    assert runs.get_attribute("data-seat") == table.seat and "is to decide" in runs.inner_text()
    assert "▸" in runs.locator("> span").evaluate("(span) => getComputedStyle(span, '::before').content")
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
    looking.locator("#news").get_by_text("Shadow declines the draw").wait_for()
    other.locator("#do-people").click()
    assert other.get_by_role("button", name="This browser shows no notices of this page").is_disabled()
    other.locator(".chat-lines li").wait_for()
    assert other.locator(".chat-lines li").all_inner_texts() == [f"{NASTY}: <b>Good evening</b>"]
    focused = "document.activeElement.textContent"
    other.get_by_role("button", name="Resign …").click()
    assert other.evaluate(focused) == "No"
    other.keyboard.press("Enter")
    assert other.evaluate(focused) == "Resign …"
    other.keyboard.press("Enter")
    other.get_by_role("button", name="Yes, resign").click()
    for page in (one, other, looking):
        page.locator("#question", has_text="Free Peoples won: Shadow resigned").wait_for()
    one.keyboard.press("Escape")
    fail_to_download(one)
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
    mine = one.locator(".players li", has_text="you")
    assert "Shadow" in mine.inner_text() and NASTY in mine.inner_text()


def test_the_duel_on_a_phone_is_resigned_and_the_bots_are_met_again(open_page, server):
    table = open_table(server, DUEL | {"sauron": "random"}, game="duel")
    page = open_page(table.link("fellowship"), **PHONE)
    page.locator("#act").get_by_role("button").first.wait_for()
    assert page.locator("#act .ask-name").count() == 0
    page.locator("#do-people").click()
    page.get_by_role("button", name="Resign …").click()
    stop_clock(page)
    server.drop_all()
    page.get_by_text("The connection is lost; nothing can be sent.").wait_for()
    assert page.get_by_role("button", name="Yes, resign").count() == 0
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()
    page.clock.resume()
    page.get_by_role("button", name="Yes, resign").click()
    page.locator("#question", has_text="You have lost").wait_for()
    page.keyboard.press("Escape")
    fail_to_download(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    held = []
    page.route("**/rematch", lambda route: held.append(route))
    page.get_by_role("button", name="Play again", exact=True).click()
    page.wait_for_selector("body[data-busy=true]")
    assert page.evaluate("getComputedStyle(document.body, '::after').opacity") == "1"
    wait_until(page, lambda: held, "the request")
    held[0].continue_()
    page.wait_for_url(lambda url: table.name not in url)
    page.locator("#act").get_by_role("button").first.wait_for()


def test_who_plays_is_told_once_that_little_time_is_left(open_page, server):
    table = open_table(server, PEOPLE, ruleset=SHORT, clock={"game": 600, "increment": 0})
    page = open_page("about:blank")
    page.clock.install()
    page.goto(table.link("free_peoples"))
    other = open_page(table.link("shadow"))
    page.locator(".clock.runs[data-seat=free_peoples]").wait_for()
    for _ in range(2):
        page.clock.fast_forward(575_000)
    other.locator("#question:not(:empty)").wait_for()
    assert page.locator(".clock.short").get_attribute("data-seat") == "free_peoples"
    said = page.get_by_role("log").get_by_text("You have less than 30 seconds left.")
    assert said.count() == 1
    page.emulate_media(forced_colors="active")
    assert page.locator(".clock.runs").evaluate("(clock) => getComputedStyle(clock).outlineStyle") == "solid"


WATCHED = """void (() => {
    const hear = (records) => {
        const nodes = records.flatMap(({ addedNodes }) => [...addedNodes]);
        window.added.push(...nodes.map(({ textContent }) => textContent));
    };
    window.added = [];
    const [lines] = document.getElementsByClassName("chat-lines");
    new MutationObserver(hear).observe(lines, { childList: true, subtree: true });
})()"""


def test_the_chat_counts_what_is_new_and_gives_back_what_is_refused(open_page, server):
    table = open_table(server, PEOPLE, ruleset=SHORT, chat="seats")
    one, other = pages_of(open_page, table)

    def say(text):
        one.get_by_label("Say").fill(text)
        one.keyboard.press("Enter")

    def is_told(new):
        name = f"Table, {new} new" if new else "Table"
        wait_until(other, lambda: other.locator("#do-people").get_attribute("aria-label") == name, name)

    one.locator("#do-people").click()
    say("one")
    is_told(1)
    other.reload()
    is_told(1)
    other.locator("#do-people").click()
    other.locator(".chat-lines").wait_for()
    other.evaluate(WATCHED)
    say("two")
    other.locator(".chat-lines li", has_text="two").wait_for()
    again = []
    for page in (one, other):
        page.on("websocket", lambda socket: again.append(socket))
    server.drop_all()
    for page in (one, other):
        wait_until(page, lambda: len(again) == 2, "two connections")
        page.wait_for_selector("body:not(.lost)")
    say("three")
    other.locator(".chat-lines li", has_text="three").wait_for()
    assert other.evaluate("added") == ["Free Peoples: two", "Free Peoples: three"]
    other.keyboard.press("Escape")
    other.reload()
    other.locator("#do-people", has_text="Table").wait_for()
    say("four")
    is_told(1)
    one.get_by_label("Say").evaluate("(field) => field.removeAttribute('maxlength')")
    say("x" * 301)
    one.get_by_role("dialog").get_by_text("A line of chat has at most 300 characters.").wait_for()
    assert one.get_by_label("Say").input_value() == "x" * 301


def test_a_line_like_the_last_one_is_heard_after_a_lost_connection(open_page, server):
    table = open_table(server, PEOPLE, ruleset=SHORT, chat="seats")
    one, other = open_page(table.link("free_peoples")), open_page("about:blank")
    line = Line(other)
    other.goto(table.link("shadow"))

    def say(text):
        one.get_by_label("Say").fill(text)
        one.keyboard.press("Enter")

    def reads(*texts):
        lines = [f"Free Peoples: {text}" for text in texts]
        shown = other.locator(".chat-lines li")
        wait_until(other, lambda: shown.all_inner_texts() == lines, f"the lines {texts}")

    for page in (one, other):
        page.locator("#do-people").click()
    say("well")
    say("ok")
    reads("well", "ok")
    stop_clock(other)
    line.cut()
    other.get_by_text("The connection is lost; nothing can be sent.").wait_for()
    say("ok")
    wait_until(one, lambda: len(table.table.meeting.chat) == 3, "the line at the server")
    other.clock.resume()
    reads("well", "ok", "ok")


RECORDED = """
    window.noticed = [];
    window.Notification = class extends EventTarget {
        static permission = "default";
        static async requestPermission() { return (Notification.permission = "granted"); }
        constructor(title, { body }) { super(); noticed.push(`${title}: ${body}`); }
        close() {}
    };
    Object.defineProperty(document, "hidden", { get: () => window.away === true });
"""


def test_strangers_meet_by_the_list_and_are_notified_and_report(open_page, server):
    host = open_page("about:blank")
    host.add_init_script(RECORDED)
    host.goto(f"{server.url}/")
    host.get_by_text("More options").click()
    host.get_by_label("Your name").fill("Ann")
    host.get_by_label("Shadow", exact=True).select_option("person")
    host.get_by_label("Clock", exact=True).select_option("game")
    host.get_by_label("Minutes for the game").fill("1,5")
    host.get_by_label("Anybody may join").check()
    host.get_by_role("button", name="Open the table").click()
    host.locator("#act button.answer").first.wait_for()
    assert host.locator("#act .ask-name").count() == 0
    guest = open_page(f"{server.url}/", viewport=PHONE["viewport"])
    waiting = guest.get_by_label("Tables that wait for people").locator("li", has_text="Ann")
    assert "1.5 min and 30 s a move" in waiting.inner_text()
    assert guest.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    waiting.get_by_role("button", name="Sit down as Shadow").click()
    guest.wait_for_url("**/table/*")
    guest.locator("#do-people").click()
    guest.locator(".players li", has_text="Ann").wait_for()
    host.locator("#do-people").click()
    host.get_by_role("button", name="Notify me of my turn").click()
    host.get_by_role("button", name="No notices of my turn").wait_for()
    host.evaluate("window.away = true")
    guest.get_by_role("button", name="Offer a draw").click()
    guest.get_by_role("dialog").get_by_role("button", name="Withdraw").wait_for()
    guest.get_by_role("button", name="Report a problem …").click()
    guest.get_by_label("What is wrong?").fill("Nothing, <b>thanks</b>")
    guest.get_by_role("button", name="Close").click()
    guest.locator("#do-people").click()
    guest.get_by_role("button", name="Send", exact=True).click()
    with guest.expect_download() as saved:
        guest.get_by_role("button", name="Save a copy").click()
    copy = json.loads(saved.value.path().read_text())
    assert copy["text"] == "Nothing, <b>thanks</b>" and copy["state"]["seat"] == "shadow"
    guest.get_by_role("button", name="Resign …").click()
    guest.get_by_role("button", name="Yes, resign").click()
    told = ["Notices look like this", "An offer waits for your answer", "The game is over"]
    wanted = [f"War of the Ring: {words}" for words in told]
    wait_until(host, lambda: host.evaluate("noticed") == wanted, "notices")


def test_the_list_of_tables_keeps_the_focus_and_its_lines_and_a_seat_is_taken_once(browser, server):
    page, asked = new_page(browser), []
    page.clock.install()
    page.on("request", lambda sent: sent.url.endswith("/join") and asked.append(sent.url))
    first = open_table(server, DUEL, game="duel", lobby=["sauron"])
    page.goto(server.url)
    seats = page.locator(".lobby").get_by_role("button", name="Sit down as Sauron")
    seats.first.focus()
    open_table(server, DUEL, game="duel", lobby=["sauron"])
    page.clock.run_for(10_000)
    seats.nth(1).wait_for()
    assert page.evaluate("document.activeElement.dataset.name") == f"{first.name}/sauron"
    page.route("**/api/lobby", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.clock.run_for(10_000)
    assert seats.count() == 2
    page.locator(f"[data-name='{first.name}/sauron']").dblclick()
    page.wait_for_url("**/table/*")
    assert len(asked) == 1
    page.close()


def test_a_seat_from_the_list_is_given_back(open_page, server):
    table = open_table(server, PEOPLE, ruleset=SHORT, lobby=["free_peoples"])
    page, other = open_page(server.url), open_page(table.link("shadow"))
    line = page.locator(".lobby li", has_text="War of the Ring").filter(has_text="1 person here")
    line.get_by_role("button", name="Sit down as Free Peoples").click()
    page.locator("#act button.answer").first.wait_for()
    other.get_by_label("Without a name").click()
    other.locator("#do-people").click()
    assert not other.get_by_role("button", name="Give the seat back").count()
    page.locator("#do-people").click()
    page.get_by_role("button", name="Give the seat back").click()
    page.get_by_role("button", name="Sit down as Free Peoples").first.wait_for()
    assert not page.get_by_role("region", name="My games").get_by_role("link").count()
    other.get_by_role("list", name="Players").get_by_text("away").wait_for()
