"""The luck of one game in words and numbers: they are the same, and add up."""

from __future__ import annotations

import json

import numpy as np
import pytest

from wotr_env import Game, GameRecord, Ruleset
from wotr_env.play.games import game_kind
from wotr_env.play.record import PUBLISHED
from wotr_experiments.cli import main as cli
from wotr_experiments.luck.measure import Method
from wotr_experiments.luck.telling import luck_of, points
from wotr_experiments.luck.values import usual_value


@pytest.fixture(scope="module")
def story():
    (record,) = GameRecord.load(PUBLISHED)
    return luck_of(record, Method(usual_value(record.kind, record.ruleset), 16))


def test_the_last_tile_of_the_published_game_was_lucky(story):
    """Of 13 tiles 7 would have won for the Shadow; the Free Peoples drew one of the 6 others."""
    assert story.method.value == "zoo/second"
    last = story.strokes[-1]
    assert (last.number, last.turn, last.source) == (len(story.record.actions) - 1, 11, "Hunt tiles")
    assert last.team == 0 and last.gained == pytest.approx(7 / 13, abs=0.25)
    assert "Hunt tile: Elven Rope" in last.words
    assert story.favoured == 0 and story.sentence().startswith("Luck gave the Free Peoples ")


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


def test_points():
    assert [points(each) for each in (0.144, -0.026, 0.004, -0.004, 1.0)] == ["+14", "-3", "0", "0", "+100"]


def test_the_usual_values_are_of_the_rules():
    kind = game_kind("war-of-the-ring")
    assert usual_value(kind, Ruleset.first_edition(max_turns=9)) == "zoo/wide"
    assert usual_value(kind, Ruleset.second_edition()) == "zoo/second"
    assert usual_value(kind, Ruleset.first_edition(players=4)) in ("zoo/wide", "zoo/second")


def test_analyse_tells_luck(tmp_path, capsys):
    game = Game(3, Ruleset.first_edition(max_turns=1))
    while not game.over:
        game.step(game.legal()[-1])
    path = tmp_path / "game.jsonl"
    path.write_text(GameRecord.from_game(game).to_json() + "\n")
    asked = ["analyse", str(path), "--bot", "scripted", "--playouts", "1", "--choices", "1", "--slips", "0"]
    assert cli.main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["luck"]
    assert told["value"] == "zoo/wide" and told["team"] == "free_peoples" and told["by_turn"]
    assert cli.main(asked) == 0
    out = capsys.readouterr().out
    assert (
        told["sentence"] in out
        and "The luck of the Free Peoples, in points of winning chance, by zoo/wide:" in out
    )
    assert cli.main([*asked, "--luck", "none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["luck"] is None
    assert cli.main([*asked, "--luck", "zoo/nothing"]) == 2
    assert "zoo/nothing" in capsys.readouterr().err
