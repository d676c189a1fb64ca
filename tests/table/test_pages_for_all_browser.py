"""The pages for everybody: WCAG 2.2 AA by axe-core, small screens, no motion, other colours, lost lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.browsers import draw, new_page, stop_clock
from tests.small_tournament import ALONE, SMALL, run_tournament
from tests.table.live import any_choice, decision, open_at
from tests.table.pages import is_idle, settle, sit_down, to_the_dice, wait_until
from tests.tools.live_table import LiveServer, legal_names
from tests.web_tables import PEOPLE, SHORT
from wotr_env.play.games import game_kind
from wotr_experiments.files import write_text
from wotr_experiments.reports.replay_page import replay_page
from wotr_experiments.table import tournaments
from wotr_experiments.table.line import Line

pytestmark = pytest.mark.slow

NARROW = {"width": 320, "height": 640}
ON_ITS_SIDE = {"width": 844, "height": 390}
WIDE = {"width": 1400, "height": 900}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = """async (rules) => {
    const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}"""
LABELS = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const light = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => linear(part / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const fill = (part) => getComputedStyle(part).fill;
    const lands = new Set(["", "lit", "ready", "changed"].flatMap((state) => {
        return [...document.querySelectorAll(".map .cell")].map((cell) => {
            cell.setAttribute("class", `cell ${state}`);
            return fill(cell);
        });
    }));
    const names = new Set([...document.querySelectorAll(".map .name")].map(fill));
    const pairs = [...names].flatMap((name) => [...lands].map((land) => [name, land]));
    for (const text of document.querySelectorAll(".map .army text")) {
        pairs.push([fill(text), fill(text.closest(".army").querySelector(".plate"))]);
    }
    return pairs.filter(([one, other]) => contrast(one, other) < 4.5).map(String);
}"""
"""The pairs of colours of writing on the map and what lies below it, with too little contrast."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The server, with a tournament."""
    folder = tmp_path_factory.mktemp("tournament")
    run_tournament(SMALL, folder, ALONE)
    with LiveServer(tmp_path_factory.mktemp("tables"), (folder,)).running() as server:
        yield server


def over(server, seats: dict[str, str], ruleset: str, game: str, seed: int = 4):
    """A table whose game is over."""
    kind = game_kind(game)
    line, rng = Line(kind, kind.find_ruleset(ruleset), seed), np.random.default_rng(seed)
    while not line.over:
        line.step(any_choice(line, rng))
    return server.open(seats, ruleset, seed, line.actions, game=game)


