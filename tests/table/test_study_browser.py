"""The analysis board and the pages of tournaments in a browser: Chromium, driven by Playwright."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("uvicorn", reason="needs the extra web")
pytest.importorskip("websockets", reason="needs the extra web")

from tests.browsers import new_page
from tests.table.live import LiveServer, choices, first_choice
from tests.table.pages import PHONE, is_idle, wait_until
from tests.waiting import PATIENCE
from tests.web_tables import PEOPLE, SHORT
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.setups import setup_of
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Seats, Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.table.server import POLICY

pytestmark = pytest.mark.slow

FIRST_LOAD = 300_000  # bytes, uncompressed


def random_game(seed=3, most=10_000, ruleset="first"):
    rng = np.random.default_rng(seed)
    game = WAR_OF_THE_RING.game(seed, WAR_OF_THE_RING.find_ruleset(ruleset))
    while game.result is None and len(game.actions) < most:
        game.step(int(rng.choice(game.legal())))
    return GameRecord.from_game(game, ("here", "there"))


@pytest.fixture(scope="module")
def record():
    """A short game."""
    return random_game(ruleset="first:max_turns=2")


@pytest.fixture(scope="module")
def whole():
    """One of the longest games that there are."""
    return random_game()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The server with tournaments to show, of War of the Ring, the Duel and The Two Towers."""
    two = ("random", "random")
    three = game_kind("two-towers").find_ruleset("three")
    shown = [
        Tournament(("random", "scripted"), 4, 7, Ruleset(max_turns=2)),
        Tournament(two, 2, 7, game="duel"),
        Tournament(two, 2, 7, three, game="two-towers", seats=Seats.DRAWN),
    ]
    folders = tuple(tmp_path_factory.mktemp("tournament") / "out" for _ in shown)
    for tournament, folder in zip(shown, folders, strict=True):
        run_tournament(tournament, folder, WorkerPool("threads", 1))
    with LiveServer(tmp_path_factory.mktemp("tables"), tournaments=folders).running() as server:
        yield server


def open_record(open_page, served, text, **options):
    page = open_page(f"{served.url}/study", **options)
    page.get_by_label("Record").fill(text)
    page.get_by_role("button", name="Open the text").click()
    page.locator("#question:not(:empty)").wait_for()
    return page


OUTLINES = "(parts) => parts.map((part) => part.outerHTML)"


def at(page):
    """Where the board is: the number of the position and the length of its line."""
    wait_until(page, lambda: is_idle(page), "an answer of the server")
    number, length = page.locator(".steps output").inner_text().split(" / ")
    return int(number), int(length)


