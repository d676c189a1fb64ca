"""Tournaments and comparisons with results adjusted for luck: beside the plain ones, the same on any crew."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import rich.console

from tests.small_tournament import ALONE, HERE, SMALL
from tests.small_tournament import finished as finished
from tests.small_tournament import folder as folder
from wotr_env.play.games import game_kind
from wotr_experiments.arena import luck_store
from wotr_experiments.arena.adjusting import units
from wotr_experiments.arena.compare import compare_tournament, run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live import LiveCompare
from wotr_experiments.arena.luck_store import LUCK, LuckStore
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.result_tables import adjusted_rows, compare_rows, luck_text, teams_of
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.statistics import student_t
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.measure import LuckMethod, sources_of
from wotr_experiments.luck.report import points
from wotr_experiments.provenance import PROVENANCE, read_provenance
from wotr_experiments.reports.tournament import PAGES, REPORT, Replays, page_of, write_report

METHOD = LuckMethod("zoo/laptop", 2)
MEASURED = dataclasses.replace(SMALL, luck=METHOD)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The folder of the small tournament with luck, and its summary."""
    out = tmp_path_factory.mktemp("measured")
    return out, run_tournament(MEASURED, out, ALONE)


def without_luck(summary):
    rows = {
        name: [{key: each[key] for key in each if key != "adjusted"} for each in summary[name]]
        for name in ("results", "pairings")
    }
    return {key: rows.get(key, summary[key]) for key in summary if key != "luck"}


def test_plain_results_stay_as_they_are(measured, finished):
    _, summary = measured
    assert without_luck(summary) == json.loads((finished / "summary.json").read_text())
    assert summary["luck"]["value"] == "zoo/laptop" and summary["luck"]["again"] == 2
    first, second = (row["adjusted"] for row in summary["results"])
    assert first["plain"] + second["plain"] == pytest.approx(1)
    assert first["share"] + second["share"] == pytest.approx(1, abs=1e-5)
    assert first["interval_95"][0] < first["share"] < first["interval_95"][1]


