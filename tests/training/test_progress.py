"""What is shown while a training goes on: pace, time left, and a curve of its evaluations."""

from __future__ import annotations

import io
import math

import pytest
import rich.console

from tests.clocks import HandClock
from tests.tiny_training import config_of, open_tiny, shorten_evaluations, train_tiny
from wotr_experiments.training.progress import (
    Deadline,
    Pace,
    WinRate,
    curve_words,
    sparkline,
    time_text,
    win_rates,
)
from wotr_experiments.training.watch import Numbers, watch


class PhaseTimer:
    """Shows the time that it is set to."""

    now = 1000.0

    def __call__(self):
        return self.now


def test_the_time_left_is_that_of_the_pace_of_this_sitting():
    clock = PhaseTimer()
    pace = Pace(5_000, 10_000, clock)
    assert (pace.elapsed, pace.speed, pace.left) == (0.0, None, None)
    clock.now += 10
    assert pace.words() == "0:00:10 of this session"
    pace.note(6_000)
    assert (pace.elapsed, pace.speed, pace.left) == (10.0, 100.0, 40.0)
    clock.now += 15  # an evaluation
    assert pace.left == 25.0
    pace.note(6_250)
    assert (pace.speed, pace.left) == (50.0, 75.0)
    clock.now += 100
    assert pace.left == 0.0
    assert pace.words() == "0:02:05 of this session, about 0:00:00 left, 50/s with evaluations"


def test_the_pace_is_that_of_the_last_updates():
    clock = PhaseTimer()
    pace = Pace(0, 10**9, clock)
    for update in range(1000):
        clock.now += 10 if update < 500 else 1
        pace.note(100 * (update + 1))
    assert pace.speed == pytest.approx(100.0)


def test_times():
    assert [time_text(seconds) for seconds in (0, 59.9, 3_661, 360_000)] == [
        "0:00:00",
        "0:00:59",
        "1:01:01",
        "100:00:00",
    ]


def test_a_curve():
    assert sparkline([], 0.1) == ""
    assert sparkline([0.0, 0.5, 1.0], 0.1) == "▁▅█"
    assert sparkline([0.0, 0.5, 1.0], 0.1, blocks=False) == "_=#"
    assert sparkline([0.3, 0.3, 0.3], 0.1) == "▅▅▅"
    assert sparkline([0.5, 0.55], 0.3) == "▄▅"
    assert len(sparkline([number / 100 for number in range(90)], 0.1)) == 40


def test_a_curve_in_words():
    rates = [WinRate(share, 100) for share in (0.25, 0.75, 0.5)]
    assert curve_words(rates) == "▁█▅  25% to 75%, now 50% (40% to 60%)"
    noise = [WinRate(share, 20) for share in (0.45, 0.5, 0.55)]
    assert curve_words(noise).startswith("▃▅▆  45% to 55%, now 55% (34% to 74%)")


def test_win_rates_are_those_against_the_last_anchor():
    row = {"free_peoples": 0.25, "shadow": 0.75}
    lines = [
        {"kind": "update"},
        {"kind": "evaluation", "games": 30, "scores": {"random": {"shadow": 1.0}, "scripted": row}},
    ]
    assert win_rates(lines) == [(0.5, 60)]


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": 3},
        {"scores": None},
        {"scores": {}},
        {"scores": {"scripted": {}}},
        {"scores": {"scripted": 0.5}},
        {"scores": {"scripted": {"shadow": None}}},
        {"scores": {"scripted": {"shadow": math.nan}}},
        {"scores": {"scripted": {"shadow": 7.0}}},
        {"games": "many"},
        {"games": math.inf},
    ],
)
def test_metrics_that_are_damaged_have_no_win_rate(changes):
    line = {"kind": "evaluation", "games": 30, "scores": {"scripted": {"shadow": 0.5}}}
    assert len(win_rates([line])) == 1
    assert win_rates([line | changes, {}]) == []


@pytest.fixture
def tiny(monkeypatch):
    shorten_evaluations(monkeypatch.setattr)
    return config_of(3, 1, evaluate_every=1, expert="", expert_decisions=0)


def shown(numbers, **console):
    file = io.StringIO()
    rich.console.Console(file=file, width=120, **console).print(numbers.table())
    return file.getvalue()


def test_the_screen_tells_time_pace_and_curve(tiny, tmp_path):
    clock = PhaseTimer()
    with open_tiny(tmp_path / "run", tiny) as training:
        numbers = Numbers(training, Pace(0, 384, clock))
        assert "against" not in shown(numbers)
        for line in training.run():
            clock.now += 2
            numbers.note(line)
            if line["kind"] == "update" and line["update"] == 2:
                text = shown(numbers)
                assert "256 of 384 (66.7%)" in text
                assert "0:00:06 of this session, about 0:00:03 left, 43/s with evaluations" in text
        assert "random" in shown(numbers) and "now " in shown(numbers)


def test_the_curve_goes_on_where_the_sitting_before_ended(tiny, tmp_path):
    train_tiny(tmp_path / "run", tiny)
    with open_tiny(tmp_path / "run", None) as training:
        numbers = Numbers(training)
        undecided = {"kind": "update", "decisions": 384, "speed": 10, "shares": {}, "ends": {}}
        numbers.note(undecided)
        text = shown(numbers)
    assert "decisions/s" in text and "losses" not in text
    (line,) = [line for line in text.splitlines() if "now" in line]
    assert sum(line.count(block) for block in "▁▂▃▄▅▆▇█") == 3


def watched(folder, config, capsys, seconds):
    """The last evaluation, and the lines where there is no terminal, if each update takes so many seconds."""
    clock = HandClock()
    with open_tiny(folder, config) as training:

        def slow():
            for line in training.run():
                if line["kind"] == "update":
                    clock.move(seconds)
                yield line

        last = watch(training, slow(), clock=clock)
    return last, capsys.readouterr().err.splitlines()


def test_where_there_is_no_terminal_a_start_and_evaluations_are_shown(tiny, tmp_path, capsys):
    last, (start, *lines) = watched(tmp_path / "run", tiny, capsys, 0)
    assert start == "0 of 384 decisions (0.0%), 0:00:00 of this session"
    assert len(lines) == 3 and all(": against random " in line for line in lines)
    assert last is not None and last["update"] == 3


def test_where_there_is_no_terminal_a_line_a_minute_tells_how_far_it_is(tiny, tmp_path, capsys):
    _, lines = watched(tmp_path / "run", tiny, capsys, 100)
    progress = [line for line in lines if " of 384 decisions" in line]
    assert progress[1] == (
        "128 of 384 decisions (33.3%), 0:01:40 of this session, about 0:03:20 left, 1/s with evaluations"
    )
    assert len(progress) == 4 and len(lines) == 7


def test_work_is_due_before_a_step_would_pass_the_limit():
    clock = HandClock()
    deadline = Deadline(30, 100, clock)

    def stepped(seconds):
        clock.move(seconds)
        return deadline.is_due()

    assert [stepped(8) for _ in range(3)] == [False, False, True]  # at 24 s, the next would be at 32 s
    deadline.done()
    assert [stepped(40) for _ in range(2)] == [False, True]
    deadline.done()
    assert [stepped(200) for _ in range(2)] == [True, True]


def test_a_terminal_shows_the_numbers(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with open_tiny(tmp_path / "run", tiny) as training:
        watch(training, training.run())
    shown = capsys.readouterr().err
    assert "with evaluations" in shown and "of 384" in shown
