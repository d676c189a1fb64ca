"""Pauses of the arena's process, such as by Ctrl-Z: no limit of a bot counts them."""

from __future__ import annotations

import contextlib
import inspect

import numpy as np
import pytest

from tests.clocks import LONG, HandClock, clock_of
from tests.toy_games import HUNT
from tests.waiting import eventually
from wotr_experiments import pauses
from wotr_experiments.arena.play import by_team, first_view, play_batch
from wotr_experiments.arena.time_limits import TooLateError, alarm
from wotr_experiments.arena.watchdog import GRACE, BotCall, PendingCall
from wotr_experiments.isolation.bots import Bots, IsolatedBot
from wotr_experiments.isolation.process import BotProcess, LateError
from wotr_experiments.language.players import Conversation
from wotr_experiments.pauses import LONGEST_GAP, Pauses, paused

LIMIT = 300.0
RULES = HUNT.find_ruleset()


@pytest.fixture
def no_ticks(monkeypatch):
    """Nothing ticks but what asks."""
    monkeypatch.setattr(pauses, "TICK", 1e6)


def in_steps(seconds, clock, paused):
    """The clock goes on while the process runs."""
    for _ in range(int(seconds / LONGEST_GAP)):
        clock.move(LONGEST_GAP)
        paused()


def test_a_long_gap_between_two_ticks_is_a_pause_and_time_in_short_steps_is_none(no_ticks):
    clock = HandClock()
    paused = Pauses(clock, lambda: 0.0)
    with paused.watched():
        in_steps(100, clock, paused)
        assert paused() == 0 and paused.running_time() == 101
        clock.move(LONG)
        assert paused() == LONG - LONGEST_GAP == paused()
        assert paused.running_time() == 101 + LONGEST_GAP


def test_processor_time_in_a_gap_is_no_pause(no_ticks):
    """As when compiled code keeps the ticking thread from running."""
    clock, used = HandClock(), HandClock()
    paused = Pauses(clock, used)
    with paused.watched():
        clock.move(LONG)
        used.move(LONG - 100)
        assert paused() == 100


def test_where_nothing_ticks_no_pause_is_found(no_ticks):
    clock = HandClock()
    paused = Pauses(clock, lambda: 0.0)
    with paused.watched(), paused.watched():
        pass
    clock.move(LONG)
    assert paused() == 0 and paused.running_time() == clock()
    with paused.watched():
        assert paused() == 0


def test_a_thread_ticks_by_itself():
    heard = []
    with Pauses(lambda: len(heard), lambda: heard.append(1) or 0.0).watched():
        eventually(lambda: len(heard) > 3, "ticks")


def test_a_question_is_not_overdue_by_a_pause_and_is_by_its_limit_after_it():
    clock, pausing = HandClock(), HandClock()
    pending_call = PendingCall(clock=clock, paused=pausing)
    for number in (1, 2):
        with pending_call.about(BotCall(0, number), 5.0):
            for hand in (clock, pausing):  # also when the pause comes before the first look at the question
                hand.move(LONG)
            assert pending_call.overdue is None
            clock.move(5.0 + GRACE)
            assert pending_call.overdue is None
            clock.move(0.1)
            assert pending_call.overdue == BotCall(0, number)
        assert pending_call.overdue is None


def test_an_alarm_that_rings_after_a_pause_waits_for_the_rest():
    times = [0.0, 0.0, 0.009, 1.0]
    with pytest.raises(TooLateError), alarm(0.01, lambda: times.pop(0)):
        eventually(lambda: False, "the alarm")
    assert not times


class Napper:
    """Thinks for a second, in which its process is also stopped for long."""

    def __init__(self, clock, paused):
        self.clock, self.paused, self.asked = clock, paused, 0

    def act(self, view):
        self.asked += 1
        self.clock.move(LONG + 1)
        self.paused.move(LONG)
        return view.masks.argmax(axis=1)


@pytest.mark.parametrize("limit", [2.0, 0.5])
def test_a_bot_in_this_process_has_its_limit_without_pauses(limit):
    clock, pausing = HandClock(), HandClock()
    bots = [Napper(clock, pausing), Napper(clock, pausing)]
    seated, seeds = by_team(RULES, np.zeros(1, dtype=np.bool_)), np.zeros(1, dtype=np.uint64)
    pending_call = PendingCall(clock=clock, paused=pausing)
    batch = play_batch(HUNT, bots, seated, seeds, RULES, limit, pending_call=pending_call)
    assert {each.kind for each in batch.forfeits.values()} == ({"time_out"} if limit < 1 else set())
    assert [each.seconds for each in batch.thinking] == [each.asked for each in bots]


def test_a_bot_in_a_process_of_its_own_is_not_late_by_a_pause_of_the_arena(tmp_path):
    """The clock jumps while the bot thinks."""
    clock, spec = clock_of(tmp_path / "ticks"), f"hostile:pause,path={tmp_path / 'ticks'}"
    paused, view = Pauses(clock, lambda: 0.0), first_view(HUNT, RULES)
    with paused.watched():
        with contextlib.closing(IsolatedBot(spec, 1, HUNT.name, clock=paused.running_time)) as bot:
            assert len(bot.answer(view, LIMIT)) == 1
        bot = IsolatedBot(spec, 1, HUNT.name, clock=clock)
        with contextlib.closing(bot), pytest.raises(LateError):
            bot.answer(view, LIMIT)


def test_the_clocks_of_bots_stand_still_in_pauses():
    for owner in (Bots, IsolatedBot, BotProcess, Conversation):
        assert inspect.signature(owner).parameters["clock"].default == paused.running_time
    assert PendingCall()._paused is paused
