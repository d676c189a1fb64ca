"""Faults injected on purpose: a few tries of those that are quick, and that something lost is told."""

from __future__ import annotations

import random

import pytest

from wotr_experiments.dev.faults.bots import BOTS
from wotr_experiments.dev.faults.files import FILES, damage
from wotr_experiments.dev.faults.runs import RUNS
from wotr_experiments.dev.faults.table import Fault, as_table, expect, run


@pytest.mark.parametrize("fault", FILES, ids=lambda fault: fault.name)
def test_damaged_files_lose_nothing(fault):
    (row,) = run([fault._replace(tries=6)], seed=2)
    assert row.lost == []
    assert row.tries == 6


def test_a_hostile_bot_loses_its_own_games():
    (row,) = run([fault._replace(tries=1) for fault in BOTS if fault.name.endswith("leave")], seed=2)
    assert row.lost == []


def test_there_are_500_tries_and_more():
    assert sum(fault.tries for fault in (*BOTS, *FILES, *RUNS)) >= 500


def test_what_is_lost_is_told():
    def inject(chance, folder):
        expect(chance.random() < 2 and folder.is_dir(), "never")
        expect(False, "a game")
        raise AssertionError("not reached")

    def surprise(_chance, _folder):
        raise OSError("no room")

    rows = run([Fault("one", "nothing", 2, inject), Fault("two", "nothing", 1, surprise)], seed=1)
    assert [row.lost for row in rows] == [["try 0: a game", "try 1: a game"], ["try 0: OSError: no room"]]
    assert [row.tries for row in rows] == [2, 1]
    assert list(as_table(rows).columns[-1].cells) == ["2", "1", "3"]


def test_damage_is_damage():
    chance, data = random.Random(1), bytes(range(256))
    damaged = [damage(data, chance) for _ in range(100)]
    assert sum(each != data for each in damaged) > 90
    assert {len(each) < 256 for each in damaged} == {True, False}
