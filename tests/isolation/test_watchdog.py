"""Bots that never answer, without a time limit: they lose their games, or end the play in a line."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from wotr_experiments.arena import engines, watchdog
from wotr_experiments.arena.games import play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import WATCHDOG, Bots, Isolation

GAME = "hunt-only"
HANG = "hostile:hang,seat=1"
"""Hangs as the Eye, whatever alarms ring."""
HERE = Isolation("none", watchdog=0.2)


def tournament(bot, games=4):
    return Tournament((bot, "random"), games, 1, batch=2, game=GAME)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(watchdog, "GRACE", 0.2)
    monkeypatch.setattr(engines, "LOOK_AGAIN", 0.05)


def played_by(engine, games, isolation=HERE):
    """The games of a tournament with a bot that hangs, in their order."""
    ended = []
    todo = [Batch(0, first, 2) for first in range(0, games, 2)]
    found = engine(tournament(HANG, games), iter(todo), len(todo), isolation, ended.append)
    by_batch = dict(found)
    assert sum(ended) == games
    return [game for batch in todo for game in by_batch[batch]]


def check_lost_as_the_eye_only(games, at_once=1):
    for game in games:
        guilty = game.players[1] == 0
        assert (game.forfeit, game.forfeited_by) == (("time_out", 0) if guilty else ("", None))
        if guilty:
            where = f"(bot {HANG}, game {game.number + 1}, step {game.decisions + 1}: "
            assert game.message.startswith(f"no answer in 0.2 s for {at_once} at once {where}")


def test_in_threads_one_that_hangs_is_left_behind(impatient):
    check_lost_as_the_eye_only(played_by(engines._play_in_threads, 4))


def test_a_worker_that_hangs_is_ended_and_its_games_played_again(impatient):
    """The same games as in threads."""
    games = played_by(engines._play_in_processes, 2)
    check_lost_as_the_eye_only(games)
    assert games == played_by(engines._play_in_threads, 2)


def test_in_a_process_of_its_own_it_is_ended_by_the_clock_of_the_arena():
    isolation = Isolation(watchdog=0.2)
    with Bots(isolation) as bots:
        check_lost_as_the_eye_only(play(tournament(HANG), Batch(0, 0, 2), bots=bots))


def test_with_an_alarm_it_is_stopped_at_once():
    start = time.monotonic()
    with Bots(HERE) as bots:
        games = play(tournament("hostile:sleep"), Batch(0, 0, 2), bots=bots)
    assert time.monotonic() - start < 5
    assert {(game.forfeit, game.forfeited_by) for game in games} == {("time_out", 0)}


def test_the_alarm_of_somebody_else_is_left_alone():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with Bots(HERE) as bots:
            play(tournament("hostile:nothing"), Batch(0, 0, 2), bots=bots)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


COMMAND = """
import sys
from wotr_experiments.arena import watchdog
from wotr_experiments.cli.main import main
watchdog.GRACE = 0.2
sys.exit(main())
"""


def test_where_nothing_can_stop_it_the_play_ends_in_a_line(tmp_path):
    arguments = ["tournament", HANG, "random", "--game", GAME, "--games", "4", "--seed", "1"]
    arguments += ["--workers", "1", "--isolate", "none", "--watchdog", "0.2", "--out", str(tmp_path)]
    run = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, timeout=120)
    assert run.returncode == 2
    lines = run.stderr.decode().split("\n")
    told = f"wotr: bot {HANG} does not answer and cannot be stopped (game "
    assert [line for line in lines if line.startswith(told) and ", step " in line]
    assert not any("Traceback" in line for line in lines)


def test_many_at_once_have_longer():
    isolation = Isolation()
    assert isolation.patience(1) == WATCHDOG >= 600
    assert isolation.patience(256) == pytest.approx(26.5 * WATCHDOG)
    assert Isolation(watchdog=0).patience(256) == 0


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf"), 1e7])
def test_a_watchdog_that_cannot_be_is_refused(wrong):
    with pytest.raises(
        CommandError, match="^the watchdog is a number of seconds from 0 .none. to 1e.06, not"
    ):
        Isolation(watchdog=wrong)
