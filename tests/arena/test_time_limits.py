"""A time limit for all bots or one for each: what is given, kept and gone on with."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.compare import compare_tournament
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.time_limits import read_time_limits
from wotr_experiments.arena.tournament import SUMMARY, run_tournament
from wotr_experiments.cli.main import main
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.text_tournament import TextTournament

MINUTES = 300.0
"""A limit for whoever answers, on however busy a machine."""
QUICK = Ruleset.first_edition(max_turns=1)
HERE = Isolation("none")
ALONE = WorkerPool("threads", 1)
BOTS = ("random", "scripted", "random")

pytestmark = pytest.mark.usefixtures("bots")


def tournament(limit, bots=BOTS[:2]):
    return Tournament(bots, 2, 1, QUICK, 2, limit)


@pytest.mark.parametrize(
    ("given", "kept", "by_place"),
    [
        (0.0, 0.0, (0.0, 0.0, 0.0)),
        (1, 1, (1, 1, 1)),
        ((1.0, 1.0, 1.0), 1.0, (1.0, 1.0, 1.0)),
        ((1.0, 0.0, 2.5), [1.0, 0.0, 2.5], (1.0, 0.0, 2.5)),
        ([1.0, 0.0, 2.5], [1.0, 0.0, 2.5], (1.0, 0.0, 2.5)),
    ],
)
def test_a_limit_is_kept_as_a_number_or_as_one_for_each_bot(given, kept, by_place):
    played = tournament(given, BOTS)
    assert json.loads(json.dumps(played.to_dict()))["time_limit"] == kept
    assert played.time_limits == by_place
    assert hash(played) == hash(tournament(given, BOTS))
    again = json.loads(json.dumps(played.to_dict()))["time_limit"]
    assert tournament(again, BOTS) == played


@pytest.mark.parametrize(
    "wrong", [-1.0, float("nan"), (1.0, -1.0), (1.0,), (1.0, 1.0, 1.0), (1.0, float("inf"))]
)
def test_a_limit_that_cannot_be_is_refused(wrong):
    with pytest.raises(CommandError, match=r"time limit must be a number of seconds|one time limit each"):
        tournament(wrong)
    with pytest.raises(
        CommandError, match=r"time limit must be a number of seconds above 0|one time limit each"
    ):
        TextTournament(BOTS[:2], 2, time_limit=wrong)


def test_a_folder_goes_on_with_the_same_limits_only(tmp_path):
    limits = (MINUTES, 2 * MINUTES)
    summary = run_tournament(tournament(limits), tmp_path, ALONE)
    assert summary["time_limit"] == [*limits] and not any(summary["all"]["forfeits"].values())
    assert json.loads((tmp_path / SUMMARY).read_text()) == summary
    assert run_tournament(tournament(limits), tmp_path, ALONE) == summary
    for other in (MINUTES, limits[::-1]):
        with pytest.raises(CommandError, match=r"its time_limit: \[300.0, 600.0\], asked for: "):
            run_tournament(tournament(other), tmp_path, ALONE)


def test_a_folder_with_one_limit_for_all_goes_on(tmp_path):
    """As it is kept since before there was one for each."""
    run_tournament(tournament(MINUTES), tmp_path, ALONE)
    with contextlib.closing(sqlite3.connect(tmp_path / GAMES)) as file:
        (kept,) = file.execute("SELECT value FROM played WHERE key = 'time_limit'").fetchone()
    assert kept == "300.0"
    assert run_tournament(tournament((MINUTES, MINUTES)), tmp_path, ALONE)["time_limit"] == MINUTES


@pytest.mark.parametrize("crew", [WorkerPool("processes", 2, HERE), WorkerPool("threads", 2, HERE), ALONE])
def test_only_the_bot_with_a_short_limit_is_late_whoever_plays(crew):
    """It sleeps for longer than it has, and the other has minutes."""
    played = Tournament(("random", "sleeper:rate=0.05"), 4, 1, QUICK, 2, (MINUTES, 0.01))
    summary = run_tournament(played, crew=crew)
    assert [row["forfeits"]["time_out"] for row in summary["results"]] == [0, 4]


def named(spec):
    if spec == "wrong":
        raise CommandError("no such bot")
    return spec.removesuffix(":")


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ([], (9.0, 9.0, 9.0)),
        (["2"], (2.0, 2.0, 2.0)),
        (["a=1"], (1.0, 9.0, 1.0)),
        (["a:=1", "2"], (1.0, 2.0, 1.0)),
        (["b:x=3,y=4=0.5", "a=0"], (0.0, 0.5, 0.0)),
    ],
)
def test_the_option_names_all_or_a_spec(given, limits):
    assert read_time_limits(given, ["a", "b:x=3,y=4", "a:"], named, common=9.0) == limits


@pytest.mark.parametrize("command", ["tournament", "compare"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x"], "--time-limit must be a number of seconds from 0, not x"),
        (["nan"], "--time-limit must be a number of seconds from 0, not nan"),
        (["1", "2"], "--time-limit is given twice"),
        (["random=x"], "--time-limit random must be a number of seconds from 0, not x"),
        (["random="], "--time-limit random must be a number of seconds from 0, not nothing"),
        (["random=-1"], "--time-limit random must be a number of seconds from 0, not -1"),
        (["random=1", "random=1"], "--time-limit random is given twice"),
        (["random=1", "random:=2"], "--time-limit random: is given twice"),
        (
            ["queller=1"],
            "--time-limit queller: no player with a time limit has this spec; known: random, scripted",
        ),
        (
            ["mcts:sims=8"],
            "--time-limit mcts:sims: no player with a time limit has this spec; known: random, scripted",
        ),
    ],
)
def test_an_option_that_cannot_be_is_told_in_a_line(command, given, words, capsys):
    options = [word for each in given for word in ("--time-limit", each)]
    assert main([command, "random", "scripted", *options]) == 2
    assert capsys.readouterr().err == f"wotr: {words}\n"


@pytest.mark.parametrize(
    ("players", "given", "words"),
    [
        (["random", "random"], "random=5", "has this spec; known: none"),
        (["random", "text:cat"], "random=5", "has this spec; known: text:cat"),
        (["random", "text:cat"], "text:cat=0", "--time-limit text:cat must be a number of seconds above 0"),
    ],
)
def test_bots_have_no_limit_in_a_tournament_in_text(players, given, words, capsys):
    assert main(["text-tournament", *players, "--time-limit", given]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_the_command_gives_each_bot_its_limit(tmp_path, capsys):
    options = ["--games", "2", "--max-turns", "1", "--workers", "1", "--json", "--out", str(tmp_path)]
    command = ["tournament", "random", "scripted", "random", *options]
    assert main([*command, "--time-limit", "400", "--time-limit", "random=300"]) == 0
    assert json.loads(capsys.readouterr().out)["time_limit"] == [300.0, 400.0, 300.0]
    assert main([*command, "--time-limit", "400", "--time-limit", "random=301"]) == 2
    assert "its time_limit: [300.0, 400.0, 300.0], asked for: [301.0" in capsys.readouterr().err


def test_a_comparison_has_them_too():
    assert compare_tournament(*BOTS[:2], 2, time_limit=(1.0, 2.0)).time_limits == (1.0, 2.0)
