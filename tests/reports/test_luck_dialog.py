"""The luck in replay pages: the figures of the same record, none in the page of a seat, and its buttons."""

from __future__ import annotations

import html
import re

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from tests.networks import write_network
from tests.replays import play_with_cards
from wotr_env import GameRecord
from wotr_env.play.games import game_kind
from wotr_experiments.analysis.costly import CostlyChoice
from wotr_experiments.cli import main as cli
from wotr_experiments.files import write_text
from wotr_experiments.luck.measure import LuckMethod
from wotr_experiments.luck.report import SAMPLES, luck_of, points
from wotr_experiments.reports.luck import luck_dialog
from wotr_experiments.reports.replay_page import Curve, replay_page


@pytest.fixture(scope="module")
def record():
    return play_with_cards(2, 3)


@pytest.fixture(scope="module")
def story(record):
    return luck_of(record, LuckMethod("zoo/wide", SAMPLES, all_views=True))


@pytest.fixture(scope="module")
def duel():
    """A game of the Duel."""
    kind = game_kind("duel")
    game = kind.game(3, kind.find_ruleset())
    while game.result is None:
        game.step(game.legal()[-1])
    return GameRecord.from_game(game)


@pytest.fixture
def file(record, tmp_path):
    record.save(tmp_path / "game.jsonl")
    return str(tmp_path / "game.jsonl")


def dialog_of(page: str) -> str:
    found = re.search(r'<dialog id="luck".*?</dialog>', page, re.DOTALL)
    return found[0] if found else ""


def cells_of(dialog: str) -> list[list[str]]:
    rows = re.findall(r"<tr.*?</tr>", dialog, re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in rows]


def test_the_page_has_the_luck_of_the_record(record, story):
    page = replay_page(record, None, luck=story)
    dialog = dialog_of(page)
    assert html.escape(story.sentence()) in dialog and "with the values of zoo/wide" in dialog
    heads, *rows = cells_of(dialog)
    table = story.table()
    assert heads == ["turn", *table.heads]
    assert rows == [
        [name, *(points(luck) if luck else "" for luck in row)] for name, row in table.rows.items()
    ]
    assert rows[-1][0] == "all" and rows[-1][-1] == points(story.luck.total[0])
    lines = re.findall(r'data-at="(\d+)"><b>(.*?)</b> (.*?)</button>', dialog)
    assert [(int(at), head, html.unescape(words)) for at, head, words in lines] == [
        (
            stroke.number + 1,
            f"Turn {stroke.turn}, {stroke.source}: {points(stroke.gained)} for the "
            f"{record.kind.teams[stroke.team].title}",
            stroke.words,
        )
        for stroke in story.strokes
    ]
    assert len(lines) == 5 and "Costly choices" not in dialog


def test_the_chart_ends_at_the_luck_of_the_whole_game(story):
    dialog = luck_dialog(story)
    ends = {}
    for places, name in re.findall(
        r'<polyline class="series [^"]*" points="([^"]*)"><title>(.*?)</title>', dialog
    ):
        ends[name] = float(places.split()[-1].split(",")[1])
    heads, rows = story.table()
    assert list(ends) == ["all", *heads[:-1]]
    lucks = {"all": rows["all"][-1], **dict(zip(heads[:-1], rows["all"], strict=False))}
    height = {name: ends[name] - ends["all"] for name in lucks}
    expected = {name: lucks["all"] - luck for name, luck in lucks.items()}  # y grows downwards
    largest = max(expected, key=lambda name: abs(expected[name]))
    for name, luck in expected.items():
        assert height[name] == pytest.approx(luck * height[largest] / expected[largest], abs=0.3)


def test_costly_choices_stand_apart_by_side(record, story):
    slips = [
        CostlyChoice(4, 0, "Free Peoples lost 9%: <a>", 0.094),
        CostlyChoice(7, 1, "Shadow lost 5%", 0.05),
        CostlyChoice(9, 0, "Free Peoples lost 4%", 0.044),
    ]
    page = replay_page(record, None, curves=[Curve("<mcts>", [(0, 0.5)], slips)], luck=story)
    assert re.findall('<p class="sum">(.*?)</p>', dialog_of(page)) == [
        html.escape(story.sentence()),
        "By &lt;mcts&gt;, two choices of the Free Peoples cost 14 points of winning chance, and one of the "
        "Shadow 5.",
    ]
    _, costly = dialog_of(page).split("<h3>Costly choices</h3>")
    assert "These choices are not part of luck." in costly
    own, others = costly.split("<h4>Shadow, by &lt;mcts&gt;</h4>")
    assert "<h4>Free Peoples, by &lt;mcts&gt;</h4>" in own
    assert re.findall(r'data-at="(\d+)">(.*?)</button>', own) == [
        ("4", "Free Peoples lost 9%: &lt;a&gt;"),
        ("9", "Free Peoples lost 4%"),
    ]
    assert re.findall(r'data-at="(\d+)">(.*?)</button>', others) == [("7", "Shadow lost 5%")]
    none = replay_page(record, None, curves=[Curve("mcts", [(0, 0.5)], slips[:1])], luck=story)
    assert "<h4>Shadow, by mcts</h4><p>none found</p>" in none
    assert "By mcts, one choice of the Free Peoples cost 9 points of winning chance.</p>" in dialog_of(none)


