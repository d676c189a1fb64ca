"""The page of every bot against every other."""

from __future__ import annotations

import json

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.tournament import SUMMARY, run_tournament
from wotr_experiments.reports.cross import main

BOTS = ("scripted", "random", "queller")
RULES = Ruleset.first_edition(max_turns=4)
ALONE = WorkerPool("threads", 1)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_counts_what_was_played(tmp_path):
    folder, path = tmp_path / "played", tmp_path / "cross.md"
    run_tournament(Tournament(BOTS, 6, 1, RULES), folder, ALONE)
    assert main([str(folder), str(path)]) == 0
    text = path.read_text()
    assert "18 games, 6 for each pair of bots" in " ".join(text.split())
    records = load_records(folder / GAMES)
    lines = text.split("## By side")[1].split("## Both sides")[0].splitlines()
    rows = [cells(line) for line in lines if line.startswith("| `")]
    assert [row[0] for row in rows] == [f"`{bot}`" for bot in BOTS]
    for row, first in zip(rows, BOTS, strict=True):
        for cell, second in zip(row[1:], BOTS, strict=True):
            if first == second:
                assert cell == "-"
                continue
            met = [record for record in records if record.players == (first, second)]
            won = sum(record.result.winner == 0 for record in met)
            assert len(met) == 3 and cell.startswith(f"{won / 3:.1%} (")
    ends = text.split("## How games ended")[1].splitlines()
    assert "decisions" not in " ".join(ends)  # the table has no such column
    assert sum(line.startswith("| `") for line in ends) == 6
    assert cells(ends[-1])[0] == "all" and cells(ends[-1])[2] == "18"


def test_what_has_no_cross_table_is_refused(tmp_path, capsys):
    out = tmp_path / "cross.md"
    run_tournament(Tournament(BOTS[:2], 2, 1, Ruleset(max_turns=1)), tmp_path / "two", ALONE)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / SUMMARY).write_text(json.dumps([1]))
    for name, words in {"two": "at least 3 bots", "other": "is not the summary", "none": "none"}.items():
        assert main([str(tmp_path / name), str(out)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line and not out.exists()
    assert main([]) == 2


@pytest.mark.usefixtures("toys")
def test_three_teams_have_none(tmp_path, capsys):
    tournament = Tournament(("leaper", "random", "random"), 6, 1, game="race", seats="drawn")
    run_tournament(tournament, tmp_path / "race", ALONE)
    assert main([str(tmp_path / "race"), str(tmp_path / "cross.md")]) == 2
    assert "played in pairs" in capsys.readouterr().err
