"""Long runs under trouble: a short one of them, and that growth and what is left behind are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.tools import long_run
from tests.tools.faults.table import LostError
from tests.tools.long_run import TROUBLES, WORKS, Session


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="measures in /proc")
def test_a_training_of_a_disturbed_sitting_ends_as_one_that_nothing_disturbs():
    (training,) = (work for work in WORKS if work.name == "training")
    (session,) = long_run.run(training, 1, seed=3, step=6)
    assert session.ended in ("killed", "stopped", "refused", "over")
    assert 10 < session.first < 4_000
    assert session.left == 0


def sessions(*memory):
    """Seven of each memory, with and without trouble that comes at the start."""
    return [
        Session(trouble, "killed", first=each if place else 10.0)
        for each in memory
        for place, trouble in enumerate(TROUBLES)
    ]


def test_memory_that_grows_is_told():
    long_run._check_flat(sessions(300.0, 310.0, 320.0, 330.0))
    with pytest.raises(LostError, match="first grew from 300 to 400"):
        long_run._check_flat(sessions(300.0, 330.0, 360.0, 400.0))


def test_processes_that_are_left_behind_are_told(monkeypatch):
    monkeypatch.setattr(long_run, "_MOST_ENDING", 0.1)
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, start_new_session=True
    ) as process:
        with pytest.raises(LostError, match="processes are left behind"):
            long_run._check_alone(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
    long_run._check_alone(process.pid)


def test_the_tables_tell_every_trouble_and_every_part():
    ends, flat = long_run.tables("training", sessions(300.0, 310.0, 320.0, 330.0))
    assert list(ends.columns[0].cells) == list(TROUBLES)
    assert list(ends.columns[1].cells) == ["4"] * len(TROUBLES)
    assert list(flat.columns[0].cells) == ["1 to 7", "8 to 14", "15 to 21", "22 to 28"]
    assert list(flat.columns[1].cells) == ["300 MiB", "310 MiB", "320 MiB", "330 MiB"]