def test_the_page_of_a_seat_has_no_luck(record, story, duel):
    assert dialog_of(replay_page(record, 0)) == dialog_of(replay_page(duel, 0)) == ""
    with pytest.raises(ValueError, match="luck reveal hidden information"):
        replay_page(record, 0, luck=story)
    with pytest.raises(ValueError, match="luck reveal hidden information"):
        replay_page(duel, 0, luck=story)


def test_the_command_measures_luck(record, story, file, tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = ["replay", file, "--html", str(page)]
    assert cli.main(asked) == 0
    assert page.read_text(encoding="utf-8") == replay_page(record, None, luck=story)
    assert cli.main([*asked, "--luck", "zoo/laptop"]) == 0
    other = luck_of(record, LuckMethod("zoo/laptop", SAMPLES, all_views=True))
    assert page.read_text(encoding="utf-8") == replay_page(record, None, luck=other)
    assert cli.main([*asked, "--luck", "none"]) == 0
    assert page.read_text(encoding="utf-8") == replay_page(record, None)
    assert cli.main([*asked, "--eyes", "shadow"]) == 0
    assert page.read_text(encoding="utf-8") == replay_page(record, 1)
    capsys.readouterr()
    for options, words in (
        ([*asked, "--eyes", "shadow", "--luck", "zoo/wide"], "leave out --luck or --eyes"),
        ([*asked, "--luck", "zoo/nothing"], "zoo/nothing"),
        (["replay", file, "--luck", "zoo/wide"], "--luck needs --html"),
    ):
        assert cli.main(options) == 2
        assert words in capsys.readouterr().err


def test_the_page_of_an_analysis_has_the_luck_that_it_prints(record, story, file, tmp_path, capsys):
    page = tmp_path / "page.html"
    few = ["--bot", "scripted", "--playouts", "1", "--choices", "1", "--slips", "0"]
    assert cli.main(["analyse", file, *few, "--html", str(page)]) == 0
    dialog = dialog_of(page.read_text(encoding="utf-8"))
    assert html.escape(story.sentence()) in dialog and story.sentence() in capsys.readouterr().out
    assert "ostly choice" not in dialog  # none were sought
    assert cells_of(dialog) == cells_of(luck_dialog(story))


def test_a_page_of_another_game_has_luck_by_the_zoo_or_by_a_network_of_one_s_own(duel, tmp_path):
    network = write_network(tmp_path, kind=duel.kind)
    duel.save(tmp_path / "game.jsonl")
    asked = ["replay", str(tmp_path / "game.jsonl"), "--html", str(tmp_path / "page.html")]
    for options, name in ((), "zoo/duel"), (("--luck", str(network)), str(network)):
        assert cli.main([*asked, *options]) == 0
        told = luck_of(duel, LuckMethod(name, SAMPLES, all_views=True))
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert page == replay_page(duel, None, luck=told)
    assert cells_of(dialog_of(page))[-1][-1] == points(told.luck.total[0])


@pytest.mark.slow
def test_the_dialog_in_a_browser(browser, record, story, duel, tmp_path):
    network = write_network(tmp_path, kind=duel.kind)
    write_text(tmp_path / "war.html", replay_page(record, None, luck=story))
    other = luck_of(duel, LuckMethod(str(network), SAMPLES, all_views=True))
    write_text(tmp_path / "duel.html", replay_page(duel, None, luck=other))
    write_text(tmp_path / "none.html", replay_page(duel, None))
    problems = []
    for name, lines in (("war", len(story.strokes)), ("duel", len(other.strokes)), ("none", None)):
        page = new_page(browser, viewport={"width": 390, "height": 844})
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((tmp_path / f"{name}.html").as_uri())
        button, dialog = page.locator("#show-luck"), page.locator("#luck")
        if lines is None:
            assert button.is_hidden() and dialog.count() == 0
            continue
        assert dialog.is_hidden()
        button.click()
        page.keyboard.press("ArrowRight")  # moves nothing behind the dialog
        assert dialog.is_visible() and page.locator("#count").inner_text().startswith("0 /")
        page.keyboard.press("Escape")
        assert dialog.is_hidden()
        button.click()
        assert dialog.evaluate("each => each.scrollWidth <= each.clientWidth")
        strokes = dialog.locator("[data-at]")
        assert strokes.count() == lines
        if lines:
            at = strokes.first.get_attribute("data-at")
            strokes.first.click()
            assert dialog.is_hidden() and page.locator("#count").inner_text().startswith(f"{at} /")
        page.close()
    assert problems == []
