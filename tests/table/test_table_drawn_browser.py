"""The page of games that the server draws: played by pointing, by keys and by words, in a real browser."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import choices
from tests.table.pages import PHONE, box_of, hash_of, is_idle, wait_until
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord

pytestmark = pytest.mark.slow

DUEL = {"fellowship": "person", "sauron": "scripted"}


def sit_down(open_page, table, seat, **options):
    page = open_page(table.link(seat), **options)
    page.wait_for_selector(".choices .answer")
    wait_until(page, lambda: is_idle(page), "a painted question")
    return page


def go_on(page, before):
    """Waits until the seat is asked again, or the game is over."""
    wait_until(page, lambda: hash_of(page) != before, "another position")
    page.wait_for_selector("body.asked .choices .answer, .ending")
    wait_until(page, lambda: is_idle(page), "a painted question")


def test_the_end_of_a_duel_is_played_by_pointing(open_page, server, tmp_path):
    table = server.open(DUEL, "", seed=4, game="duel", actions=choices("duel", "standard", 4)[:-20])
    page = sit_down(open_page, table, "fellowship", accept_downloads=True)
    assert page.title() == "● Duel for Middle-earth"
    for number in range(200):
        if page.locator(".ending").count():
            break
        before = hash_of(page)
        lit = page.locator("svg .lit")
        if count := lit.count():
            part = lit.nth(number % count)
            single = len(set(part.get_attribute("data-actions").split()) & _legal_names(table)) == 1
            part.click(position={"x": 6, "y": 6})
            if single:
                go_on(page, before)
                continue
        chosen = page.locator(".choices .answer")
        if lit.count() and page.locator("svg .chosen").count():
            legal = {each["words"].lower() for each in _legal(table)}
            assert 0 < chosen.count() <= len(legal)
            assert {text.strip().lower() for text in chosen.locator("span").all_inner_texts()} <= legal
        chosen.nth(number % chosen.count()).click()
        go_on(page, before)
    said = page.locator("#question").inner_text()
    ends = {("fellowship",): "You have won. ", ("sauron",): "You have lost. ", (): "Nobody has won. "}
    won = table.table.kind.winning_seats(table.line._states, table.table.ruleset)[0]
    winners = tuple(each.name for each, wins in zip(table.table.ruleset.seats, won, strict=True) if wins)
    ending = table.table.kind.words.decision(table.line.state)
    assert said == (ends[winners] if len(winners) < 2 else "You have won. ") + ending
    with page.expect_download() as found:
        page.get_by_role("button", name="Download the record").click()
    path = tmp_path / "record.jsonl"
    found.value.save_as(path)
    record = GameRecord.from_json(path.read_text())
    assert record.result.to_dict() == table.line.record(["a", "b"]).result.to_dict()
    first = page.locator("#map svg").inner_html()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("body.looking")
    assert page.locator("#map svg").inner_html() != first and not page.locator("svg .lit").count()
    page.keyboard.press("Escape")
    assert page.locator("#map svg").inner_html() == first


def _legal_names(table):
    return {each["name"] for each in _legal(table)}


def _legal(table):
    from wotr_experiments.table.viewer_messages import sight
    from wotr_experiments.table.viewers import Eyes

    shown = table.table
    seen = sight(shown.kind, shown.ruleset, shown.line.state, Eyes(shown.line.seat, sits=True))
    return json.loads(json.dumps(seen["legal"]))


def test_keys_hints_and_the_log(open_page, server):
    table = server.open(DUEL, "", seed=5, game="duel")
    page = sit_down(open_page, table, "fellowship")
    page.keyboard.press("h")
    page.wait_for_selector(".hint")
    assert page.locator(".hint select").input_value() == "scripted"
    assert "score by rules of thumb" in page.locator(".hint .best").inner_text()
    best = page.locator(".answer.advised")
    assert best.count() == 1 and best.locator(".value").inner_text().startswith("best ")
    assert page.locator("svg .best").count() >= 1
    page.get_by_role("button", name="Close the hint").click()
    assert not page.locator(".hint").count()
    assert page.get_by_role("link", name="Duel for Middle-earth: all games and tables").count() == 1
    before = hash_of(page)
    page.keyboard.press("1")
    go_on(page, before)
    page.keyboard.press("l")
    assert {"Fellowship:", "Sauron:"} <= set(page.locator("#log summary b").all_inner_texts())
    page.keyboard.press("h")
    page.wait_for_selector(".hint")
    page.keyboard.press("Escape")
    assert not page.locator("#log").is_visible() and page.locator(".hint").count(), "the top-most thing first"
    page.keyboard.press("Escape")
    assert not page.locator(".hint").count()
    page.keyboard.press("l")
    page.get_by_role("button", name="Close the log").click()
    assert not page.locator("#log").is_visible()
    page.keyboard.press("u")
    assert "You cannot undo" in page.locator("#news").inner_text()


def test_what_the_bot_did_is_said_and_marked(open_page, server):
    table = server.open({"fellowship": "scripted", "sauron": "person"}, "", seed=4, game="duel")
    page = sit_down(open_page, table, "sauron", reduced_motion="reduce")
    assert page.locator("#question").inner_text() == "Your turn: take a card or a landmark"
    before = hash_of(page)
    page.locator(".choices .answer").first.click()
    wait_until(page, lambda: table.seat == "sauron" and table.line.number > 1, "the answer of the bot")
    go_on(page, before)
    wait_until(page, lambda: hash_of(page) == table.table.hash, "the position of the table")
    played = [name for name, who in zip(table.played, table.line.deciders, strict=True) if who == 0]
    assert page.locator("#news").inner_text().startswith("Fellowship: ")
    marked = page.locator("svg .trace")
    assert marked.count() >= 2, played
    assert page.locator("svg .trace.gone").count() == 1, "where the card lay"
    assert marked.first.evaluate("mark => getComputedStyle(mark).animationName") == "none"
    number = marked.count()
    page.set_viewport_size({"width": 820, "height": 1180})
    page.wait_for_selector("#map [data-form=square] .trace.gone")
    page.reload()
    page.wait_for_selector("#map [data-form=square] .trace.gone")
    assert marked.count() == number and not page.locator("body.looking").count()


def test_what_is_pointed_at_tells_what_it_is_and_marks_its_choices(open_page, server):
    table = server.open(DUEL, "", seed=6, game="duel")
    page = sit_down(open_page, table, "fellowship")
    part = page.locator("svg .lit[data-tip]").first
    names = part.get_attribute("data-actions").split()
    part.hover()
    title, text = part.get_attribute("data-tip").split("\n")
    assert page.locator("#tip h3").inner_text() == title and page.locator("#tip p").inner_text() == text
    marked = page.locator(".answer.marked")
    assert marked.count() and {each.get_attribute("data-name") for each in marked.all()} <= set(names)
    page.keyboard.press("k")
    legend = page.get_by_role("dialog", name="Legend")
    shown = set(legend.locator("b").all_inner_texts())
    assert {"Ruse", "Step 9", "Helm's Deep", "Eagles", "Red card"} <= shown
    assert legend.locator(".looks svg").count() > 20


def test_the_end_of_the_two_towers_shows_all_hands_and_the_same_is_played_once_more(open_page, server):
    people = dict.fromkeys(("player_1", "player_2"), "person")
    played = choices("two-towers", "two", 3)
    table = server.open(people, "two", seed=3, game="two-towers", actions=played)
    page = open_page(table.link("player_1"))
    page.wait_for_selector(".ending")
    state = table.line.state
    own, other = state["points"][:2]
    verdict = "won" if state["winner"] == 0 else "lost"
    assert page.locator("#question").inner_text().startswith(f"You have {verdict}, {own} to {other}. ")
    assert "only the holder sees" not in page.locator("#map").inner_html()
    assert page.get_by_role("link", name="Another game").get_attribute("href") == "./"
    page.get_by_role("button", name="Play again", exact=True).click()
    page.wait_for_url(lambda url: table.name not in url)
    page.locator("#act").get_by_role("button").first.wait_for()


@pytest.mark.parametrize(
    ("game", "seats"), [("duel", DUEL), ("two-towers", {"player_1": "person", "player_2": "scripted"})]
)
def test_undo_at_a_study_table_shows_the_earlier_drawing(open_page, server, game, seats):
    table = server.open(seats, "", seed=4, study=True, game=game)
    page = sit_down(open_page, table, next(iter(seats)))
    state, drawing, asked = table.line.state.tobytes(), page.locator("#map svg").inner_html(), asks(page)
    before = hash_of(page)
    page.keyboard.press("1")
    go_on(page, before)
    wait_until(page, lambda: hash_of(page) == table.table.hash, "the position after the answer of the bot")
    assert page.locator("#map svg").inner_html() != drawing
    before = hash_of(page)
    page.get_by_role("button", name="Undo: noted in the record").click()
    go_on(page, before)
    assert hash_of(page) == table.table.hash and table.line.state.tobytes() == state
    assert page.locator("#map svg").inner_html() == drawing and asks(page) == asked


def test_a_study_table_of_a_game_without_positions_in_text_offers_no_study_before_its_end(open_page, server):
    table = server.open(dict.fromkeys(DUEL, "person"), "", seed=6, study=True, game="duel")
    page = sit_down(open_page, table, table.seat)
    link = page.get_by_role("link", name="Study", exact=True)
    assert link.is_visible()

    def without_positions(route):
        board = route.fetch().json()
        assert board["positions"]
        route.fulfill(json=board | {"positions": False})

    page.route("**/board", without_positions)
    page.reload()
    page.wait_for_selector(".choices .answer")
    assert link.is_hidden()
    table.play(choices("duel", "standard", 6))
    page.reload()
    page.wait_for_selector(".ending")
    assert link.is_visible()


def asks(page):
    """The question and its choices."""
    return page.locator("#question").inner_text(), page.locator("#act .answer").all_inner_texts()


def test_choices_light_up_where_they_are(open_page, server):
    table = server.open(DUEL, "", seed=6, game="duel")
    page = sit_down(open_page, table, "fellowship")
    name = next(each["name"] for each in _legal(table) if each["name"].startswith("play:"))
    words = next(each["words"] for each in _legal(table) if each["name"] == name)
    page.locator(".choices .answer", has_text=words).first.hover()
    marked = page.locator("svg .marked")
    assert marked.count() == 1 and name in marked.get_attribute("data-actions").split()


def test_a_card_is_played_or_discarded_by_one_click_and_its_price_says_what_is_missing(open_page, server):
    table = server.open(dict.fromkeys(DUEL, "person"), "", seed=6, game="duel")
    page = sit_down(open_page, table, table.seat)
    played = next(name for name in sorted(_legal_names(table)) if name.startswith("play:"))
    page.locator(f"svg .lit[data-actions~='{played}']").click(position={"x": 8, "y": 50})
    wait_until(page, lambda: table.line.number, "the card that is played")
    assert table.played[0] == played
    page = sit_down(open_page, table, table.seat)
    number = table.line.number
    sold = next(name for name in sorted(_legal_names(table)) if name.startswith("sell:"))
    coin = page.locator(f"svg .lit[data-actions='{sold}']")
    assert coin.get_attribute("data-tip").startswith("Discard card ")
    coin.click()
    wait_until(page, lambda: table.line.number > number, "the card that is discarded")
    assert table.played[number] == sold


def test_a_finger_is_told_first_what_it_would_choose(open_page, server):
    table = server.open(dict.fromkeys(DUEL, "person"), "", seed=6, game="duel")
    page = sit_down(open_page, table, table.seat, has_touch=True)
    played = next(name for name in sorted(_legal_names(table)) if name.startswith("play:"))
    before = hash_of(page)
    part = page.locator(f"svg .lit[data-actions~='{played}']")
    part.tap(position={"x": 8, "y": 50})
    page.locator(".about h2").wait_for()
    assert hash_of(page) == before and not table.line.number
    part.tap(position={"x": 8, "y": 50})
    wait_until(page, lambda: table.line.number, "the card that is played")
    assert table.played[0] == played


@pytest.mark.parametrize(
    ("game", "by"), [("duel", "drawing"), ("two-towers", "drawing"), ("two-towers", "list")]
)
def test_a_game_takes_few_clicks(browser, server, game, by):
    from tests.tools.table_clicks import By, Recorded, play

    turns = 7 if by == "drawing" else 3
    recorded = Recorded(2, "random", f"{next(iter(game_kind(game).rulesets))}:max_turns={turns}", game)
    played = play(browser, server, recorded, By(by))
    decisions = len(recorded.steps)
    assert played.number == decisions == sum(recorded.turns.values())
    assert played.clicks.total() <= (1.5 if by == "drawing" else 1.0) * decisions


def test_three_people_at_the_two_towers(open_page, server):
    seats = ("player_1", "player_2", "player_3")
    watch = ({"view": "player_1", "delay": 0}, {"view": "public", "delay": 3})
    table = server.open(dict.fromkeys(seats, "person"), "three", seed=2, game="two-towers", watch=watch)
    pages = {}
    for _ in range(7):
        seat = table.seat
        if seat not in pages:
            pages[seat] = sit_down(open_page, table, seat)
        page = pages[seat]
        wait_until(page, lambda page=page: hash_of(page) == table.table.hash, "the position of the table")
        before = table.table.hash
        page.locator(".choices .answer").first.click()
        wait_until(page, lambda before=before: table.table.hash != before, "a change of the table")
    assert len(pages) >= 2
    looking = open_page(table.link("watch"))
    looking.wait_for_selector("#map svg")
    assert (
        looking.get_by_text("You are a spectator.").count() == 1 and not looking.locator("svg .lit").count()
    )
    shown = ["the hand of Player 1", "the hand of Player 1; what everybody sees, 3 actions behind"]
    assert looking.locator(".lookers span:last-child").all_inner_texts() == shown
    assert page.locator(".lookers span:last-child").all_inner_texts() == shown[1:]


def test_a_phone_shows_choices_and_drawing(open_page, server):
    table = server.open(DUEL, "", seed=7, game="duel")
    page = sit_down(open_page, table, "fellowship", **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for part in page.locator(".choices .answer").all()[:3]:
        box = part.bounding_box()
        assert box["width"] > 160 and 36 <= box["height"] <= 80
    drawing = page.locator("#map svg")
    assert drawing.bounding_box()["width"] == 390 and drawing.get_attribute("viewBox").startswith("0 0 390 ")
    assert page.locator("header").bounding_box()["height"] < 84
    track = page.locator("#map [data-tip^='Step 14']").bounding_box()
    assert track["y"] + track["height"] < page.locator("aside").bounding_box()["y"], "map and track are seen"
    page.locator("svg .lit").first.tap()
    assert page.locator(".about h2").inner_text() and page.locator(".answer.all").count() == 1


def test_a_table_of_another_game_is_opened_from_the_start_page(open_page, server):
    page = open_page(server.url + "/")
    assert "The Two Towers" in page.locator("h1").inner_text()
    page.get_by_label("Game", exact=True).select_option("two-towers")
    rules = page.get_by_label("Rules").locator("option").all_inner_texts()
    assert rules == ["house qualities, house paths", "qualities drawn anew, paths drawn anew"]
    page.get_by_label("Players").select_option("3")
    assert (
        page.get_by_label("Player 3", exact=True).is_visible() and not page.get_by_label("Own dice").count()
    )
    assert page.get_by_label("Parameters of the bot of Player 2").get_attribute("placeholder") == "noise=0.1"
    opened = []
    page.on("request", lambda sent: sent.method == "POST" and opened.append(sent.url))
    page.get_by_role("button", name="Open the table").dblclick()
    page.wait_for_selector(".choices .answer")  # one person sits down at once
    assert page.title() == "● The Two Towers" and page.locator("#state .seat").count() == 3
    assert len(opened) == 1
    page.go_back()
    page.wait_for_selector(".mine a")
    assert page.locator(".mine a").count() == 2, "the links are still there"


def test_the_start_page_is_as_wide_as_a_phone(open_page, server):
    page = open_page(server.url + "/", **PHONE)
    for game in ("war-of-the-ring", "duel", "two-towers"):
        page.get_by_label("Game", exact=True).select_option(game)
        assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("game", ["duel", "two-towers"])
def test_every_window_gets_the_largest_drawing_that_can_be_read(open_page, server, game):
    seats = DUEL if game == "duel" else {"player_1": "person", "player_2": "scripted"}
    table = server.open(seats, "", seed=7, game=game)
    page = sit_down(open_page, table, next(iter(seats)))
    drawing = page.locator("#map svg")
    for width, height, form in ((1400, 900, 1060), (1000, 700, 680), (820, 1180, 680), (390, 844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        wait_until(
            page, lambda form=form: drawing.get_attribute("viewBox").startswith(f"0 0 {form} "), "its form"
        )
        box = box_of(page, drawing)
        wanted = [float(each) for each in drawing.get_attribute("viewBox").split()[2:]]
        scale = min(box["width"] / wanted[0], box["height"] / wanted[1])
        assert scale >= 0.85, (width, height)
        assert width != 820 or scale * wanted[0] > 0.9 * width
        choice = box_of(page, page.locator("#act .answer").first)
        assert choice["y"] + choice["height"] <= height


def test_a_page_gets_the_drawing_of_its_window_only(open_page, server):
    people = dict.fromkeys(("player_1", "player_2"), "person")
    played = choices("two-towers", "two", 3)
    table = server.open(people, "two", seed=3, game="two-towers", actions=played)
    page = open_page("about:blank")
    sent, heard = [], []

    def listen(socket):
        socket.on("framesent", lambda text: sent.append(json.loads(text)))
        socket.on("framereceived", lambda text: heard.append(json.loads(text)))

    def shows(form, width):
        page.wait_for_selector(f"#map [data-form={form}] svg[viewBox^='0 0 {width} ']")

    page.on("websocket", listen)
    page.goto(table.link("player_1"))
    shows("wide", 1060)
    page.keyboard.press("Home")
    page.wait_for_selector("body.looking")
    page.set_viewport_size({"width": 820, "height": 1180})
    shows("square", 680)
    assert page.locator("body.looking").count() and "0 of" in page.locator("#question").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("body:not(.looking)")
    shows("square", 680)
    page.reload()
    shows("square", 680)
    page.set_viewport_size({"width": 390, "height": 844})
    shows("upright", 390)
    told = [(each["type"], each.get("form")) for each in sent]
    assert told == [
        *(("hello", "wide"), ("look", None), ("window", "square"), ("look", None)),
        *(("hello", "square"), ("window", "upright")),
    ]
    drawn = [list(each["drawing"]) for each in heard if "drawing" in each]
    assert drawn == [["wide"]] * 2 + [["square"]] * 3 + [["upright"]]


def test_a_long_name_stays_within_a_narrow_page(open_page, server):
    table = server.open(dict.fromkeys(DUEL, "person"), "", seed=6, game="duel")
    page = open_page(table.link("fellowship"), viewport={"width": 320, "height": 640})
    page.get_by_label("Your name").first.fill("W" * 24)
    page.keyboard.press("Enter")
    seat = page.locator("#state .seat", has_text="W" * 24)
    seat.wait_for()
    assert seat.evaluate("(row) => row.scrollWidth <= row.clientWidth")
    assert seat.locator("span").evaluate("(name) => name.getBoundingClientRect().right <= innerWidth")