def test_a_unit_is_a_pair_of_games_with_exchanged_sides(measured):
    """The games of a pair share their seed, so they are not two observations."""
    out, summary = measured
    with read_store(out / GAMES) as store:
        games = LuckStore(METHOD, out).fill(store.games(), store.record)
    scores, luck = units(MEASURED, games, 0)
    assert len(games) == 8 and scores.shape == (4,) and luck.shape == (4, len(sources_of(MEASURED.kind)))
    pairs = [[game for game in games if game.number // 2 == pair] for pair in range(4)]
    for pair, score, gained in zip(pairs, scores, luck, strict=True):
        first, second = sorted(pair, key=lambda game: game.number)
        assert score == (first.score(0) + second.score(1)) / 2
        assert gained == pytest.approx((np.array(first.luck)[:, 0] + np.array(second.luck)[:, 1]) / 2)
    spread = student_t(3) * scores.std(ddof=1) / 2
    plain = summary["results"][0]["adjusted"]["plain_interval_95"]
    assert plain == pytest.approx([scores.mean() - spread, scores.mean() + spread], abs=1e-4)


def test_the_time_of_the_measurement_is_told(measured):
    (session,) = read_provenance(measured[0] / PROVENANCE)
    took = session["bots"]["luck by zoo/laptop"]
    assert took["decisions"] == session["decisions"] and took["ms_per_decision"] > 0


@pytest.mark.parametrize("crew", [WorkerPool("threads", 2, HERE), WorkerPool("processes", 2, HERE)])
def test_luck_does_not_depend_on_the_workers(measured, crew):
    assert run_tournament(MEASURED, None, crew) == measured[1]


def test_luck_is_measured_later_and_kept(measured, folder):
    """Of games that were played without it; a damaged file or another method is no reason to fail."""
    out, summary = measured
    assert run_tournament(MEASURED, folder, ALONE) == summary
    assert sorted((folder / LUCK).read_text().splitlines()) == sorted((out / LUCK).read_text().splitlines())
    lines = (folder / LUCK).read_text().splitlines()
    (folder / LUCK).write_text("\n".join([lines[0], *lines[1:4], '{"pairing": 0}']) + "\n")
    assert run_tournament(MEASURED, folder, ALONE) == summary
    other = run_tournament(dataclasses.replace(MEASURED, luck=LuckMethod("zoo/laptop", 3)), folder, ALONE)
    assert other["luck"]["again"] == 3 and without_luck(other) == without_luck(summary)


def test_stored_luck_counts_only_for_its_own_game_and_survives_a_torn_line(tmp_path, monkeypatch):
    """A restored ``games.sqlite`` may hold other games; a full disk leaves half a line."""
    same = np.array([[0.25, -0.25]])
    monkeypatch.setattr(
        luck_store, "measure", lambda games, _method: [SimpleNamespace(by_source=same)] * len(games)
    )
    games = [PlayedGame(0, number, (0, 1), 7, 0, (0,), "end", "", None, "", {}, 9, "") for number in range(3)]
    known = [dataclasses.replace(game, luck=((0.5, -0.5),)) for game in games]

    def measured_of(stored):
        found = []
        filled = LuckStore(METHOD, tmp_path).fill(
            stored, lambda *place: place, lambda *count: found.append(count)
        )
        return found[-1:], [game.luck[0][0] for game in filled]

    LuckStore(METHOD, tmp_path).add(known)
    assert measured_of(games) == ([], [0.5, 0.5, 0.5])
    text = (tmp_path / LUCK).read_text()
    (tmp_path / LUCK).write_text(text[:-10])
    assert measured_of(games) == ([(1, 1)], [0.5, 0.5, 0.25])
    assert (tmp_path / LUCK).read_text().splitlines()[:3] == text.splitlines()[:3]
    others = [dataclasses.replace(games[0], seed=8), dataclasses.replace(games[1], decisions=10), games[2]]
    assert measured_of(others) == ([(2, 2)], [0.25] * 3)
    assert measured_of(others) == ([], [0.25] * 3)
    LuckStore(METHOD, tmp_path).add(known)
    assert measured_of(games) == ([], [0.5, 0.5, 0.25])
    (tmp_path / LUCK).write_text(re.sub(r'"game": "\w+", ', "", (tmp_path / LUCK).read_text()))
    assert measured_of(games) == ([(3, 3)], [0.25] * 3)  # rows of before there were marks


class Seen(LiveCompare):
    """The progress that a person sees while the luck of stored games is measured."""

    def __init__(self, tournament):
        super().__init__(tournament)
        self.pictures = []

    def measured(self, games, missing):
        super().measured(games, missing)
        self.pictures.append((games, missing, shown(self)))

    def begin(self, found):
        super().begin(found)
        self.pictures.append(shown(self))


def shown(watch):
    console = rich.console.Console(width=160, record=True, file=io.StringIO())
    console.print(watch.picture())
    return console.export_text()


def test_the_measuring_of_stored_games_shows_progress(folder, monkeypatch):
    monkeypatch.setattr(luck_store, "_TOGETHER", 3)
    watch = Seen(MEASURED)
    run_tournament(MEASURED, folder, ALONE, watch)
    *measured, begun = watch.pictures
    assert [each[:2] for each in measured] == [(0, 8), (3, 8), (6, 8), (8, 8)]
    for games, _, text in measured[:-1]:
        (line,) = (line for line in text.splitlines() if line.startswith("luck of stored games"))
        assert f" {games}/8 " in line
    assert "luck of" not in measured[-1][2] + begun and "8/8" in begun
    lines = (folder / LUCK).read_text().splitlines()
    (folder / LUCK).write_text("\n".join(lines[:6]) + "\n")  # the head, and 5 games
    again = Seen(MEASURED)
    run_tournament(MEASURED, folder, ALONE, again)
    assert [each[:2] for each in again.pictures[:-1]] == [(0, 3), (3, 3)]
    last = Seen(MEASURED)
    run_tournament(MEASURED, folder, ALONE, last)
    assert len(last.pictures) == 1  # nothing was missing


def test_a_comparison_shows_the_progress_too(tmp_path):
    plain = compare_tournament("random", "random", 4, 4, seed=1, ruleset=SMALL.ruleset)
    run_compare(plain, Sprt(0, 200), tmp_path, ALONE)
    watch = Seen(dataclasses.replace(plain, luck=METHOD))
    run_compare(watch.tournament, Sprt(0, 200), tmp_path, ALONE, watch)
    assert [each[:2] for each in watch.pictures[:-1]] == [(0, 4), (4, 4)]


def test_the_report_tells_both_scores(measured, tmp_path):
    out, summary = measured
    write_report(out, MEASURED, summary, Replays.NONE)
    page = (out / REPORT).read_text()
    assert "Adjusted for luck" in page and "with the values of zoo/laptop, " in page
    rows = adjusted_rows(summary)
    assert [row[0] for row in rows[:2]] == ["random", "random (2)"]
    assert "2 samples per random step" in luck_text(summary)
    assert adjusted_rows({key: summary[key] for key in summary if key != "luck"}) == []


def test_the_replays_of_a_tournament_have_the_luck_of_its_file(measured, tmp_path):
    out = shutil.copytree(measured[0], tmp_path / "copy")
    write_report(out, MEASURED, measured[1], Replays.ALL)
    kept = [json.loads(line) for line in (out / LUCK).read_text().splitlines()[1:]]
    assert len(kept) == 8
    for each in kept:
        page = (out / page_of(SimpleNamespace(**each))).read_text()
        total = re.search(r'<tr class="all">.*<td>(.*?)</td></tr>', page)
        assert total and total[1] == points(sum(luck[0] for luck in each["luck"]))
        assert "is replayed 2 times" in page


@pytest.mark.usefixtures("bots")
def test_a_comparison_is_decided_by_adjusted_scores(tmp_path):
    quitter = compare_tournament(
        "random", "quitter:rate=0.05", 200, 4, seed=1, ruleset=SMALL.ruleset, luck=METHOD
    )
    summary = run_compare(quitter, Sprt(0, 200), tmp_path, ALONE)
    assert summary["sprt"]["decision"] == "stronger"
    assert summary["sprt"]["llr"] >= summary["sprt"]["bounds"][1]
    assert ("decided by", "scores adjusted for luck") in compare_rows(summary)
    assert run_compare(quitter, Sprt(0, 200), tmp_path, ALONE) == summary
    assert run_compare(quitter, Sprt(0, 200), None, WorkerPool("threads", 2, HERE)) == summary


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(CommandError, match="zoo/laptop is a network for War of the Ring, not for Duel"):
        Tournament(("random", "random"), 2, game="duel", luck=METHOD)


@pytest.mark.parametrize(
    "game, rules, bots, value, replays",
    [
        ("war-of-the-ring", "first:players=3", ("scripted", "scripted:level=1"), "zoo/laptop", "none"),
        ("two-towers", "five", ("scripted", "random", "random"), "zoo/two-towers", "first"),
    ],
)
def test_drawn_seats_are_adjusted_with_equal_weight_of_teams(
    game, rules, bots, value, replays, tmp_path, capsys
):
    """Bots that are partners in one game and opponents in the next; also more than two teams, whose replays
    tell no luck."""
    arguments = ["tournament", *bots, "--games", "6", "--seats", "drawn", "--game", game, "--ruleset", rules]
    arguments += ["--workers", "1", "--seed", "5", "--luck", value, "--luck-samples", "2"]
    assert cli.main([*arguments, "--json", "--out", str(tmp_path), "--replays", replays]) == 0
    summary = json.loads(capsys.readouterr().out)
    teams = len(teams_of(summary))
    pages = [path.read_text() for path in (tmp_path / PAGES).glob("*.html")]
    assert bool(pages) == (teams > 2) and not any('id="luck"' in page for page in pages)
    seats = [each for each in summary["by_seat"] if each["bot"] != "all"]
    team_of = {seat.name: seat.team for seat in game_kind(game).find_ruleset(rules).seats}
    for row in summary["results"]:
        by_team = [[] for _ in range(teams)]
        for seat in seats:
            if seat["bot"] == row["bot"]:
                by_team[team_of[seat["seat"]]].append(seat["alone" if teams > 2 else "team_wins"]["share"])
        means = [sum(shares) / len(shares) for shares in by_team]
        assert row["adjusted"]["plain"] == pytest.approx(sum(means) / teams)
    adjusted = [row["adjusted"] for row in summary["results"]]
    assert sum(each["plain"] for each in adjusted) == pytest.approx(len(bots) / teams)
    assert any(each["share"] != each["plain"] for each in adjusted)
    assert [name for name, *_ in adjusted_rows(summary)] == [row["bot"] for row in summary["results"]]
