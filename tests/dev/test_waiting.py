"""What tests wait with fails in words, and leaves no process behind."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.waiting import eventually, eventually_by


def test_a_condition_is_asked_until_it_holds():
    found = iter([None, [], "there"])
    assert eventually(lambda: next(found), "what is there") == "there"


def test_a_condition_that_never_holds_is_named():
    with pytest.raises(AssertionError, match=r"waited 0\.02 s in vain for the king"):
        eventually(lambda: False, "the king", 0.02)


def test_a_process_is_waited_for_until_its_end_and_not_left():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert eventually_by(process, lambda: True, "nothing")
        with pytest.raises(AssertionError, match="the king"):
            eventually_by(process, lambda: False, "the king", 0.02)
    assert process.returncode == -signal.SIGKILL
    assert not eventually_by(process, lambda: False, "the king")
