"""Compiled and interpreted play agree byte for byte, on complete games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lockstep_play import RULESETS, digests

ROOT = Path(__file__).parents[4]
DECISIONS = 12_000  # more than any of these games has
EVERY = 100


PLAYED = (("first", "cards", 92), ("second", "eager", 105), ("options", "uniform", 17))
"""Games of 425 to 1,141 decisions, with 53 kinds of decisions together."""


def test_every_ruleset_and_policy_is_played() -> None:
    assert {edition for edition, _, _ in PLAYED} == RULESETS.keys()
    assert {policy for _, policy, _ in PLAYED} == {"uniform", "eager", "cards"}


@pytest.fixture(scope="module")
def interpreted() -> list[list[str]]:
    """The digests of each game, from a process in which nothing is compiled."""
    games = [str(each) for played in PLAYED for each in played]
    command = [sys.executable, "-m", "tests.lockstep_play", str(DECISIONS), str(EVERY), *games]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [line.split() for line in run.stdout.splitlines()]


@pytest.mark.parametrize("place", range(len(PLAYED)), ids=[edition for edition, *_ in PLAYED])
def test_compiled_and_interpreted_play_agree(place: int, interpreted: list[list[str]]) -> None:
    compiled = digests(*PLAYED[place], DECISIONS, EVERY)
    assert len(compiled) > 2
    assert interpreted[place] == compiled
