"""Luck in a study: the figures are those of the records, they add up, and the pages show them."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.luck_store import LUCK
from wotr_experiments.arena.played_games import rounded_luck
from wotr_experiments.arena.store import load_records
from wotr_experiments.arena.tournament import TournamentObserver
from wotr_experiments.cli.main import main
from wotr_experiments.games.war_of_the_ring.reports.study.luck import luck_blocks
from wotr_experiments.games.war_of_the_ring.study.luck import ALL, luck_statistics
from wotr_experiments.games.war_of_the_ring.study.sides import FixedSidesTournament, play_sides
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.luck.adjusted import adjust
from wotr_experiments.luck.measure import LuckMethod, measure, sources_of

GAMES = 8
METHOD = LuckMethod("zoo/laptop", 2)
ALONE = WorkerPool("threads", 1, Isolation("none"))
SIDES = FixedSidesTournament(("scripted", "scripted"), GAMES, 5, Ruleset.first_edition(max_turns=12), batch=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Games played without luck, and then measured."""
    out = tmp_path_factory.mktemp("study")
    play_sides(SIDES, out, ALONE, TournamentObserver())
    assert not (out / LUCK).exists()
    return out


@pytest.fixture(scope="module")
def games(folder):
    return play_sides(dataclasses.replace(SIDES, luck=METHOD), folder, ALONE, TournamentObserver())


@pytest.fixture(scope="module")
def figures(games):
    return json.loads(json.dumps(luck_statistics(games, METHOD)))


def test_the_figures_are_those_of_the_records(folder, games, figures):
    luck = np.array([rounded_luck(each) for each in measure(load_records(folder / "games.sqlite"), METHOD)])
    names = sources_of(SIDES.kind)
    winners = [game.winner for game in games]
    scores = np.array([(1.0, 0.0, 0.5)[winner] for winner in winners])
    assert {0, 1} <= set(winners)
    adjusted = adjust(scores, luck[:, :, 0])
    assert figures["adjusted"]["plain"] == scores.mean()
    assert figures["adjusted"]["share"] == pytest.approx(adjusted.share, abs=1e-4)
    assert figures["adjusted"]["interval_95"] == pytest.approx(adjusted.interval_95, abs=1e-4)
    for team, side in enumerate(("free_peoples", "shadow")):
        for which, some in (
            ("all", [True] * GAMES),
            ("won", [winner == team for winner in winners]),
            ("lost", [winner == 1 - team for winner in winners]),
        ):
            own = luck[np.array(some)][:, :, team]
            told = figures["sides"][side]
            assert list(told) == [*names, ALL]
            means = [told[name][which]["mean"] for name in names]
            assert means == pytest.approx(own.mean(axis=0), abs=1e-5)
            assert told[ALL][which]["mean"] == pytest.approx(sum(means))
            assert told[ALL][which]["games"] == sum(some)
    favoured = sum(luck[place, :, winner].sum() > 0 for place, winner in enumerate(winners) if winner < 2)
    assert (figures["favoured"]["count"], figures["favoured"]["games"]) == (
        favoured,
        sum(winner < 2 for winner in winners),
    )
    assert figures["spread"]["Hunt tiles"] == pytest.approx(
        luck[:, names.index("Hunt tiles"), 0].std(), abs=1e-5
    )
    assert figures["value"] == "zoo/laptop" and figures["again"] == 2


def test_what_one_side_gains_the_other_loses(figures):
    first, second = figures["sides"]["free_peoples"], figures["sides"]["shadow"]
    for name in first:
        assert first[name]["won"]["mean"] == pytest.approx(-second[name]["lost"]["mean"], abs=1e-5)
        assert first[name]["lost"]["mean"] == pytest.approx(-second[name]["won"]["mean"], abs=1e-5)


def test_the_games_do_not_change(tmp_path, folder, games):
    """Played with luck from the start, they are the same, with the same luck."""
    played = play_sides(dataclasses.replace(SIDES, luck=METHOD), tmp_path, ALONE, TournamentObserver())
    assert played == games
    np.testing.assert_allclose([game.luck for game in played], [game.luck for game in games], atol=2e-6)
    assert load_records(tmp_path / "games.sqlite") == load_records(folder / "games.sqlite")


def test_the_pages_show_the_figures(figures):
    _, results, sentence, table, plots = luck_blocks({"luck": figures})
    adjusted = figures["adjusted"]
    (row,) = results.rows
    assert row[0].startswith(f"{adjusted['plain']:.1%} (") and row[1].startswith(f"{adjusted['share']:.1%} (")
    assert f"{figures['favoured']['share']:.1%}" in sentence
    assert [row[0] for row in table.rows] == [name for name, spread in figures["spread"].items() if spread]
    *_, last = table.rows
    own = figures["sides"]["free_peoples"][ALL]
    assert last[0] == ALL and last[2].split(" ± ")[0] == f"{100 * own['won']['mean']:+.1f}"
    assert last[5].split(" ± ")[0] == f"{100 * figures['sides']['shadow'][ALL]['lost']['mean']:+.1f}"
    assert not any(cell.startswith(("-0.0", "+0.0")) for row in table.rows for cell in row)
    assert plots[0].svg.count("<title>Hunt tiles, ") == 4  # two winners, in two widths


def test_sides_that_never_won_have_no_mean(games):
    lost = [dataclasses.replace(game, winner=1) for game in games]
    found = luck_statistics(lost, METHOD)
    assert found["sides"]["free_peoples"][ALL]["won"]["mean"] is None
    *_, table, plots = luck_blocks({"luck": found})
    assert table.rows[-1][2] == "-" and plots[0].svg.count("<title>Hunt tiles, ") == 2


def test_the_command_measures_luck(tmp_path, capsys):
    asked = ["study", "random", "--games", "4", "--seed", "2", "--max-turns", "2", "--workers", "1"]
    asked += ["--isolate", "none", "--out", str(tmp_path / "run"), "--option", "dwarf_setup"]
    assert main(asked) == 0
    plain = json.loads((tmp_path / "run" / "figures.json").read_text(encoding="utf-8"))
    assert "luck" not in plain and 'id="luck"' not in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert main([*asked, "--luck", "zoo/laptop", "--luck-samples", "2"]) == 0
    study = json.loads((tmp_path / "run" / "figures.json").read_text(encoding="utf-8"))
    assert study["luck"]["value"] == "zoo/laptop" and study["luck"]["again"] == 2
    command = plain["command"].replace(" --option", " --luck zoo/laptop --luck-samples 2 --option")
    assert study["command"] == command
    assert {key: study[key] for key in plain if key != "command"} == {
        key: plain[key] for key in plain if key != "command"
    }
    assert 'id="luck"' in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "## Luck\n" in (tmp_path / "run" / "study.md").read_text("utf-8")
    assert not list((tmp_path / "run" / "options").rglob(LUCK))
    capsys.readouterr()
    assert main([*asked, "--luck", "zoo/nothing"]) == 2
    assert "zoo/nothing" in capsys.readouterr().err