def test_a_record_is_stepped_through_by_keys(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    length = len(record.actions)
    assert at(page) == (0, length)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert at(page) == (2, length)
    page.keyboard.press("Shift+ArrowRight")
    number, _ = at(page)
    assert number > 2 and "which action die" in page.locator("#question").inner_text()
    page.keyboard.press("ArrowLeft")
    assert at(page) == (number - 1, length)
    page.keyboard.press("End")
    assert at(page) == (length, length)
    assert "The game is over:" in page.locator("#question").inner_text()
    page.keyboard.press("Home")
    assert at(page) == (0, length)
    assert page.locator(".mark.turn").count() == record.result.turn - 1
    assert page.locator(".mark.battle").count() > 0
    page.locator(".mark.turn").last.click()
    at(page)
    assert f"Turn {record.result.turn}" in page.locator("#turn").inner_text()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()


def test_the_slider_names_the_turns_of_a_game_that_begins_in_a_later_turn(open_page, served):
    rng = np.random.default_rng(3)
    game = WAR_OF_THE_RING.game(3, WAR_OF_THE_RING.find_ruleset("first:max_turns=3"))
    while game.state["turn"] < 2:
        game.step(int(rng.choice(game.legal())))
    later = WAR_OF_THE_RING.positions.read(game.position(), None, None)
    while later.result is None:
        later.step(int(rng.choice(later.legal())))
    page = open_record(open_page, served, GameRecord.from_game(later).to_json())
    assert later.result.turn == 3 and page.locator(".mark.turn").all_inner_texts() == ["3"]


def test_other_choices_make_lines_and_a_reload_keeps_them(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    length = len(record.actions)
    page.keyboard.press("Shift+ArrowRight")
    number, _ = at(page)
    other = page.locator("#play .answer:not(.primary)").first
    words = other.locator("span").inner_text()
    other.click()
    assert at(page) == (number + 1, number + 1)
    assert page.locator(".lines li").count() == 2
    page.keyboard.press("1")
    assert at(page) == (number + 2, number + 2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.locator("#play .answer", has_text=words).first.click()
    assert at(page) == (number + 1, number + 2)
    assert page.locator(".lines li").count() == 2
    page.reload()
    page.locator("#question:not(:empty)").wait_for()
    assert at(page) == (number + 1, number + 2)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    assert at(page) == (length, length)
    page.get_by_role("button", name="Make line 1 the main line").click()
    assert at(page) == (length, length)
    names = page.locator(".lines .line").all_inner_texts()
    assert names[0] == f"Main line, {number + 2} actions"
    assert names[1] == f"Line 2, leaves the main line after {number}: {length - number} more"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    assert at(page) == (number + 2, number + 2)
    page.reload()
    page.locator("#question:not(:empty)").wait_for()
    assert page.locator(".lines .line").first.inner_text() == f"Main line, {number + 2} actions"
    page.get_by_role("button", name="Take line 1 away").click()
    assert at(page) == (number, number + 2)
    assert page.locator(".lines li").count() == 1


def test_choices_of_a_position_that_is_left_are_not_played(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    assert at(page) == (0, len(record.actions))
    on_the_way = []
    page.route("**/api/study/position", lambda route: on_the_way.append(route))
    page.keyboard.press("End")
    wait_until(page, lambda: on_the_way, "a question to the server")
    page.evaluate("document.querySelector('#play .answer:not(.primary)').click()")
    page.keyboard.press("2")
    (answer,) = on_the_way
    answer.continue_()
    assert at(page) == (len(record.actions), len(record.actions))
    assert page.locator(".lines .line").count() == 1


def test_a_line_is_downloaded_as_a_record_that_replays(open_page, served, record, tmp_path):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("Shift+ArrowRight")
    page.locator("#play .answer:not(.primary)").first.click()
    number, length = at(page)
    assert number == length
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "study.jsonl")
    (saved,) = GameRecord.load(tmp_path / "study.jsonl")
    saved.verify()
    assert len(saved.actions) == number and saved.seed == record.seed
    assert (
        saved.actions[: number - 1] == record.actions[: number - 1]
        and saved.actions != record.actions[:number]
    )


def test_the_longest_games_are_stepped_through_and_told(open_page, served, whole):
    page = open_record(open_page, served, whole.to_json())
    length = len(whole.actions)
    assert length > 3000
    page.keyboard.press("End")
    assert at(page) == (length, length)
    page.keyboard.press("l")
    page.locator("#log details.now").wait_for()


def test_one_of_several_games_is_chosen_from_a_file(open_page, served, record, tmp_path):
    path = tmp_path / "games.jsonl"
    for each in (random_game(5, 40), record):
        each.append(path)
    page = open_page(f"{served.url}/study")
    page.get_by_label("File").set_input_files(path)
    page.locator(".games li").first.wait_for()
    assert page.locator(".games li").count() == 2
    page.locator(".games button").nth(1).click()
    page.locator("#question:not(:empty)").wait_for()
    assert at(page)[1] == len(record.actions)


def test_eyes_of_a_seat_see_no_other_hand(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("s")
    assert page.locator("#panels .hidden-cards").count() == 0
    page.keyboard.press("e")
    page.locator("#cards-shadow .hidden-cards").first.wait_for()
    assert page.locator("#cards-free_peoples .hidden-cards").count() == 0
    page.keyboard.press("e")
    page.locator("#cards-free_peoples .hidden-cards").first.wait_for()


def test_the_log_tells_the_whole_line_and_leads_to_positions(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("End")
    page.keyboard.press("l")
    page.locator("#log details.now").wait_for()
    at(page)
    last = page.locator("#log details").last.get_attribute("data-number")
    assert int(last) > len(record.actions) - 60
    entry = page.locator("#log details").nth(5)
    entry.locator("summary").click()
    entry.get_by_role("button", name="Show the position then").click()
    assert at(page)[0] == int(entry.get_attribute("data-number"))


def test_bots_are_asked_side_by_side_and_the_curve_leads_to_the_worst_decisions(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("b")
    page.locator(".opinions .ranking").nth(1).wait_for()
    assert "%" in page.locator(".opinions .panel").nth(1).inner_text()
    page.get_by_label("every decision").check()
    page.get_by_role("button", name="Draw the curve").click()
    page.get_by_text(f"{len(record.actions)} positions", exact=True).wait_for()
    assert page.locator(".curve .chance").get_attribute("d").count("L") > 20
    worst = page.locator(".slips button").first
    number = int(worst.inner_text().split(" after ")[1].split(":")[0])
    worst.click()
    assert at(page)[0] == number
    assert page.locator(".slip").count() > 0
    page.get_by_label("Bot of the curve").fill("scripted")
    page.get_by_role("button", name="Draw the curve").click()
    page.get_by_text("are not winning chances").wait_for()


def test_the_curve_can_be_stopped(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("t")
    page.get_by_label("Bot of the curve").fill("mcts:sims=300")
    page.get_by_role("button", name="Draw the curve").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("stopped", exact=True).wait_for()
    page.get_by_role("button", name="Draw the curve").wait_for()


def test_the_curve_of_another_line_waits_for_its_openings(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("Shift+ArrowRight")
    number, _ = at(page)
    held, asked = [], []

    def answer(route):
        asked.extend(route.request.post_data_json["numbers"])
        route.fulfill(json={"chances": True, "values": "", "answers": []})

    page.route("**/api/study/line", lambda route: held.append(route))
    page.route("**/api/study/advice", answer)
    page.locator("#play .answer:not(.primary)").first.click()
    wait_until(page, lambda: held, "a question about the line")
    page.keyboard.press("t")
    page.get_by_role("button", name="Draw the curve").click()
    page.get_by_role("button", name="Stop").wait_for()
    wait_until(page, lambda: asked or len(held) == 2, "a question for the curve")
    for route in held:
        route.continue_()
    page.get_by_role("button", name="Draw the curve").wait_for()
    assert asked == [number, number + 1]


def test_a_position_is_set_up_by_clicks_and_played_from(open_page, served, record, tmp_path):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("tab", name="Set up").click()
    page.get_by_role("button", name="Change this position").click()
    page.get_by_role("button", name="Play from here").wait_for()
    page.locator(".contents[data-region='edoras'] .settlement").click()
    page.get_by_label("Regulars of Rohan in Edoras").fill("44")
    page.get_by_text("Rohan has 10 Regulars, not").wait_for()
    assert page.get_by_role("button", name="Play from here").is_disabled()
    page.get_by_label("Regulars of Rohan in Edoras").fill("3")
    page.get_by_text("This position is valid.").wait_for()
    page.get_by_role("button", name="Play from here").click()
    page.get_by_role("tab", name="Play").click()
    page.locator("#play .answer").first.click()
    assert at(page) == (1, 1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "study.jsonl")
    (saved,) = GameRecord.load(tmp_path / "study.jsonl")
    assert setup_of(saved.begun().state)["regions"]["edoras"]["rohan"][0] == 3 and len(saved.actions) == 1
    page.keyboard.press("o")
    page.get_by_label("File").set_input_files(tmp_path / "study.jsonl")
    page.get_by_role("dialog").wait_for(state="hidden")
    assert at(page) == (0, 1)


def test_games_as_text_are_opened_from_a_file_and_positions_pasted(open_page, served, record, tmp_path):
    page = open_record(open_page, served, record.to_json())
    file = tmp_path / "games.txt"
    file.write_text(record.to_text() + "\n" + record.to_text(comments=False), encoding="utf-8")
    page.keyboard.press("o")
    page.get_by_label("File").set_input_files(file)
    game = page.get_by_role("button", name=f"Game 2: here against there, {len(record.actions)} actions")
    game.click()
    page.get_by_role("dialog").wait_for(state="hidden")
    assert at(page) == (0, len(record.actions))
    page.keyboard.press("o")
    page.get_by_label("Record", exact=True).fill(record.replay(20).position())
    page.get_by_role("button", name="Open the text").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    assert at(page) == (0, 0)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("The position is copied").wait_for()
    assert not page.locator("#news.wrong").count()
    assert page.evaluate("navigator.clipboard.readText()") == record.replay(20).position()


def test_a_study_game_of_a_table_opens_with_the_knowledge_of_its_seat(open_page, served):
    table = served.open(PEOPLE, SHORT, study=True)
    while table.seat != "shadow":
        table.play([first_choice(table.line, np.random.default_rng(0))])
    token = table.tokens["shadow"]
    page = open_page(table.link("shadow"))
    page.get_by_role("link", name="Study", exact=True).click()
    page.locator("#play .answer").first.wait_for()
    assert at(page) == (0, 0)
    assert token not in page.url
    assert page.get_by_label("Seen by").input_value() == "shadow"
    assert "what Shadow knows of a game in play" in page.locator("#news").inner_text()
    page.reload()
    page.locator("#play .answer").first.wait_for()
    assert page.get_by_label("Seen by").input_value() == "shadow"
    onlooker = open_page(table.link("watch"))
    onlooker.locator("#question:not(:empty)").wait_for()
    assert onlooker.get_by_role("link", name="Study", exact=True).is_hidden()
    serious = served.open(PEOPLE, SHORT)
    page = open_page(serious.link("shadow"))
    page.locator("#question:not(:empty)").wait_for()
    assert page.get_by_role("link", name="Study", exact=True).is_hidden()


def test_a_duel_that_is_over_is_studied_from_its_end(open_page, served):
    seats = dict.fromkeys(("fellowship", "sauron"), "person")
    table = served.open(seats, "", 4, choices("duel", "standard", 4), game="duel")
    length = table.line.number
    page = open_page(table.link("sauron"))
    page.locator(".ending").wait_for()
    parts = tips(page)
    page.get_by_role("link", name="Study", exact=True).click()
    page.locator("#play .line").first.wait_for()
    assert at(page) == (length, length)
    assert page.locator("#play").get_by_text("The game is over.").is_visible() and tips(page) == parts
    assert page.get_by_label("Seen by").input_value() == ""
    assert not any(token in page.url for token in table.tokens.values())
    page.keyboard.press("ArrowLeft")
    assert at(page) == (length - 1, length) and tips(page) != parts
    page.reload()
    page.locator("#play .line").first.wait_for()
    assert at(page) == (length - 1, length)


def tips(page):
    """What the parts of a drawing are."""
    return page.locator("#map svg [data-tip]").evaluate_all("all => all.map(({ dataset }) => dataset.tip)")


def test_the_board_says_that_the_server_does_not_answer_and_asks_again(browser, served, record):
    page = new_page(browser)
    page.set_default_timeout(1000 * PATIENCE)
    page.route("**/api/tables/*/study", lambda route: route.abort())
    page.goto(f"{served.url}/study?table=none#token")
    news = page.locator("#news").get_by_text("The server does not answer.")
    news.wait_for()
    page.keyboard.press("o")
    page.get_by_label("Record", exact=True).fill(record.to_json())
    page.get_by_role("button", name="Open the text").click()
    page.locator("#play .answer").first.wait_for()
    at(page)
    page.route("**/api/study/position", lambda route: route.abort())
    page.keyboard.press("End")
    news.wait_for()
    page.unroute("**/api/study/position")
    page.get_by_role("button", name="Try again").click()
    assert at(page) == (len(record.actions), len(record.actions))
    page.get_by_text("The game is over.").wait_for()
    assert not page.locator("#news.wrong").count()
    page.close()


def test_the_networks_of_the_zoo_are_offered_and_can_be_asked(open_page, served, record):
    page = open_record(open_page, served, record.to_json())
    page.keyboard.press("t")
    offered = page.locator("#advisers option").evaluate_all("all => all.map(({ value }) => value)")
    assert {"net:zoo/wide", "search:zoo/wide", "playouts:zoo/wide", "queller"} <= set(offered)
    assert not {"net", "search", "playouts"} & set(offered)
    page.get_by_label("Another bot").fill("net:zoo/laptop")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Ask about this position").click()
    page.locator(".opinions").get_by_text("net:zoo/laptop").wait_for()


def test_a_tournament_leads_to_its_games(open_page, served):
    page = open_page(f"{served.url}/tournaments")
    page.get_by_role("link", name="random, scripted").click()
    page.get_by_role("heading", name="Ratings").wait_for()
    assert page.locator(".chart circle").count() == 6
    page.locator("tbody a").first.wait_for()
    assert page.locator("tbody a").count() == 4
    page.locator("tbody a").first.click()
    page.locator("#question:not(:empty)").wait_for()
    assert at(page)[1] > 0
    assert "(" not in page.url


def test_after_a_jump_the_last_choice_is_framed_as_after_a_step(open_page, served):
    page = open_page(f"{served.url}/tournaments/2")
    page.locator("tbody a").first.click()
    page.locator("#play .line").first.wait_for()
    _, length = at(page)
    page.keyboard.press("End")
    assert at(page) == (length, length)
    gone = page.locator("svg .trace.gone")
    wait_until(page, gone.count, "a frame where the last card lay")
    jumped = gone.evaluate_all(OUTLINES)
    page.keyboard.press("ArrowLeft")
    assert at(page) == (length - 1, length)
    page.keyboard.press("ArrowRight")
    assert at(page) == (length, length)
    assert gone.evaluate_all(OUTLINES) == jumped


@pytest.mark.parametrize(
    ("tournament", "teams", "other", "traces"),
    [(2, 2, "sell", 2), (3, 3, "take", 1)],
    ids=["duel", "two-towers"],
)
def test_a_game_of_a_drawn_tournament_is_stepped_through_branched_and_shared(
    open_page, served, tournament, teams, other, traces
):
    page = open_page(
        f"{served.url}/tournaments/{tournament}", permissions=["clipboard-read", "clipboard-write"]
    )
    page.locator("tbody a").first.wait_for()
    chart = page.locator(".chart svg").first
    lowest = chart.locator("circle").last.bounding_box()
    assert chart.locator("circle").count() == 1 + teams == page.locator(".key span").count()
    box = chart.bounding_box()
    assert lowest["y"] + lowest["height"] <= box["y"] + box["height"]
    page.locator("tbody a").first.click()
    page.locator("#play .line").first.wait_for()
    _, length = at(page)
    assert page.get_by_role("tab").all_inner_texts() == ["Play", "Log", "Bots", "Legend"]
    page.keyboard.press("ArrowRight")
    assert at(page) == (1, length)
    assert page.locator("svg .trace").count() == traces
    assert page.locator("svg .trace.gone").count() == traces - 1, "where the card of the Duel lay"
    follows = page.locator("#play .primary").get_attribute("data-name")
    page.locator(f"svg .lit[data-actions^='{other}:']:not([data-actions~='{follows}'])").first.click()
    assert at(page) == (2, 2) and page.locator(".lines li").count() == 2
    page.keyboard.press("1")
    assert at(page) == (3, 3)
    page.keyboard.press("ArrowLeft")
    assert at(page) == (2, 3)
    page.locator("svg [data-tip][data-actions]:not(.lit)").first.dispatch_event("click")
    assert page.locator(".why").inner_text().endswith(".")
    page.keyboard.press("b")
    page.locator("svg .best").first.wait_for()
    page.get_by_role("button", name="Share").click()
    page.get_by_text("The address is copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    tab = open_page(page.url)
    tab.locator("#play .line").nth(1).wait_for(state="attached")
    assert at(tab) == (2, 3)
    assert tab.locator("#question").inner_text() == page.locator("#question").inner_text()
    assert tab.get_by_role("tab", selected=True).inner_text() == "Bots"


def test_a_study_table_of_the_two_towers_opens_with_the_hand_of_its_seat_alone(open_page, served):
    seats = {"player_1": "person", "player_2": "person"}
    table = served.open(seats, "two", seed=3, study=True, game="two-towers")
    while table.seat != "player_2":
        table.play([first_choice(table.line, np.random.default_rng(0))])
    page = open_page(table.link("player_2"), **PHONE)
    page.get_by_role("link", name="Study", exact=True).tap()
    page.locator("#play [data-action]").first.wait_for()
    assert at(page) == (0, 0)
    assert table.tokens["player_2"] not in page.url
    assert page.get_by_label("Seen by").input_value() == "player_2"
    assert "what Player 2 knows of a game in play" in page.locator("#news").inner_text()
    for axis in ("Width", "Height"):
        assert page.evaluate(f"document.documentElement.scroll{axis} - inner{axis}") <= 0
    page.locator("[data-form=upright] [data-tip^='Cards put aside']").tap()
    said = page.locator(".why").inner_text()
    assert said.startswith("Cards put aside. ") and said.endswith("What glows can be chosen.")
    part = page.locator("[data-form=upright] .lit").first
    choices = len(set(part.get_attribute("data-actions").split()) & set(table.legal))
    part.tap()
    assert at(page) == (0, 0) and page.locator("#play .about").count() == 1
    assert page.locator("#play [data-action]").count() == choices
    page.locator("#play [data-action]").first.tap()
    assert at(page) == (1, 1)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator("[data-form=wide] svg").wait_for()
    assert "only the holder sees" in page.locator("#map svg").inner_html()
    assert at(page) == (1, 1)
    onlooker = open_page(table.link("watch"))
    onlooker.locator("#question:not(:empty)").wait_for()
    assert onlooker.get_by_role("link", name="Study", exact=True).is_hidden()


@pytest.mark.parametrize("tab", ["play", "panels", "log", "bots", "edit"])
def test_the_board_fits_a_phone(open_page, served, record, tab):
    page = open_record(open_page, served, record.to_json(), **PHONE)
    page.locator("#go-next").tap()
    page.locator(f".tabs [data-tab={tab}]").tap()
    at(page)
    for axis in ("Width", "Height"):
        assert page.evaluate(f"document.documentElement.scroll{axis} - inner{axis}") <= 0
    assert page.locator(f"#{tab}").is_visible() and page.locator("#question").is_visible()
    assert page.locator(".map > svg").bounding_box()["height"] > 200
    for other in page.locator(".steps button").all():
        assert other.bounding_box()["height"] >= 36


def test_an_empty_game_is_begun_and_a_damaged_record_refused(open_page, served):
    page = open_page(f"{served.url}/study")
    page.get_by_label("Record").fill("{}\n{}")
    page.get_by_role("button", name="Open the text").click()
    page.get_by_text("Game 2: damaged").wait_for()
    page.get_by_label("Players").select_option("4")
    page.get_by_role("button", name="Begin").click()
    page.locator("#play .answer").first.wait_for()
    assert page.get_by_label("Seen by").locator("option").count() == 5


def test_the_first_load_is_small_and_the_policy_strict(open_page, served):
    sizes, policies = [], {}
    page = open_page("about:blank")
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.on(
        "response",
        lambda response: policies.update({response.url: response.headers.get("content-security-policy")}),
    )
    page.goto(f"{served.url}/study")
    page.get_by_role("heading", name="Open a game").wait_for()
    assert len(sizes) > 5 and sum(sizes) < FIRST_LOAD, sizes
    assert policies.pop(f"{served.url}/study") == POLICY and set(policies.values()) <= {POLICY, None}
