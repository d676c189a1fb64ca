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
EVERY = 250


PLAYED = (("first", "cards", 24), ("second", "eager", 1), ("options", "uniform", 12))
"""Games of 1,450 to 2,600 decisions."""


def test_every_ruleset_and_policy_is_played() -> None:
    assert {edition for edition, _, _ in PLAYED} == RULESETS.keys()
    assert {policy for _, policy, _ in PLAYED} == {"uniform", "eager", "cards"}


@pytest.mark.parametrize(("edition", "policy", "seed"), PLAYED)
def test_compiled_and_interpreted_play_agree(edition: str, policy: str, seed: int) -> None:
    command = [sys.executable, "-m", "tests.lockstep_play"]
    command += [edition, policy, str(seed), str(DECISIONS), str(EVERY)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    interpreted = run.stdout.split()
    compiled = digests(edition, policy, seed, DECISIONS, EVERY)
    assert len(compiled) > 2
    assert interpreted == compiled
