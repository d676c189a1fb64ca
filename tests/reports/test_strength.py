"""The picture of a bot's strength by one of its numbers."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.strength import main, read_curve

BOTS = ("random", "scripted:level=2,noise=1", "scripted:level=1,noise=0.5")


@pytest.fixture(scope="module")
def gauntlet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gauntlet")
    rules = Ruleset.first_edition(max_turns=4)
    run_tournament(Tournament(BOTS, 4, ruleset=rules, gauntlet=True), folder, WorkerPool("threads", 1))
    return folder


def test_strengths_are_in_order_of_the_number(gauntlet):
    opponent, curve = read_curve(gauntlet, "noise")
    assert opponent == "random"
    assert [each.value for each in curve] == [0.5, 1.0]
    assert all(each.results["both sides"]["games"] == 4 for each in curve)
    assert [each.value for each in read_curve(gauntlet, "level")[1]] == [1, 2]


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_the_curve_is_drawn(gauntlet, tmp_path, capsys):
    assert main([str(gauntlet), "noise", str(tmp_path / "curve.svg")]) == 0
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert "noise=0.5: " in capsys.readouterr().out


def test_what_cannot_be_drawn_is_refused(gauntlet, tmp_path):
    with pytest.raises(CommandError, match="has no number called sims"):
        read_curve(gauntlet, "sims")
    run_tournament(
        Tournament(("random", "random"), 2, ruleset=Ruleset(max_turns=1)), tmp_path, WorkerPool("threads", 1)
    )
    with pytest.raises(CommandError, match="is not a gauntlet"):
        read_curve(tmp_path, "noise")
    (tmp_path / "summary.json").write_text("[1]")
    with pytest.raises(CommandError, match="is not the summary of a tournament"):
        read_curve(tmp_path, "noise")


def test_bad_arguments_are_one_line(gauntlet, tmp_path, capsys):
    assert main(["only"]) == 2
    curve = str(tmp_path / "curve.svg")
    assert main([str(gauntlet), "noise", "curve.gif"]) == 2
    assert main([str(tmp_path / "none"), "noise", curve]) == 2
    (tmp_path / "begun").mkdir()
    assert main([str(tmp_path / "begun"), "noise", curve]) == 2
    shutil.copy(gauntlet / "games.sqlite", tmp_path / "begun")
    assert main([str(tmp_path / "begun"), "noise", curve]) == 2
    usage, *told = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: ")
    assert told[0] == "wotr: it writes .png or .svg files, not curve.gif"
    if importlib.util.find_spec("matplotlib") is not None:
        assert [line.removeprefix(f"wotr: {tmp_path}/begun ") for line in told[1:]] == [
            f"wotr: there is no folder {tmp_path / 'none'}",
            "contains no tournament",
            "is not finished; run its command again",
        ]


def test_folders_that_hold_no_curve(gauntlet, tmp_path):
    with pytest.raises(CommandError, match="there is no folder"):
        read_curve(tmp_path / "none", "noise")
    with pytest.raises(CommandError, match="contains no tournament"):
        read_curve(tmp_path, "noise")
    shutil.copy(gauntlet / "games.sqlite", tmp_path)
    with pytest.raises(CommandError, match="is not finished; run its command again"):
        read_curve(tmp_path, "noise")


def test_help_tells_what_it_needs(capsys):
    assert main(["--help"]) == 0
    assert "--gauntlet" in capsys.readouterr().out
