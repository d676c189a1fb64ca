"""Links that lead nowhere, and a connection that is lost, at the page of a table."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.browsers import new_page, stop_clock, stop_date
from tests.table.live import IDS, choices, open_at
from tests.table.pages import Line, hash_of, is_idle, press, settle, sit_down, tap, wait_until
from tests.tools.live_table import legal_names
from tests.web_tables import PEOPLE, SHORT

pytestmark = pytest.mark.slow

GAMES = {"war-of-the-ring": (PEOPLE, SHORT), "duel": ({"fellowship": "person", "sauron": "person"}, "")}
LONG = 120_000  # milliseconds, far longer than any wait before the next try


def open_table(server, game):
    seats, ruleset = GAMES[game]
    return server.open(seats, ruleset, seed=4, game=game)


def listen_in(open_page, server, game="war-of-the-ring"):
    """A table, a page that has not yet gone there, and its connections."""
    page = open_page("about:blank")
    return open_table(server, game), page, Line(page)


@pytest.mark.parametrize(("game", "cut"), [("war-of-the-ring", 4), ("duel", 21)])
def test_a_link_with_a_wrong_token_says_so_and_stops(open_page, server, game, cut):
    table = open_table(server, game)
    page, tries = open_page("about:blank"), []
    page.on("websocket", lambda socket: tries.append(socket.url))
    page.clock.install()
    page.goto(table.link(next(iter(GAMES[game][0])))[:-cut])
    page.get_by_role("heading", name="This link does not open a table").wait_for()
    assert "the link is not complete" in page.get_by_role("alert").inner_text()
    page.clock.run_for(LONG)
    assert len(tries) == 1
    assert page.get_by_role("heading", name="This link does not open a table").is_visible()
    page.get_by_role("link", name="All games and tables").click()
    page.get_by_role("heading", name="Tables", exact=True).wait_for()


def test_the_whole_link_in_the_same_tab_opens_the_seat_and_another_link_another_seat(open_page, server):
    table = open_table(server, "duel")
    link = table.link("fellowship")
    page = open_page(link[:-4])
    page.get_by_role("heading", name="This link does not open a table").wait_for()
    for seat in ("Fellowship", "Sauron"):
        page.goto(table.link(seat.lower()))
        page.locator(".seat", has_text=seat).filter(has_text="you").wait_for()


@pytest.mark.parametrize("end", ["", "#"])
def test_a_link_without_its_token_says_so(open_page, server, end):
    table = open_table(server, "duel")
    page = open_page(table.link("fellowship").partition("#")[0] + end)
    page.get_by_role("alert").wait_for()
    assert "its part after # is missing" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("link", name="All games and tables").is_visible()


def test_a_link_to_no_table_says_so_and_stops(browser, server):
    page, tries = new_page(browser), []
    page.on("websocket", lambda socket: tries.append(socket.url))
    page.clock.install()
    page.goto(f"{server.url}/table/none#token")
    page.get_by_role("alert").wait_for()
    assert "There is no such table" in page.get_by_role("alert").inner_text()
    page.clock.run_for(LONG)
    assert len(tries) == 1
    page.close()


def test_a_page_that_shows_no_table_does_not_connect_again(browser, server):
    page, tries = new_page(browser), []

    def close(line):
        tries.append(line)
        line.close()

    page.route_web_socket("**/ws", close)
    page.clock.install()
    page.goto(f"{server.url}/table/none#token")
    page.get_by_role("alert").wait_for()
    wait_until(page, lambda: tries, "a connection")
    page.clock.run_for(LONG)
    assert len(tries) == 1
    page.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_connection_that_breaks_before_the_page_is_built_is_made_again(open_page, server, game):
    table = open_table(server, game)
    page, tries = open_page("about:blank"), []

    def listen(line):
        tries.append(line)
        line.close() if len(tries) == 1 else line.connect_to_server()

    def hold(route):
        wait_until(page, lambda: tries, "a connection")
        route.continue_()

    page.route_web_socket("**/ws", listen)
    page.route("**/board", hold)
    page.goto(table.link(table.seat))
    page.locator("#act button.answer").first.wait_for()
    assert len(tries) == 2


@pytest.mark.parametrize("game", GAMES)
def test_a_lost_connection_says_when_it_tries_next_and_disables_what_cannot_be_sent(open_page, server, game):
    table = open_table(server, game)
    page = open_page(table.link(table.seat))
    page.locator("#act button.answer").first.wait_for()
    wait_until(page, lambda: is_idle(page), "a painted question")
    asked = page.locator("#question").inner_text()
    stop_clock(page)
    server.drop_all()
    page.get_by_text("The connection is lost").wait_for()
    assert page.locator("#news").inner_text().startswith("Trying again in 1 s.")
    assert page.locator("#act").get_attribute("inert") is not None
    assert page.locator("#do-undo").is_disabled() and page.locator("#do-hint").is_disabled()
    page.keyboard.press("1")
    page.keyboard.press("u")
    assert page.locator("#question").inner_text() == "The connection is lost"
    assert table.line.number == 0
    page.get_by_role("button", name="Try now").click()
    wait_until(page, lambda: page.locator("#question").inner_text() == asked, "the connection")
    assert page.locator("#act").get_attribute("inert") is None
    assert page.locator("#do-hint").is_enabled()
    page.clock.resume()
    wait_until(page, lambda: is_idle(page), "a painted question")
    page.locator("#act button.answer").first.click()
    wait_until(page, lambda: table.line.number, "an answer")


@pytest.mark.parametrize("game", GAMES)
def test_the_log_shows_no_positions_without_a_connection(open_page, server, game):
    table = open_table(server, game)
    for _ in range(2):
        table.play([table.line.legal[0]])
    page = sit_down(open_page, table, table.seat)
    page.keyboard.press("l")
    look = page.locator("#log .look").first
    assert look.is_enabled()
    stop_clock(page)
    server.drop_all()
    page.get_by_text("The connection is lost").wait_for()
    assert look.is_disabled()
    for _ in ("closed", "opened again"):
        page.keyboard.press("l")
    assert look.is_disabled()
    page.get_by_role("button", name="Try now").click()
    wait_until(page, look.is_enabled, "the connection")
    look.click()
    page.locator("body.looking").wait_for()


def look_late(page, line, number, look):
    """Looks at an earlier position, whose answer is held."""
    line.holding = True
    look()
    for what in ("the question", "the answer"):
        wait_until(page, lambda: any(each["number"] == number for each in line.held_of("look")), what)
        if what == "the question":
            line.pass_on()


@pytest.mark.parametrize("game", GAMES)
def test_a_position_that_comes_after_it_was_left_does_not_take_the_turn_away(open_page, server, game):
    table, page, line = listen_in(open_page, server, game)
    seat = table.seat
    table.play([table.line.legal[0]])
    while table.seat != seat:
        table.play([table.line.legal[0]])
    stop_date(page)
    page.goto(table.link(seat))
    settle(page, table)
    page.keyboard.press("l")
    earlier = page.locator("#log .look").first
    look_late(page, line, int(earlier.get_attribute("data-name")), earlier.click)
    for _ in ("the log", "the earlier position"):
        page.keyboard.press("Escape")
    line.release()
    page.keyboard.press("h")
    page.get_by_role("region", name="Hint").wait_for()
    assert not page.locator("body.looking").count()


QUESTIONS = """void (() => {
    window.questions = [];
    const question = document.getElementById("question");
    new MutationObserver(() => questions.push(question.textContent)).observe(question, { childList: true });
})()"""


@pytest.mark.parametrize("key", ["End", "Escape"])
def test_a_review_that_has_gone_back_to_the_end_stays_there(open_page, server, key):
    people, _ = GAMES["duel"]
    table = server.open(people, "", 4, choices("duel", "standard", 4), game="duel")
    page = open_page("about:blank")
    line = Line(page)
    stop_date(page)
    page.goto(table.link("sauron"))
    settle(page, table)
    look_late(page, line, table.line.number - 1, lambda: page.keyboard.press("ArrowLeft"))
    page.keyboard.press(key)
    page.evaluate(QUESTIONS)
    line.release()
    page.keyboard.press("Home")
    page.locator("#question", has_text="The position after 0 of").wait_for()
    assert len(page.evaluate("questions")) == 1


def test_a_choice_that_was_lost_on_its_way_can_be_made_again(open_page, server):
    table = open_table(server, "war-of-the-ring")
    page = sit_down(open_page, table)
    page.evaluate("void ([window.native, WebSocket.prototype.send] = [WebSocket.prototype.send, () => {}])")
    page.locator("#act button.answer").first.click()
    wait_until(page, lambda: not is_idle(page), "an answer on its way")
    page.evaluate("void (WebSocket.prototype.send = window.native)")
    server.drop_all()
    settle(page, table)
    assert table.line.number == 0
    press(page, table, page.locator("#act button.answer").first)


def test_answers_to_questions_of_the_page_itself_do_not_replace_the_news(open_page, server):
    table = open_table(server, "war-of-the-ring")
    page, lines = open_page("about:blank"), []

    def listen(line):
        line.connect_to_server()
        lines.append(line)

    page.route_web_socket("**/ws", listen)
    page.goto(table.link("free_peoples"))
    settle(page, table)
    press(page, table, page.locator("#act button.answer").first)
    news = page.locator("#news").inner_text()
    error = {"type": "error", "v": 1, "code": "stale", "text": "the table has changed"}
    for about in ("choice_tree", "odds", "look"):
        lines[-1].send(json.dumps(error | {"about": about}))
    assert page.locator("#news").inner_text() == news
    lines[-1].send(json.dumps(error | {"about": "act"}))
    page.locator("#news").get_by_text("the table has changed").wait_for()


def test_a_seed_keeps_all_its_digits(open_page, server):
    seed = str(2**63 - 1)
    page = open_page(f"{server.url}/")
    page.get_by_text("More options").click()
    page.get_by_label("Seed").fill(seed)
    page.get_by_role("button", name="Open the table").click()
    page.locator("#question:not(:empty)").wait_for()
    name, token = page.url.rsplit("/", 1)[1].split("#")
    table, _ = server.do(server.tables.find(name, token))
    assert table.line.seed == int(seed)


def test_a_table_that_is_gone_after_a_lost_connection_says_so_and_stops(open_page, server):
    table = open_table(server, "duel")
    page, lines = open_page("about:blank"), []
    gone = {"type": "error", "v": 1, "code": "table", "text": "there is no such table"}

    def listen(line):
        lines.append(line)
        if len(lines) == 1:
            line.connect_to_server()
        else:
            line.on_message(lambda _: line.send(json.dumps(gone)))

    page.route_web_socket("**/ws", listen)
    page.clock.install()
    page.goto(table.link(table.seat))
    page.locator("#act button.answer").first.wait_for()
    server.drop_all()
    wait_until(page, lambda: len(lines) > 1 or page.clock.run_for(1000), "another try")
    page.get_by_role("heading", name="This link does not open a table").wait_for()
    page.clock.run_for(LONG)
    assert len(lines) == 2


def test_a_first_load_that_fails_is_tried_again(browser, server):
    table = open_table(server, "duel")
    page = new_page(browser)
    page.clock.install()
    for address in (f"{server.url}/", "**/board"):
        page.route(address, lambda route: route.abort())
    page.goto(table.link(table.seat))
    page.get_by_role("alert").get_by_text("The server does not answer").wait_for()
    page.get_by_text("Trying again in").wait_for()
    page.get_by_role("button", name="Try now").click()
    page.get_by_text("Trying again in").wait_for()
    page.unroute(f"{server.url}/")
    page.unroute("**/board")
    page.clock.run_for(10_000)
    page.locator("#act button.answer").first.wait_for()
    page.close()


def test_a_connection_that_breaks_during_the_first_questions_of_the_page_asks_them_again(open_page, server):
    table, page, line = listen_in(open_page, server)
    stop_date(page)
    line.holding = True
    page.goto(table.link(table.seat))
    for kind in ("hello", "state", "choice_tree"):
        wait_until(page, lambda kind=kind: line.held_of(kind), kind)
        if kind != "choice_tree":
            line.release()
            line.holding = True
    assert hash_of(page) == table.table.hash and page.evaluate("document.body.dataset.known") == "false"
    line.cut()
    settle(page, table)


def test_a_hint_that_does_not_come_and_why_a_connection_ended_are_not_told_for_ever(open_page, server):
    table, page, line = listen_in(open_page, server)
    page.goto(table.link(table.seat))
    settle(page, table)
    news, asked = page.locator("#news"), page.locator("#question").inner_text()
    page.route("**/api/options", lambda route: route.fulfill(body="<p>Log in to this network</p>"))
    for button in ("#do-hint", "#do-settings"):
        with page.expect_response("**/api/options"):
            page.locator(button).click()
        news.get_by_text("The server does not answer.").wait_for()
        page.keyboard.press("Escape")
    page.unroute("**/api/options")
    line.holding = True
    page.locator("#do-hint").click()
    news.get_by_text("Thinking about a hint").wait_for()
    wait_until(page, lambda: line.held_of("hint"), "the question")
    stop_clock(page)
    line.refusal = {"code": "full", "text": "50 clients are connected to this table"}
    line.cut()
    news.get_by_text("Trying again in 1 s.").wait_for()
    news.get_by_role("button").click()
    news.get_by_text("50 clients are connected to this table. Trying again in").wait_for()
    line.refusal = None
    news.get_by_role("button").click()
    wait_until(page, lambda: page.locator("#question").inner_text() == asked, "the connection")
    assert "Thinking" not in news.inner_text() and "50 clients" not in news.inner_text()
    line.cut()
    wait_until(page, lambda: news.inner_text().startswith("Trying again in"), "the lost connection")


def test_a_line_that_dies_without_a_sign_is_given_up(open_page, server):
    """Time passes on the page only: an answer may take 10 seconds, and silence 20."""
    table, page, line = listen_in(open_page, server)
    line.refusal = {"code": "hello", "text": "no hello was received in time"}
    page.clock.install()
    page.goto(table.link(table.seat))
    page.get_by_text("No hello was received in time").wait_for()
    line.refusal = None
    settle(page, table)
    living = len(line.ends)
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    line.holding = True
    page.clock.run_for(21_500)
    for _ in ("the question for a sign of life", "its answer"):
        wait_until(page, lambda: line.held_of("beat"), "a sign of life")
        line.release()
        line.holding = True
    page.clock.run_for(9_500)
    assert len(line.ends) == living
    page.locator("#act button.answer").first.click()
    wait_until(page, lambda: line.held_of("act"), "an answer on its way")
    page.clock.run_for(12_000)
    wait_until(page, lambda: len(line.ends) > living, "another connection")
    line.held.clear()
    line.holding = False
    page.clock.resume()
    settle(page, table)
    assert table.line.number == 0
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.get_by_text("The connection is lost").wait_for()
    settle(page, table)
    press(page, table, page.locator("#act button.answer").first)


def choose_in_haste(page):
    """Chooses four times in the list of choices, and once in the drawing of the server if there is one."""
    for _ in range(2):
        page.locator("#act button.answer").first.click()
        page.keyboard.press("1")
    for part in page.locator("#map .lit[data-actions]").all()[:1]:
        part.click(position={"x": 6, "y": 6})


@pytest.mark.parametrize("game", GAMES)
def test_on_a_slow_line_hints_come_late_and_one_choice_is_sent(open_page, server, game):
    table, page, line = listen_in(open_page, server, game)
    stop_date(page)
    page.goto(table.link(table.seat))
    settle(page, table)
    line.holding = True
    page.locator("#do-hint").click()
    page.locator("#news").get_by_text("Thinking about a hint").wait_for()
    wait_until(page, lambda: line.held_of("hint"), "the question")
    line.release()
    page.get_by_role("region", name="Hint").wait_for()
    wait_until(page, lambda: is_idle(page), "a painted question")
    line.holding = True
    choose_in_haste(page)
    wait_until(page, lambda: line.held_of("act"), "an answer on its way")
    assert not is_idle(page)
    (sent,) = line.held_of("act")
    line.pass_on()
    wait_until(page, lambda: line.held_of("state"), "what came of it, on its way back")
    choose_in_haste(page)
    assert not is_idle(page) and not line.held_of("act")
    line.release()
    settle(page, table)
    assert table.line.actions == sent["actions"]


def test_on_a_slow_line_a_gesture_of_two_messages_sends_each_once(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))
    page = open_page("about:blank")
    line = Line(page)
    stop_date(page)
    page.goto(table.link("free_peoples"))
    settle(page, table)
    start, sent = table.line.number, []
    tap(page, "osgiliath")
    page.get_by_role("radio", name="1 of 2, Regular of Gondor").click()
    line.holding = True
    tap(page, "lossarnach")
    for ends in (False, True):
        wait_until(page, lambda: line.held_of("act"), "a message of the gesture")
        move_in_haste(page)
        (message,) = line.held_of("act")
        assert (IDS["verb:done"] in message["actions"]) is ends
        sent += message["actions"]
        line.pass_on()
        wait_until(page, lambda: line.held_of("state") and line.held_of("beat"), "what came of it")
        move_in_haste(page)
        assert not line.held_of("act") and not line.held_of("undo")
        line.pass_on()
    line.release()
    settle(page, table)
    assert table.line.actions[start:] == sent and not table.table.undos


def move_in_haste(page):
    """Presses what would move an army, answer a question or take back a choice if nothing was on its way."""
    for region in ("osgiliath", "pelargir", "lossarnach"):
        tap(page, region)
    for key in ("1", "Enter", "u"):
        page.keyboard.press(key)
    assert not is_idle(page)


@pytest.mark.parametrize("game", GAMES)
def test_of_two_tabs_that_answer_a_question_the_first_one_does(open_page, server, game):
    table, page, line = listen_in(open_page, server, game)
    stop_date(page)
    page.goto(table.link(table.seat))
    other = open_page(table.link(table.seat))
    for tab in (page, other):
        settle(tab, table)
    line.holding = True
    choose_in_haste(page)
    wait_until(page, lambda: line.held_of("act"), "an answer on its way")
    other.locator("#act button.answer").last.click()
    wait_until(page, lambda: table.line.number and is_idle(other), "the answer of the other tab")
    played = table.played
    line.release()
    page.locator("#news").get_by_text("The table has changed in the meantime").wait_for()
    settle(page, table)
    assert table.played == played
