"""Replay pages of games without a page of their own: the drawings, the log, and what a seat's page hides."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from tests.replays import frames_of, game_json
from wotr_env import GameRecord
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Tone
from wotr_env.core.shapes import element
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.files import write_text
from wotr_experiments.reports.replay_page import replay_data, replay_page

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


def shown(data: dict, frame: dict) -> list[str]:
    """The shapes of a position of ``replay_data``."""
    return [data["elements"][place] for place in frame["shapes"]]


def chapters_of(data: dict) -> list[int]:
    """The positions in which a chapter begins."""
    tones = [[data["tones"][line[0]] for line in lines] for _, lines, _ in data["steps"]]
    return [at for at, each in enumerate(tones, start=1) if Tone.TURN in each]


def test_every_position_is_the_drawing_of_its_viewer(record):
    for viewer in (None, PUBLIC, 0, 1):
        data = replay_data(record, viewer)
        frames = frames_of(json.loads(json.dumps(data)))
        assert len(frames) == len(record.actions) + 1
        for at in (0, 20, len(record.actions)):
            state = record.replay(at).state
            assert shown(data, frames[at]) == drawn(state, viewer)
            assert frames[at]["decision"] == DUEL.words.decision(state)
            assert frames[at]["over"] == (at == len(record.actions))


def test_the_log_has_the_sentences_of_each_step(record):
    data = replay_data(record, 0)
    for number, (seat, lines, _) in enumerate(data["steps"]):
        state = record.replay(number).state
        told = DUEL.step_of(state, record.actions[number], 0).sentences
        assert seat == state["seat"]
        assert [(data["tones"][tone], data["words"][place]) for tone, _, place, *_ in lines] == [
            (sentence.tone, sentence.text) for sentence in told
        ]


def test_the_page_of_a_seat_holds_neither_the_record_nor_what_is_hidden(record):
    everything, seen = (replay_data(record, viewer) for viewer in (None, 0))
    assert len(everything["elements"]) > len(seen["elements"])
    page = replay_page(record, 0)
    assert "seed" not in json.dumps(seen) and record.hash not in page
    frames = frames_of(seen)
    first = shown(seen, frames[0])
    hidden = set(drawn(record.replay(0).state, None)) - set(drawn(record.replay(0).state, 0))
    assert hidden and not hidden & set(first)
    worlds = np.array([record.replay(5).state] * 4, dtype=DUEL.state)
    DUEL.kernels.sample_worlds(worlds, np.zeros(4, dtype=np.int64), np.arange(4))
    fifth = shown(seen, frames[5])
    for world in worlds:
        assert drawn(world, 0) == fifth


def test_names_of_players_are_text(record):
    page = replay_page(record, None)
    assert "</script><b>" not in page and "&lt;/script&gt;&lt;b&gt;" in page
    assert json.loads(game_json(page)) == {**replay_data(record, None), "ended": "", "curves": []}


def test_the_command_writes_pages(record, tmp_path, capsys):
    games, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    record.save(games)
    assert cli.main(["replay", str(games), "--html", str(page), "--eyes", "sauron"]) == 0
    assert page.read_text(encoding="utf-8") == replay_page(record, 1)
    assert cli.main(["replay", str(games), "--html", str(page), "--eyes", "gandalf"]) == 2
    assert "fellowship, sauron" in capsys.readouterr().err


def test_the_page_of_a_seat_has_what_that_seat_wrote(record):
    answers = [(0, 0, "I take it", ""), (1, 1, "secret", "illegal"), (1, 1, "[pass]", "")]
    whole = {0: [[0, "I take it", ""]], 1: [[1, "secret", "illegal"], [1, "[pass]", ""]]}
    assert replay_data(record, None, answers=answers)["answers"] == whole
    assert replay_data(record, 0, answers=answers)["answers"] == {0: whole[0]}
    assert replay_data(record, PUBLIC, answers=answers)["answers"] == {}
    assert "secret" in replay_page(record, 1, answers=answers)
    assert "secret" not in replay_page(record, 0, answers=answers)


@pytest.mark.slow
def test_the_page_in_a_browser(browser, record, tmp_path):
    path, problems, requests = tmp_path / "page.html", [], []
    write_text(path, replay_page(record, 0))
    page = new_page(browser, viewport={"width": 1280, "height": 800})
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    total = len(record.actions)
    assert page.locator("#count").inner_text() == f"0 / {total}"
    assert page.locator("#eyes").inner_text().split() == ["Seen", "by", DUEL.find_ruleset().seats[0].title]
    before = page.locator("#map svg").inner_html()
    page.keyboard.press("ArrowRight")
    assert page.locator("#count").inner_text() == f"1 / {total}"
    assert page.locator("#map svg").inner_html() != before
    page.locator("#back").click()
    assert page.locator("#map svg").inner_html() == before
    page.locator("#log .choices [data-at='10'], #log .head[data-at='10']").first.click()
    assert page.locator("#count").inner_text() == f"10 / {total}"
    page.keyboard.press("End")
    assert page.locator("#now").inner_text().endswith(DUEL.words.decision(record.replay().state))
    chapters = chapters_of(replay_data(record, 0))
    page.keyboard.press("PageUp")
    assert page.locator("#count").inner_text() == f"{chapters[-1]} / {total}"
    assert page.locator("#when").inner_text().strip() == f"Chapter {len(chapters) + 1}"
    assert page.locator("#map svg text").count() > 50 and page.locator("#written").is_hidden()
    write_text(path, replay_page(record, None, answers=[(1, 0, "I <b>think</b>", ""), (1, 1, "Hm.", "late")]))
    page.goto(f"{path.as_uri()}?again#1")
    told = "Fellowship writes:\nI <b>think</b>\n\nSauron writes (late):\nHm."
    assert page.locator("#written").inner_text() == told
    page.keyboard.press("ArrowRight")
    assert page.locator("#written").is_hidden()
    page.close()
    assert problems == [] and [url for url in requests if not url.startswith(("file:", "data:"))] == []
