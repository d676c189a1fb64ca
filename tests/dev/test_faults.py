"""Faults injected on purpose: a few tries of those that are quick, and that something lost is told."""

from __future__ import annotations

import random

import pytest

from tests import quick_fault
from tests.tools.faults.__main__ import FAULTS
from tests.tools.faults.bots import BOTS
from tests.tools.faults.commands import Command, Ended, expect_refusal
from tests.tools.faults.files import FILES, damage
from tests.tools.faults.table import Fault, LostError, as_table, expect, run


@pytest.mark.parametrize("fault", FILES, ids=lambda fault: fault.name)
def test_damaged_files_lose_nothing(fault):
    (row,) = run([fault._replace(tries=6)], seed=2)
    assert row.lost == []
    assert row.tries == 6


def test_a_hostile_bot_loses_its_own_games():
    (row,) = run([fault._replace(tries=1) for fault in BOTS if fault.name.endswith("leave")], seed=2)
    assert row.lost == []


def test_there_are_500_tries_and_more():
    assert sum(fault.tries for fault in FAULTS) >= 500
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_a_command_is_refused_ended_and_limited(tmp_path):
    """It starts from a process that has loaded the package."""
    ended = Command(tmp_path / "refused", "replay", str(tmp_path / "no\x1b[2Jthing")).ended()
    expect_refusal(ended)
    assert "no\ufffd[2Jthing" in ended.message
    control, two = Ended(2, b"\x1b[2J", b"wotr: no\n"), Ended(2, b"", b"wotr: a\nb\n")
    for wrong in (Ended(0, b"", b""), control, two):
        with pytest.raises(LostError):
            expect_refusal(wrong)
    endless = Command(tmp_path / "endless", "tournament", "random", "random", "--games", "100000")
    with pytest.raises(LostError, match="not ended after"):
        endless.ended(0.2)
    assert endless.children == []


def test_tries_are_the_same_in_other_processes():
    fault = Fault("one or two", "either", 8, quick_fault.inject)
    rows = [*run([fault], 3), *run([fault], 3, jobs=2)]
    assert rows[0].came == rows[1].came and rows[0].tries == rows[1].tries == 8


def test_what_is_lost_is_told():
    def inject(chance, folder):
        expect(chance.random() < 2 and folder.is_dir(), "never")
        expect(False, "a game")
        raise AssertionError("not reached")

    def surprise(_chance, _folder):
        raise OSError("no room")

    rows = list(run([Fault("one", "nothing", 2, inject), Fault("two", "nothing", 1, surprise)], seed=1))
    assert [row.lost for row in rows] == [["try 0: a game", "try 1: a game"], ["try 0: OSError: no room"]]
    assert [row.tries for row in rows] == [2, 1]
    assert list(as_table(rows).columns[-1].cells) == ["2", "1", "3"]


def test_damage_is_damage():
    chance, data = random.Random(1), bytes(range(256))
    damaged = [damage(data, chance) for _ in range(100)]
    assert sum(each != data for each in damaged) > 90
    assert {len(each) < 256 for each in damaged} == {True, False}