def check(page, name: str) -> None:
    """No violation for axe-core, and no horizontal scrolling on a small screen."""
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    draw(page)  # or it has no colours to compare
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text())
    for size, scheme in ((WIDE, "dark"), (NARROW, "light")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        assert page.evaluate(AXE, RULES) == [], (name, scheme)
    for size in (NARROW, ON_ITS_SIDE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, size)


TABLES = {
    "war-of-the-ring": (PEOPLE, SHORT),
    "duel": (dict.fromkeys(("fellowship", "sauron"), "person"), ""),
    "two-towers": (dict.fromkeys(("player_1", "player_2", "player_3"), "person"), "three"),
}


@pytest.mark.parametrize("game", TABLES)
def test_the_tables_are_accessible(open_page, server, game):
    seats, ruleset = TABLES[game]
    table = server.open(seats, ruleset, seed=4, game=game)
    page = open_page(table.link(table.seat or ""))
    page.locator("#act button.answer").first.wait_for()
    check(page, game)
    page.emulate_media(forced_colors="active")
    assert page.evaluate(AXE, RULES) == []


def test_what_people_do_at_a_table_is_accessible(open_page, server):
    table = server.open(PEOPLE, SHORT, seed=4)
    one, other = (open_page(table.link(seat)) for seat in PEOPLE)
    other.locator("#do-people").click()
    other.get_by_role("button", name="Offer a draw").click()
    one.locator("#act .offer").wait_for()
    check(one, "an offer")
    one.locator("#do-people").click()
    one.get_by_role("button", name="Report a problem …").click()
    one.get_by_role("button", name="Resign …").click()
    check(one, "the dialog of a table")


def test_the_choice_of_a_die_is_accessible(open_page, server):
    table = open_at(server, lambda line: line.seat == 1 and decision(line) == "action-die")
    check(sit_down(open_page, table, "shadow"), "the choice of a die")


OTHERS = [("/", ".go"), ("/tournaments", "li"), ("/tournaments/1", "td a"), ("/study", "textarea")]


@pytest.mark.parametrize(("path", "shown"), OTHERS)
def test_the_other_pages_are_accessible(open_page, server, path, shown):
    page = open_page(server.url + path)
    page.locator(shown).first.wait_for()
    check(page, path)
    if path == "/study":
        page.get_by_role("button", name="Begin").click()
        page.locator("#play .answer").first.wait_for()
        check(page, "analysis")
        page.keyboard.press("o")
        page.get_by_label("Game", exact=True).select_option("duel")
        page.get_by_role("button", name="Begin").click()
        page.locator("#play .group").first.wait_for()
        check(page, "analysis of the Duel")


def test_more_games_of_a_tournament_are_added_once_also_those_played_meanwhile(browser, server, monkeypatch):
    monkeypatch.setattr(tournaments, "AT_ONCE", 3)
    page = new_page(browser)
    more = page.get_by_role("button", name="More games")
    played = {"games": SMALL.games, "total": 20}

    def tell(route):
        route.fulfill(json=route.fetch().json() | played)

    page.clock.install()
    page.route("**/api/tournaments/1", tell)
    page.goto(f"{server.url}/tournaments/1")
    rows = page.locator(".games-table tbody tr")
    for shown in (3, 6):
        rows.nth(shown - 1).wait_for()
        more.evaluate("(button) => { button.click(); button.click(); }")
    rows.nth(7).wait_for()
    more.wait_for(state="hidden")
    assert rows.count() == len(set(rows.locator("a").evaluate_all("all => all.map(({ href }) => href)"))) == 8
    played["games"] = 9
    page.clock.run_for(15_000)
    more.wait_for()
    page.route("**/games?after=8", lambda route: route.abort())
    more.click()
    page.get_by_role("alert").get_by_text("The server does not answer").wait_for()
    page.close()


def test_the_page_at_an_unknown_address_is_accessible_and_leads_to_the_start_page(browser, server):
    page = new_page(browser, viewport=WIDE)
    answer = page.goto(f"{server.url}/nonsense/more?x=1")
    assert answer.status == 404
    assert page.get_by_role("heading").inner_text() == page.title() == "There is no such page"
    check(page, "unknown address")
    page.get_by_role("link", name="All games and tables").click()
    page.get_by_role("heading", name="New table").wait_for()
    assert page.url == f"{server.url}/"
    page.close()


def test_the_end_of_a_game_is_accessible_and_reviewed_step_by_step(open_page, server):
    table = over(server, PEOPLE, "first:max_turns=1", "war-of-the-ring")
    page = open_page(table.link("free_peoples"))
    page.get_by_role("button", name="Review from the start").click()
    page.wait_for_selector("body.looking")
    for button, number in (
        ("One action on", 1),
        ("One action on", 2),
        ("One action back", 1),
        ("To the end", table.line.number),
    ):
        page.get_by_role("button", name=button).click()
        page.locator(".review output", has_text=f"{number} / ").wait_for()
        assert page.evaluate("document.activeElement.ariaLabel") == button, "the focus stays"
    page.keyboard.press("Home")
    page.locator(".review output", has_text="0 / ").wait_for()
    page.get_by_text("By turn and source, in points").click()
    check(page, "the end")


def test_the_replay_page_is_accessible(open_page, server, tmp_path):
    table = over(server, PEOPLE, "first:max_turns=1", "war-of-the-ring")
    write_text(tmp_path / "replay.html", replay_page(table.line.record(["one", "two"]), None))
    page = open_page((tmp_path / "replay.html").as_uri())
    page.locator(".map svg").first.wait_for()
    check(page, "replay")


def test_labels_of_the_map_can_be_read(open_page, server):
    page = sit_down(open_page, server.open(PEOPLE, SHORT))
    for colours in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}):
        page.emulate_media(**colours)
        assert page.evaluate(LABELS) == [], colours


def test_without_motion_the_moves_of_others_are_listed(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "random"}, "first:max_turns=2")
    page = sit_down(open_page, table, reduced_motion="reduce")
    to_the_dice(page, table)
    assert "Shadow:" in page.get_by_role("region", name="Since your last choice").inner_text()


def test_a_press_shows_at_once_that_something_happens_and_the_focus_stays(open_page, server):
    table = server.open({"free_peoples": "person", "shadow": "random"}, "first:max_turns=2")
    page = sit_down(open_page, table)
    page.locator("#act button.answer").first.focus()
    page.keyboard.press("Enter")
    settle(page, table)
    assert page.evaluate("document.activeElement.closest('#act') !== null")
    wait_until(page, lambda: is_idle(page), "a painted question")
    busy = page.locator("#act [data-end]").first.evaluate(
        "(button) => { button.click(); return document.body.dataset.busy; }"
    )
    assert busy == "true"
    settle(page, table)


def test_nothing_glows_while_the_connection_is_lost(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))
    page = sit_down(open_page, table)
    lit = page.locator(".cell.ready, .cell.lit, .cell[role=button]")
    assert lit.count() > 0
    stop_clock(page)
    server.drop_all()
    page.get_by_text("The connection is lost").wait_for()
    assert lit.count() == 0
    page.clock.resume()
    page.get_by_text("The connection is lost").wait_for(state="detached")
    assert lit.count() > 0
