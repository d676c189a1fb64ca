"""Tournaments with bots in processes of their own: the same games, and only the guilty lose theirs."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.waiting import PATIENCE, eventually, eventually_by
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena import check_bot as checking
from wotr_experiments.arena import play as playing
from wotr_experiments.arena.check_bot import check_bot
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.played_games import STOPPED, PlayedGame
from wotr_experiments.arena.referee import Referee, Schedule
from wotr_experiments.arena.schedule import MOST_TURNS, Batch, Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import SUMMARY, TournamentObserver, run_tournament
from wotr_experiments.cli import bots
from wotr_experiments.cli import main as cli
from wotr_experiments.isolation.bots import Isolation

GAME = "hunt-only"
GOOD, MOVER = "hostile:nothing", "hostile:move"
HERE = Isolation("none")


def rows(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()


class Interrupted(TournamentObserver):
    def stored(self, games):
        raise KeyboardInterrupt


def test_the_same_games_here_isolated_by_more_workers_and_across_a_stop(tmp_path):
    tournament = Tournament((GOOD, "random"), 8, 3, batch=2, game=GAME)
    run_tournament(tournament, tmp_path / "here", WorkerPool("threads", 1, HERE))
    run_tournament(tournament, tmp_path / "apart", WorkerPool("threads", 2))
    with pytest.raises(KeyboardInterrupt):
        run_tournament(tournament, tmp_path / "parts", WorkerPool("threads", 1), Interrupted())
    run_tournament(tournament, tmp_path / "parts", WorkerPool("threads", 1))
    for name in ("apart", "parts"):
        assert rows(tmp_path / name) == rows(tmp_path / "here")
        assert (tmp_path / name / SUMMARY).read_bytes() == (tmp_path / "here" / SUMMARY).read_bytes()


def test_a_disqualified_bot_is_told_everywhere_and_the_others_play_on(tmp_path, capsys):
    guilty = "hostile:exit"
    arguments = ["tournament", guilty, "random", "random", "--game", GAME, "--games", "4", "--batch", "2"]
    arguments += ["--workers", "1", "--seed", "1", "--out", str(tmp_path), "--json"]
    assert cli.main(arguments) == 0
    summary = json.loads(capsys.readouterr().out)
    bots = {row["bot"]: row for row in summary["results"]}
    assert bots[guilty]["disqualified"] == {"against": ["random"], "game": 3}
    assert bots[guilty]["forfeits"]["died"] == 4
    assert bots[guilty]["forfeits"]["disqualified"] == 4
    for innocent in ("random", "random (2)"):
        assert bots[innocent]["disqualified"] is None and not any(bots[innocent]["forfeits"].values())
    games = rows(tmp_path)
    assert len(games) == 12
    messages = [cell for cell in games[0] if isinstance(cell, str) and "process ended" in cell]
    where = f"(bot {guilty}, game 1, step "
    assert messages and where in messages[0] and ": Position" not in messages[0]
    sentence = f"{guilty} was disqualified after game 3 against random: it forfeited 3 games in a row"
    assert sentence in (tmp_path / "report.html").read_text()
    assert cli.main(arguments[:-1]) == 0
    assert sentence in " ".join(capsys.readouterr().out.split())


def test_a_relative_folder_stays_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["tournament", MOVER, "random", "--game", GAME, "--games", "2", "--workers", "1"]
    assert cli.main([*arguments, "--isolate", "none", "--out", "here"]) == 0
    assert os.getcwd() == "/"
    assert (tmp_path / "here" / "report.html").exists()
    capsys.readouterr()


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from wotr_experiments.cli.main import main
sys.exit(main())
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
def test_ctrl_c_ends_bots_that_hang(tmp_path):
    arguments = ["tournament", "hostile:hang", "random", "--game", GAME, "--games", "8", "--workers", "2"]
    environment = {**os.environ, "MARK": str(tmp_path)}
    run = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wanted = 4 + 2 * 2  # two workers, what they are forked from and what watches over it; keepers, bots
    assert eventually_by(run, lambda: len(marked(tmp_path)) >= wanted, "two bots that hang")
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    assert run.communicate(timeout=PATIENCE)[1].endswith(b"wotr: stopped\n")
    assert run.returncode == 130
    eventually(lambda: not marked(tmp_path), "the end of all processes")


def marked(path):
    """The processes that were started below a marked one, and have not ended."""
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{number}/environ", "rb") as file:
            if f"MARK={path}".encode() in file.read():
                found.add(int(number))
    return found


# --- The referee, without any process. ---


def forfeited(number, place, kind="crash", pairing=0):
    players = (0, 1) if number % 2 == 0 else (1, 0)
    quitter = None if place is None else players.index(place)
    forfeit = "" if place is None else kind
    return PlayedGame(
        pairing, number, players, 0, WAR_OF_THE_RING.draw, (), "", forfeit, quitter, "", {}, 0, ""
    )


@pytest.mark.parametrize(
    ("losers", "out"),
    [
        ([1, 1, 1, None], {1: (0, 2)}),
        ([1, 1, None, 1, 1], {}),
        ([1, 0, 1, 1], {}),
        ([0, 0, 0, 1, 1, 1], {0: (0, 2), 1: (0, 5)}),
    ],
)
def test_three_in_a_row_are_too_many(losers, out):
    referee = Referee(2)
    referee.add(forfeited(number, place) for number, place in enumerate(losers))
    assert referee.out == out


def test_illegal_actions_only_lose_their_games():
    referee = Referee(2)
    referee.add(forfeited(number, 1, "illegal") for number in range(9))
    assert not referee.out


def test_a_batch_that_was_begun_too_early_is_played_again():
    tournament = Tournament(("random", "random"), 8, 1, batch=2)
    todo = [Batch(0, first, 2) for first in (0, 2, 4, 6)]
    dropped = []
    schedule = Schedule(tournament, [], todo, dropped.append)
    given = list(schedule)
    assert given == todo
    lost = {batch: [forfeited(number, 1) for number in batch.numbers] for batch in todo}
    assert not list(schedule.take(given[2], lost[todo[2]]))
    assert not list(schedule.take(given[1], lost[todo[1]]))
    assert len(list(schedule.take(given[0], lost[todo[0]]))) == 2  # out after game 3
    assert dropped == [-2]
    again = next(schedule)
    assert again == Batch(0, 4, 2, out=(1,))
    assert len(list(schedule.take(again, lost[todo[2]]))) == 1
    assert list(schedule) == []
    assert not list(schedule.take(given[3], lost[todo[3]]))
    assert list(schedule) == [Batch(0, 6, 2, out=(1,))]


def test_a_run_that_goes_on_knows_who_is_out():
    tournament = Tournament(("random", "random"), 8, 1, batch=2)
    there = [forfeited(number, 1) for number in range(4)]
    assert next(Schedule(tournament, there, [Batch(0, 4, 2)])).out == (1,)


# --- Games end. ---


def test_games_have_a_turn_limit_by_default():
    assert Tournament(("random", "random"), 2).ruleset.max_turns == MOST_TURNS


def test_an_endless_game_is_stopped_and_a_draw(monkeypatch, tmp_path):
    monkeypatch.setattr(playing, "MOST_DECISIONS", 3)
    summary = run_tournament(Tournament(("random",) * 2, 8, 1, game=GAME), tmp_path, WorkerPool("threads", 1))
    assert summary["all"]["stopped"] == summary["all"]["draws"] > 0
    assert STOPPED in {cell for row in rows(tmp_path) for cell in row}
    assert not any(summary["all"]["forfeits"].values())


# --- What check-bot sees. ---


def test_check_bot_says_that_a_bot_has_not_answered_yet(monkeypatch):
    monkeypatch.setattr(checking, "_SILENCE", 0.2)
    said = []
    isolation = Isolation(watchdog=1.0)
    (found, *_) = check_bot("hostile:sleep", 2, 3, game=GAME, isolation=isolation, on_silence=said.append)
    assert said[0].startswith("bot hostile:sleep has not answered for 0.2 s (game 1 and 1 others, step 1: ")
    assert said[0].endswith("; it will be stopped after 1.1 s (--watchdog 1)")
    assert "has not answered for 0.4 s" in said[1]
    assert not found.passed and found.found.startswith("no answer in 1.1 s (game 1 and 1 others, step 1: ")
    assert inspect.signature(bots.check_bot_command).parameters["watchdog"].default == 60


def test_warnings_about_other_packages_are_nothing_that_the_bot_prints(tmp_path):
    broken = tmp_path / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[wotr.bots]\nbroken = no_such_module:BOT\n")
    found = {check.name: check for check in check_bot(GOOD, 2, 3, game=GAME)}
    assert found["prints"].found.startswith("0 bytes")


def test_a_bot_that_guesses_seeds_prints_and_tampers_is_told():
    found = {check.name: check for check in check_bot("hostile:sins", 2, 3, game=GAME)}
    assert not found["tries no seeds"].passed
    assert "may search for the seed of the game" in found["tries no seeds"].found
    assert found["fair"].passed  # which alone would not have shown it
    assert not found["changes no array"].passed
    assert "bytes; its output is discarded; the last lines: " in found["prints"].found
