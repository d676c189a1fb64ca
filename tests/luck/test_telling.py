"""The luck of one game in words and numbers: they are the same, and add up."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from wotr_env import Game, GameRecord, Ruleset
from wotr_env.play.games import game_kind
from wotr_env.play.record import PUBLISHED
from wotr_experiments.cli import main as cli
from wotr_experiments.luck.measure import SET_UP
from wotr_experiments.luck.report import luck_of, method_of, points
from wotr_experiments.luck.values import default_value_network


@pytest.fixture(scope="module")
def story():
    (record,) = GameRecord.load(PUBLISHED)
    return luck_of(record, method_of(None, record.kind, record.ruleset))


def test_the_last_tile_of_the_published_game_was_lucky(story):
    """Of 13 tiles 7 would have won for the Shadow; the Free Peoples drew one of the 6 others."""
    assert story.method.value == "zoo/second"
    last = story.strokes[-1]
    assert (last.number, last.turn, last.source) == (len(story.record.actions) - 1, 11, "Hunt tiles")
    assert last.team == 0 and last.gained == pytest.approx(7 / 13, abs=0.25)
    assert "Hunt tile: Elven Rope" in last.words
    assert story.favoured == 0 and story.sentence().startswith("Luck gave the Free Peoples ")


def test_the_guide_tells_the_luck_of_the_published_game(story):
    guide = " ".join((Path(__file__).parents[2] / "docs" / "luck.md").read_text(encoding="utf-8").split())
    assert story.sentence() in guide
    largest = max(story.strokes, key=lambda stroke: stroke.gained)
    assert f"The largest stroke, {points(largest.gained)} points, is the last Hunt tile" in guide


def test_what_is_told_adds_up(story):
    told = story.to_dict()
    assert told["total"] == pytest.approx(sum(told["by_source"].values()))
    rows = np.array([[row[source] for source in list(told["by_source"])[1:]] for row in told["by_turn"]])
    np.testing.assert_allclose(rows.sum(axis=0), list(told["by_source"].values())[1:], atol=1e-9)
    assert [row["turn"] for row in told["by_turn"]] == sorted({row["turn"] for row in told["by_turn"]})
    sizes = [stroke.gained for stroke in story.strokes]
    assert min(sizes) > 0 and len(sizes) == 5
    others = sorted((abs(stage.luck[0]) for stage in story.luck.stages), reverse=True)
    assert sorted(sizes, reverse=True) == pytest.approx(others[:5])
    assert json.loads(json.dumps(told))["sentence"] == story.sentence()


def test_the_table_and_the_course_add_up(story):
    heads, rows = story.table()
    told = np.array([row for name, row in rows.items() if name != "all"])
    np.testing.assert_allclose(told.sum(axis=0), rows["all"], atol=1e-9)
    turns = [row for name, row in rows.items() if name not in ("all", SET_UP)]
    np.testing.assert_allclose([row[:-1].sum() for row in turns], [row[-1] for row in turns], atol=1e-9)
    assert heads[-1] == "all" and rows["all"][-1] == pytest.approx(story.luck.total[0])
    by_source = dict(zip(story.luck.sources, story.luck.by_source[:, 0], strict=True))
    assert dict(zip(heads[:-1], rows["all"], strict=False)) == pytest.approx(
        {name: by_source[name] for name in heads[:-1]}
    )
    course = story.so_far()
    assert course.unit == "turn" and course.at.tolist() == list(range(12))
    assert course.total[0] == pytest.approx(story.luck.set_up[0])
    for turn in story.turns:
        assert course.total[turn] - course.total[turn - 1] == pytest.approx(rows[str(turn)][-1])
    assert course.total[-1] == pytest.approx(story.luck.total[0])
    assert {name: luck[-1] for name, luck in course.by_source.items()} == pytest.approx(
        {name: luck for name, luck in by_source.items() if name != SET_UP}
    )


def test_a_game_without_turns_is_told_by_decisions(story):
    """The record is of War of the Ring; only its luck is as in a game without turns."""
    stages = tuple(stage._replace(turn=-1) for stage in story.luck.stages)
    timeless = dataclasses.replace(story, luck=dataclasses.replace(story.luck, stages=stages))
    _, rows = timeless.table()
    assert [name for name in rows if name != SET_UP] == ["game", "all"]
    course = timeless.so_far()
    assert course.unit == "decision" and course.at[-1] == len(story.record.actions)
    assert course.at.tolist() == sorted({0, *(stage.number + 1 for stage in stages)})
    assert course.total[-1] == pytest.approx(story.luck.total[0])


def test_points():
    assert [points(each) for each in (0.144, -0.026, 0.004, -0.004, 1.0)] == ["+14", "-3", "0", "0", "+100"]


def test_the_usual_values_are_of_the_rules():
    kind = game_kind("war-of-the-ring")
    assert default_value_network(kind, Ruleset.first_edition(max_turns=9)) == "zoo/wide"
    assert default_value_network(kind, Ruleset.second_edition()) == "zoo/second"
    assert default_value_network(kind, Ruleset.first_edition(players=4)) in ("zoo/wide", "zoo/second")


def test_analyse_tells_luck(tmp_path, capsys):
    game = Game(3, Ruleset.first_edition(max_turns=1))
    while not game.over:
        game.step(game.legal()[-1])
    path = tmp_path / "game.jsonl"
    path.write_text(GameRecord.from_game(game).to_json() + "\n")
    asked = ["analyse", str(path), "--bot", "scripted", "--playouts", "1", "--choices", "1", "--slips", "0"]
    assert cli.main([*asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["bots"][0]["sentence"] is None and printed["bots"][0]["slips"] == []
    told = printed["luck"]
    assert told["value"] == "zoo/wide" and told["team"] == "free_peoples" and told["by_turn"]
    assert cli.main(asked) == 0
    out = capsys.readouterr().out
    assert (
        told["sentence"] in out
        and "ostly choice" not in out
        and "The luck of the Free Peoples, in points of winning chance, by zoo/wide:" in out
    )
    assert cli.main([*asked, "--luck", "none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["luck"] is None
    assert cli.main([*asked, "--luck", "zoo/nothing"]) == 2
    assert "zoo/nothing" in capsys.readouterr().err


def test_sides_have_their_article_within_a_sentence():
    told = {
        game: [team.with_article for team in game_kind(game).teams[:2]]
        for game in ("war-of-the-ring", "duel", "two-towers")
    }
    assert told["war-of-the-ring"] == ["the Free Peoples", "the Shadow"]
    assert told["duel"] == ["the Fellowship", "Sauron"]
    assert told["two-towers"] == ["Player 1", "Player 2"]
