"""A record with outcomes of chance in every command and page: the published game, as one of a user's own."""

from __future__ import annotations

import json

import pytest

from tests.web_tables import server
from wotr_env import GameRecord
from wotr_env.core.codes import PUBLIC
from wotr_env.play.record import PUBLISHED
from wotr_env.play.replaying import verify_records
from wotr_experiments.analysis.games import decision_positions, played_line
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.replay import position_lines
from wotr_experiments.data import read
from wotr_experiments.games.war_of_the_ring.study.event_history import event_histories
from wotr_experiments.reports.replay_page import replay_data

(RECORD,) = GameRecord.load(PUBLISHED)


def run(capsys, *arguments):
    assert cli.main(list(arguments)) == 0
    return capsys.readouterr().out


def test_it_is_replayed_by_its_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "free peoples by ring destroyed in turn 11" in run(capsys, "replay", "published")
    assert "Fellowship" in run(capsys, "replay", "published", "--at", "300")
    told = json.loads(run(capsys, "replay", "published", "--json"))
    assert [row["action"] for row in told["decisions"]] == RECORD.replay().moves()
    text = run(capsys, "replay", "published", "--text")
    assert GameRecord.from_text(text) == [RECORD]
    lines = run(capsys, "replay", "published", "--positions").splitlines()
    assert json.loads(lines[-1])["position"]["fellowship"]["corruption"] == 11
    (tmp_path / "published").write_text(
        RECORD.to_json().replace('"Free Peoples"', '"mine"'), encoding="utf-8"
    )
    (mine,) = GameRecord.from_text(run(capsys, "replay", "published", "--text"))
    assert mine.players == ("mine", "Shadow"), "a file of that name comes first"


def test_pages_show_it():
    data = replay_data(RECORD, None)
    assert len(data["steps"]) == len(RECORD.actions)
    assert any("Elven Rope" in words for words in data["words"]), "the last tile"
    assert len(replay_data(RECORD, PUBLIC)["steps"]) == len(list(position_lines(RECORD, PUBLIC))) - 1


def test_it_is_exported_and_read_back(capsys, tmp_path):
    run(capsys, "export", "published", "--out", str(tmp_path / "data"))
    (back,) = read.records(tmp_path / "data")
    assert back == RECORD


def test_many_are_verified_together():
    verify_records([RECORD, RECORD])
    (course,) = event_histories([RECORD])
    assert course.decisions == len(RECORD.actions)


def test_positions_for_bots_hold_no_outcomes_to_come():
    for number, state, _ in decision_positions(RECORD, every=False):
        assert state["tape_length"] == 0, number
    number = RECORD.tapes[0][0]
    (state, action), *_ = played_line(RECORD, number)
    assert (action, int(state["tape_length"])) == (RECORD.actions[number], len(RECORD.tapes[0][1]))


def test_the_analysis_board_follows_it_and_leaves_it(tmp_path):
    pytest.importorskip("starlette", reason="needs the extra web")
    with server(tmp_path) as asks:
        opened = asks.post("/api/study/open", json={"record": RECORD.to_json()}).json()
        line = {"start": opened["start"], "actions": opened["actions"]}
        last = asks.post("/api/study/position", json={**line, "number": len(RECORD.actions)}).json()
        assert last["result"]["reason"] == "ring_destroyed"
        number = RECORD.tapes[1][0]
        game = RECORD.replay(number)
        other = next(action for action in game.legal() if action != RECORD.actions[number])
        line["actions"] = [*RECORD.actions[:number], other]
        left = asks.post("/api/study/position", json={**line, "number": number + 1}).json()
        assert left["legal"] or left["result"], left
