"""Bots that never answer, without a time limit: they lose their games, or end the play in a line."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.clocks import LONG, HandClock, clock_of, never
from wotr_experiments.arena import engines
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.watchdog import GRACE, BotCall, PendingCall
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation import process
from wotr_experiments.isolation.bots import WATCHDOG, Bots, Isolation

GAME = "hunt-only"
MINUTES = 300.0
"""In which whoever answers does, on however busy a machine; who hangs moves the clock by more."""
HERE = Isolation("none", watchdog=MINUTES)
IMPATIENT = Isolation("none", watchdog=0.2)


@pytest.fixture
def hangs(tmp_path):
    """The spec of a bot that hangs as the Eye, whatever alarms ring, and moves the clock of ``clock``."""
    return f"hostile:hang,path={tmp_path / 'ticks'},seat=1"


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """Watched by all who wait here for an answer, and looked at often."""
    clock = clock_of(tmp_path / "ticks")
    monkeypatch.setattr(PendingCall.__init__, "__kwdefaults__", {"clock": clock, "paused": never})
    monkeypatch.setattr(engines, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(process, "_LONGEST_WAIT", 0.05)
    return clock


def tournament(bot, games=4, **options):
    return Tournament((bot, "random"), games, 1, batch=2, game=GAME, **options)


def tournament_definition(engine, hangs, games):
    """The games of a tournament with a bot that hangs, in their order, played by one worker at a time."""
    ended = []
    todo = [Batch(0, first, 2) for first in range(0, games, 2)]
    found = engine(tournament(hangs, games), iter(todo), 1, HERE, ended.append)
    by_batch = dict(found)
    assert sum(ended) == games
    return [game for batch in todo for game in by_batch[batch]]


def check_lost_as_the_eye_only(games, hangs):
    for game in games:
        guilty = game.players[1] == 0
        assert (game.forfeit, game.forfeited_by) == (("time_out", 0) if guilty else ("", None))
        if guilty:
            where = f"(bot {hangs}, game {game.number + 1}, step {game.decisions + 1}: "
            assert game.message.startswith(f"no answer in {MINUTES:g} s in a call for 1 decision {where}")


def test_in_threads_one_that_hangs_is_left_behind(hangs, clock):
    check_lost_as_the_eye_only(tournament_definition(engines._play_in_threads, hangs, 4), hangs)


def test_a_worker_that_hangs_is_ended_and_its_games_played_again(hangs, clock):
    """The same games as in threads."""
    games = tournament_definition(engines._play_in_processes, hangs, 2)
    check_lost_as_the_eye_only(games, hangs)
    assert games == tournament_definition(engines._play_in_threads, hangs, 2)


def test_in_a_process_of_its_own_it_is_ended_by_the_clock_of_the_arena(hangs, clock):
    with Bots(Isolation(watchdog=MINUTES), clock) as bots:
        check_lost_as_the_eye_only(play(tournament(hangs), Batch(0, 0, 2), bots=bots), hangs)


def test_with_an_alarm_it_is_stopped_at_once():
    """Long before it would answer; the other bot has minutes."""
    start = time.monotonic()
    with Bots(IMPATIENT) as bots:
        games = play(tournament("hostile:sleep", time_limit=(0.0, MINUTES)), Batch(0, 0, 2), bots=bots)
    assert time.monotonic() - start < 300
    assert {(game.forfeit, game.forfeited_by) for game in games} == {("time_out", 0)}


def test_a_question_is_overdue_when_no_alarm_has_helped():
    clock = HandClock()
    pending_call = PendingCall(clock=clock, paused=never)
    with pending_call.about(BotCall(1, 7), 5.0):
        clock.move(5.0 + GRACE)
        assert pending_call.overdue is None
        clock.move(0.1)
        assert pending_call.overdue == BotCall(1, 7)
    assert pending_call.overdue is None
    with pending_call.about(BotCall(1, 8), 0.0):
        clock.move(LONG)
        assert pending_call.overdue is None


def test_who_is_asked_while_somebody_looks_is_not_taken_for_the_one_that_is_late():
    """The late bot answers at last, and another is asked, between two looks at what processes share."""
    late, clock = [1.0, 7.0, 5.0], HandClock()
    clock.move(LONG)

    class Shared(list):
        def __getitem__(self, place):
            found = super().__getitem__(place)
            if place == 2 and found == late[2]:
                self[:] = [0.0, 3.0, clock() + 60]
            return found

    assert PendingCall(shared=late, clock=clock, paused=never).overdue == BotCall(1, 7)
    assert PendingCall(shared=Shared(late), clock=clock, paused=never).overdue is None


def test_the_worker_that_is_ended_does_not_say_any_more_what_was_not_answered(hangs, clock, monkeypatch):
    """Its last question is looked up before it is ended, when a worker that cleans up forgets it."""
    stop = engines._Worker.stop

    def forgetful(worker):
        stop(worker)
        worker.pending_call._player_number_until[2] = 0.0

    monkeypatch.setattr(engines._Worker, "stop", forgetful)
    check_lost_as_the_eye_only(tournament_definition(engines._play_in_processes, hangs, 2), hangs)


def test_the_alarm_of_somebody_else_is_left_alone():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with Bots(IMPATIENT) as bots:
            play(tournament("hostile:nothing"), Batch(0, 0, 2), bots=bots)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


COMMAND = """
import pathlib, sys
from tests.clocks import clock_of, never
from wotr_experiments.arena.watchdog import PendingCall
from wotr_experiments.cli.main import main
PendingCall.__init__.__kwdefaults__.update(clock=clock_of(pathlib.Path(sys.argv.pop())), paused=never)
sys.exit(main())
"""


def test_where_nothing_can_stop_it_the_play_ends_in_a_line(hangs, tmp_path):
    arguments = ["tournament", hangs, "random", "--game", GAME, "--games", "4", "--seed", "1"]
    arguments += ["--workers", "1", "--isolate", "none", "--watchdog", f"{MINUTES}"]
    arguments += ["--out", str(tmp_path / "out"), str(tmp_path / "ticks")]
    run = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, timeout=300)
    assert run.returncode == 2
    lines = run.stderr.decode().split("\n")
    told = f"wotr: bot {hangs} does not answer and cannot be stopped (game "
    assert [line for line in lines if line.startswith(told) and ", step " in line]
    assert not any("Traceback" in line for line in lines)


def test_many_at_once_have_longer():
    isolation = Isolation()
    assert isolation.call_timeout(1) == WATCHDOG >= 600
    assert isolation.call_timeout(256) == pytest.approx(26.5 * WATCHDOG)
    assert Isolation(watchdog=0).call_timeout(256) == 0


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf"), 1e7])
def test_a_watchdog_that_cannot_be_is_refused(wrong):
    with pytest.raises(
        CommandError, match="^the watchdog must be a number of seconds from 0 .no limit. to 1e.06, not"
    ):
        Isolation(watchdog=wrong)
