"""Replays of any game as one HTML file: what the page knows, and what a seat's page does not."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.browsers import browser as browser
from wotr_env import GameRecord
from wotr_env.core.codes import PUBLIC
from wotr_env.core.shapes import element
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.reports.any_replay_page import any_replay_data, any_replay_page, write_any_replay

DUEL = game_kind("duel")


@pytest.fixture(scope="module")
def record():
    rng = np.random.default_rng(3)
    game = DUEL.game(3, DUEL.find_ruleset())
    while game.result is None:
        game.step(int(rng.choice(game.legal())))
    return GameRecord.from_game(game, ("</script><b>", "random"))


def drawn(state: np.record, viewer: int | None) -> list[str]:
    assert DUEL.drawing is not None
    return [element(shape) for shape in DUEL.drawing(state, viewer).shapes]


def test_every_position_is_the_drawing_of_its_viewer(record):
    for viewer in (None, PUBLIC, 0, 1):
        data = any_replay_data(record, viewer)
        assert len(data["frames"]) == len(record.actions) + 1 == len(data["steps"]) + 1
        for at in (0, 20, len(record.actions)):
            state = record.replay(at).state
            asked, shapes, text = data["frames"][at]
            assert [data["elements"][place] for place in shapes] == drawn(state, viewer) and text is None
            assert data["words"][asked] == DUEL.words.decision(state)


def test_the_log_has_the_sentences_of_each_step(record):
    data = any_replay_data(record, 0)
    for number, (seat, lines) in enumerate(data["steps"]):
        state = record.replay(number).state
        told = DUEL.step_of(state, record.actions[number], 0).told
        assert seat == state["seat"]
        assert [(tone, data["words"][place]) for tone, _, place, _ in lines] == [
            (sentence.tone.value, sentence.text) for sentence in told
        ]


def test_the_page_of_a_seat_holds_neither_the_record_nor_what_is_hidden(record):
    everything, seen = (any_replay_data(record, viewer) for viewer in (None, 0))
    assert len(everything["elements"]) > len(seen["elements"])
    page = any_replay_page(record, 0)
    assert "seed" not in json.dumps(seen) and record.hash not in page
    first = [seen["elements"][place] for place in seen["frames"][0][1]]
    hidden = set(drawn(record.replay(0).state, None)) - set(drawn(record.replay(0).state, 0))
    assert hidden and not hidden & set(first)
    worlds = np.array([record.replay(5).state] * 4, dtype=DUEL.state)
    DUEL.kernels.sample_worlds(worlds, np.zeros(4, dtype=np.int64), np.arange(4))
    fifth = [seen["elements"][place] for place in seen["frames"][5][1]]
    for world in worlds:
        assert drawn(world, 0) == fifth


def test_names_of_players_are_text(record):
    page = any_replay_page(record, None)
    assert "</script><b>" not in page and "&lt;/script&gt;&lt;b&gt;" in page
    data = re.search(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data and json.loads(data[1]) == any_replay_data(record, None)


def test_the_command_writes_pages(record, tmp_path, capsys):
    games, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    record.save(games)
    assert cli.main(["replay", str(games), "--html", str(page), "--eyes", "sauron"]) == 0
    assert page.read_text(encoding="utf-8") == any_replay_page(record, 1)
    assert cli.main(["replay", str(games), "--html", str(page), "--eyes", "gandalf"]) == 2
    assert "fellowship, sauron" in capsys.readouterr().err


def test_the_page_of_a_seat_has_what_that_seat_wrote(record):
    answers = [(0, 0, "I take it", ""), (1, 1, "secret", "illegal"), (1, 1, "[pass]", "")]
    whole = {0: [[0, "I take it", ""]], 1: [[1, "secret", "illegal"], [1, "[pass]", ""]]}
    assert any_replay_data(record, None, answers=answers)["answers"] == whole
    assert any_replay_data(record, 0, answers=answers)["answers"] == {0: whole[0]}
    assert any_replay_data(record, PUBLIC, answers=answers)["answers"] == {}
    assert "secret" in any_replay_page(record, 1, answers=answers)
    assert "secret" not in any_replay_page(record, 0, answers=answers)


@pytest.mark.slow
def test_the_page_in_a_browser(browser, record, tmp_path):
    path, problems, requests = tmp_path / "page.html", [], []
    write_any_replay(path, record, 0)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    total = len(record.actions)
    assert page.locator("#count").inner_text() == f"0 / {total}"
    before = page.locator("#position svg").inner_html()
    page.keyboard.press("ArrowRight")
    assert page.locator("#count").inner_text() == f"1 / {total}"
    assert page.locator("#position svg").inner_html() != before
    page.locator("#back").click()
    assert page.locator("#position svg").inner_html() == before
    page.locator("#log li").nth(9).click()
    assert page.locator("#count").inner_text() == f"10 / {total}"
    page.keyboard.press("End")
    assert page.locator("#now").inner_text() == DUEL.words.decision(record.replay().state)
    assert page.locator("#position svg text").count() > 50 and page.locator("#written").is_hidden()
    write_any_replay(path, record, None, answers=[(1, 0, "I <b>think</b>", ""), (1, 1, "Hm.", "late")])
    page.goto(f"{path.as_uri()}?again#1")
    told = "Fellowship writes:\nI <b>think</b>\n\nSauron writes (late):\nHm."
    assert page.locator("#written").inner_text() == told
    page.keyboard.press("ArrowRight")
    assert page.locator("#written").is_hidden()
    page.close()
    assert problems == [] and [url for url in requests if not url.startswith(("file:", "data:"))] == []
