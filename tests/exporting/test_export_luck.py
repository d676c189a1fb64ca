"""Luck in exports: the figures of ``wotr_experiments.luck`` for the same records, and their sums."""

from __future__ import annotations

import csv
import dataclasses
import json

import numpy as np
import pytest

from tests.networks import write_network
from tests.small_tournament import ALONE, SMALL
from wotr_env import GameRecord
from wotr_env.play.games import game_kind
from wotr_experiments.arena.luck_store import LUCK
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.data import read
from wotr_experiments.luck.measure import LuckMethod, measure

METHOD = LuckMethod("zoo/laptop", 2)
ASKED = ["--luck", "zoo/laptop", "--luck-samples", "2"]
SOURCES = {
    "set_up": "set-up",
    "action_dice": "action dice",
    "hunt_rolls": "Hunt rolls",
    "hunt_tiles": "Hunt tiles",
    "combat": "combat",
    "event_dice": "event dice",
    "cards": "cards",
    "drawn_choices": "drawn choices",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a tournament whose luck is measured."""
    out = tmp_path_factory.mktemp("tournament")
    run_tournament(SMALL, out, ALONE)
    return out


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "out"
    assert cli.main(["export", str(run), "--out", str(out), *ASKED, "--split", "0.5,0.5"]) == 0
    return out


def by_game(exported, name):
    rows = read.table(exported, name).to_pylist()
    return sorted(rows, key=lambda row: (row["game"], row.get("step", 0)))


def test_games_have_the_luck_of_their_records(exported):
    lucks = measure(read.records(exported), METHOD)
    rows = by_game(exported, "games")
    assert len(rows) == len(lucks) == 8
    for row, luck in zip(rows, lucks, strict=True):
        for team, side in enumerate(("free_peoples", "shadow")):
            found = {name: row[f"luck_{side}_{name}"] for name in SOURCES}
            places = [luck.sources.index(source) for source in SOURCES.values()]
            assert list(found.values()) == pytest.approx(luck.by_source[places, team], abs=3e-6)
            assert len(luck.sources) == len(SOURCES)
            assert row[f"luck_{side}"] == pytest.approx(sum(found.values()), abs=1e-9)
        assert row["luck_shadow"] == pytest.approx(-row["luck_free_peoples"], abs=1e-5)


def test_decisions_add_up_to_their_games(exported):
    decisions = by_game(exported, "decisions")
    lucks = measure(read.records(exported), METHOD)
    for game, luck in zip(by_game(exported, "games"), lucks, strict=True):
        own = [row for row in decisions if row["game"] == game["game"]]
        signed = [row["luck"] if row["team"] == "free_peoples" else -row["luck"] for row in own]
        whole = game["luck_free_peoples"] - game["luck_free_peoples_set_up"]
        assert sum(signed) == pytest.approx(whole, abs=1e-4)
        steps = {stage.number for stage in luck.stages}
        assert {row["step"] for row in own if row["luck"]} <= steps and len(steps) < len(own)
        last = max(luck.stages, key=lambda stage: abs(stage.luck[0]))
        of_step = sum(stage.luck[0] for stage in luck.stages if stage.number == last.number)
        assert signed[last.number] == pytest.approx(of_step, abs=1e-5)


def test_the_luck_of_a_tournament_is_that_of_its_file(run, exported):
    run_tournament(dataclasses.replace(SMALL, luck=METHOD), run, ALONE)
    kept = [json.loads(line) for line in (run / LUCK).read_text().splitlines()[1:]]
    games = {(row["pairing"], row["number"]): row for row in by_game(exported, "games")}
    assert len(kept) == len(games)
    for each in kept:
        row = games[each["pairing"], each["number"]]
        first = [row[f"luck_free_peoples_{name}"] for name in SOURCES]
        assert first == pytest.approx([luck[0] for luck in each["luck"]], abs=2e-6)


def test_the_card_tells_the_method(exported):
    card = json.loads((exported / "card.json").read_text(encoding="utf-8"))
    assert card["luck"] == METHOD.to_dict()
    assert f"zoo/laptop ({card['luck']['identity']})" in (exported / "README.md").read_text(encoding="utf-8")


def test_without_the_option_nothing_is_measured(run, tmp_path):
    assert cli.main(["export", str(run), "--out", str(tmp_path / "out")]) == 0
    card = json.loads((tmp_path / "out" / "card.json").read_text(encoding="utf-8"))
    assert card["luck"] is None
    for table in ("games", "decisions"):
        assert not [name for name in read.table(tmp_path / "out", table).column_names if "luck" in name]


def test_text_has_the_same_luck(run, exported, tmp_path):
    out = tmp_path / "csv"
    asked = ["export", str(run), "--out", str(out), *ASKED, "--format", "csv", "--tables", "games"]
    assert cli.main(asked) == 0
    with (out / "all" / "games.csv").open(newline="") as lines:
        csv.field_size_limit(2**30)
        rows = list(csv.DictReader(lines))
    for row, other in zip(rows, by_game(exported, "games"), strict=True):
        assert float(row["luck_shadow_combat"]) == other["luck_shadow_combat"]
        assert len(row["luck_free_peoples"].split(".")[-1]) <= 6


def random_game(kind, ruleset):
    game, rng = kind.game(3, ruleset), np.random.default_rng(1)
    while not game.over:
        game.step(int(rng.choice(game.legal())))
    return GameRecord.from_game(game)


def test_another_game_is_measured_by_a_network_of_its_own(tmp_path, capsys):
    kind = game_kind("duel")
    record = random_game(kind, kind.find_ruleset())
    record.save(tmp_path / "duel.jsonl")
    network = str(write_network(tmp_path, kind=kind))
    asked = ["export", str(tmp_path / "duel.jsonl"), "--out", str(tmp_path / "out")]
    assert cli.main([*asked, "--luck", network]) == 0
    (row,) = by_game(tmp_path / "out", "games")
    (luck,) = measure([record], LuckMethod(network))
    assert row["luck_sauron_cards"] == pytest.approx(luck.by_source[1, 1], abs=2e-6)
    assert row["luck_fellowship"] == pytest.approx(luck.total[0], abs=5e-6)
    capsys.readouterr()
    assert cli.main([*asked[:-1], str(tmp_path / "other"), "--luck", "zoo/laptop"]) == 2
    assert "is a network for War of the Ring, not for Duel" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_games_of_more_than_two_teams_are_refused(tmp_path, capsys):
    kind = game_kind("two-towers")
    network = str(write_network(tmp_path, kind=kind))
    for name in ("four", "two"):
        record = random_game(kind, kind.find_ruleset("four" if name == "four" else ""))
        record.save(tmp_path / f"{name}.jsonl")
        asked = ["export", str(tmp_path / f"{name}.jsonl"), "--out", str(tmp_path / name), "--luck", network]
        assert cli.main(asked) == (2 if name == "four" else 0)
    assert "luck needs games of two teams" in capsys.readouterr().err
    assert not (tmp_path / "four").exists()
    (row,) = by_game(tmp_path / "two", "games")
    (luck,) = measure(read.records(tmp_path / "two"), LuckMethod(network))
    found = [row[f"luck_{team.name}"] for team in kind.teams[:2]]
    assert found == pytest.approx(luck.total, abs=5e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--self-play", "random", "--luck", "zoo/nothing"], "zoo/nothing"),
        (["--self-play", "random", "--game", "two-towers", "--luck", "zoo/wide"], "not for The Two Towers"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, words, tmp_path, capsys):
    assert cli.main(["export", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert words in capsys.readouterr().err and not list(tmp_path.iterdir())
