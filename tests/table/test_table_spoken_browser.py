"""What a screen reader gets of a table: the accessibility tree, announcements, the order of the focus."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.live import open_at
from tests.table.pages import hash_of, is_idle, sit_down, wait_until
from tests.tools.live_table import legal_names
from wotr_env.play.games import game_kind
from wotr_experiments.table.line import Line

pytestmark = pytest.mark.slow

TABLES = {
    "war-of-the-ring": ({"free_peoples": "person", "shadow": "random"}, "first:max_turns=2"),
    "duel": ({"fellowship": "person", "sauron": "scripted"}, ""),
    "two-towers": ({"player_1": "person", "player_2": "scripted"}, "two"),
}
SPOKEN = """addEventListener("DOMContentLoaded", () => {
    window.spoken = [];
    const hear = ({ target, addedNodes }) => {
        const part = target instanceof Element ? target : target.parentElement;
        const live = part?.closest("[role=log], [role=status], [role=alert], [aria-live=polite]");
        if (!live) return;
        if (live.role === "log") window.spoken.push(...[...addedNodes].map((node) => node.textContent));
        else if (live.textContent) window.spoken.push(live.textContent);
    };
    const watch = new MutationObserver((changes) => changes.forEach(hear));
    watch.observe(document, { subtree: true, childList: true, characterData: true });
})"""
"""What is announced, one entry for each change of a live region."""
CONTROLS = {"button", "link", "combobox", "radio", "tab", "textbox", "slider", "dialog", "region"}


def open_table(open_page, server, game: str):
    """A table of a person and a bot, and the page of the person, which notes what is announced."""
    seats, ruleset = TABLES[game]
    table = server.open(seats, ruleset, seed=6, game=game)
    page = open_page("about:blank")
    page.add_init_script(SPOKEN)
    page.goto(table.link(next(iter(seats))))
    page.locator("#act button.answer").first.wait_for()
    wait_until(page, lambda: is_idle(page), "a painted question")
    return table, page


def spoken(page) -> list[str]:
    """What has been announced since this was asked last."""
    return page.evaluate("window.spoken.splice(0)")


def focused(page, expression: str):
    """What is asked of the element that has the focus."""
    return page.evaluate(f"(({expression}))(document.activeElement)")


def items(page, region: str) -> list[str]:
    """The list of a region in words."""
    return page.get_by_role("region", name=region).get_by_role("listitem").all_text_contents()


def play(page, table, key: str = "1") -> None:
    """Answers by a key, and waits until this seat is asked again."""
    before = table.table.hash
    page.keyboard.press(key)
    wait_until(page, lambda: table.table.hash != before, "a change of the table")
    wait_until(
        page, lambda: table.table.bot is None and hash_of(page) == table.table.hash, "the next question"
    )
    wait_until(page, lambda: is_idle(page), "a painted question")


@pytest.mark.parametrize("game", TABLES)
def test_every_control_has_a_name_and_the_choices_come_before_the_board(open_page, server, game):
    _, page = open_table(open_page, server, game)
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node.get("ignored")]
    named = [node for node in shown if node["role"]["value"] in CONTROLS]
    assert len(named) > 8
    assert [node["role"]["value"] for node in named if not node["name"]["value"].strip()] == []
    heads = [node["name"]["value"] for node in shown if node["role"]["value"] == "heading"]
    assert heads[0] == page.locator("#question").inner_text()
    for _ in range(16):
        page.keyboard.press("Tab")
        assert not focused(page, "(part) => part.closest('main') !== null")
        if focused(page, "(part) => part.closest('#act') !== null"):
            break
    assert focused(page, "(part) => part.matches('#act button, #act ul')")


@pytest.mark.parametrize("game", ["duel", "two-towers"])
def test_what_others_do_is_announced_once(open_page, server, game):
    table, page = open_table(open_page, server, game)
    spoken(page)
    other = "Sauron: " if game == "duel" else "Player 2: "
    heard: list[str] = []
    while not (lines := [line for line in heard if line.startswith(other)]):
        play(page, table)
        heard += spoken(page)
    assert len(set(lines)) == len(lines), heard
    page.keyboard.press("l")
    page.keyboard.press("l")
    page.set_viewport_size({"width": 820, "height": 1180})  # draws again
    assert not [line for line in spoken(page) if line.startswith(other)]


def test_results_are_announced_without_the_own_choices(open_page, server):
    table, page = open_table(open_page, server, "war-of-the-ring")
    spoken(page)
    play(page, table)
    heard = spoken(page)
    assert any("Shadow: " in line for line in heard), heard
    assert not any(re.search(r"(^|\. )Free Peoples: ", line) for line in heard), heard
    assert page.locator("#question").inner_text() in heard


def test_a_notice_is_announced_once_and_a_hint_with_its_words(open_page, server):
    _, page = open_table(open_page, server, "duel")
    spoken(page)
    page.keyboard.press("u")
    page.keyboard.press("k")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    assert len([line for line in spoken(page) if "You cannot undo" in line]) == 1
    page.keyboard.press("h")
    best = page.locator(".hint .best")
    best.wait_for()
    assert spoken(page)[-1] == best.inner_text()


def test_the_board_of_a_drawn_game_is_told_in_words(open_page, server):
    table, page = open_table(open_page, server, "duel")
    told = items(page, "Position in words")
    assert "Ring track. Fellowship at step 0 of 14; Sauron at step 0 of 14." in told
    assert any(line.startswith("Sauron. 2 coins; ruse 0, ") for line in told), told
    assert any(line.startswith("Mordor. ") for line in told)
    assert any(line.startswith("A card of chapter 1, face down. Covered by ") for line in told)
    play(page, table)
    assert items(page, "Position in words") != told
    _, page = open_table(open_page, server, "two-towers")
    told = items(page, "Position in words")
    assert any(line.startswith("Player 2. 0 points; ") for line in told), told
    assert any("The journey is " in line for line in told)


def test_the_map_is_told_in_words_and_choices_with_what_is_there(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))
    page = sit_down(open_page, table)
    told = items(page, "Map in words")
    minas_tirith = next(line for line in told if line.startswith("Minas Tirith: "))
    assert minas_tirith.startswith("Minas Tirith: controlled by the Free Peoples; Free Peoples: Gondor ")
    assert any(line.startswith("Barad-dur: controlled by the Shadow; Shadow: Sauron ") for line in told)
    assert any(line.startswith("Rivendell: ") and "the Fellowship, hidden" in line for line in told)
    regions = page.get_by_role("main").get_by_role("button", name="Minas Tirith: ")
    assert "Free Peoples: Gondor " in regions.get_attribute("aria-label")
    assert "steps to war" in page.get_by_role("region", name="State").inner_text()
    assert "DruadanForest" not in page.get_by_role("main").aria_snapshot(), "labels are hidden"


def test_a_key_that_opens_a_plan_goes_there(open_page, server):
    table = open_at(server, lambda line: line.seat == 0 and "face:army-muster" in legal_names(line))
    page = sit_down(open_page, table)
    plan = page.locator("#act [data-plan='plan:move-armies']")
    page.keyboard.press(plan.get_attribute("data-digit"))
    assert focused(page, "(part) => [part.dataset.plan, part.ariaExpanded]") == ["plan:move-armies", "true"]
    origins = page.get_by_role("group", name="Move armies").get_by_role("button").all()
    assert origins
    for origin in origins:
        assert "Free Peoples: " in origin.get_attribute("aria-label")


def test_the_end_is_a_heading_with_the_result(open_page, server):
    kind = game_kind("two-towers")
    line = Line(kind, kind.find_ruleset("two"), 3)
    while not line.over:
        line.step(line.legal[0])
    table = server.open(
        dict.fromkeys(("player_1", "player_2"), "person"), "two", 3, line.actions, game="two-towers"
    )
    page = open_page(table.link("player_1"))
    page.locator(".ending").wait_for()
    heading = page.get_by_role("heading", level=1)
    assert heading.inner_text().startswith(("You have won", "You have lost"))
    assert heading.get_attribute("aria-live") == "polite"
