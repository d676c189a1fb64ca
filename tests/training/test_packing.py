"""Rollouts in few bytes."""

from __future__ import annotations

import dataclasses

import torch

from tests.tiny_training import TINY, open_tiny
from wotr_experiments.training.packing import pack, unpack
from wotr_experiments.training.worker import empty_rollout


def test_a_part_of_a_rollout_is_packed_and_unpacked(tmp_path):
    config = dataclasses.replace(TINY, expert="", expert_decisions=0)
    with open_tiny(tmp_path / "run", config) as run:
        next(run.run())
        part = run.workers[1].rollout
    packed = pack(part)
    size = sum(value.nbytes for value in packed.values())
    assert size < part.observations.nbytes / 4
    found = empty_rollout(config, 2).part(4, 8)
    unpack(packed, found)
    for name, values in vars(part).items():
        assert torch.equal(vars(found)[name], values), name
    assert found.observations.any() and found.reasons.dtype == part.reasons.dtype
