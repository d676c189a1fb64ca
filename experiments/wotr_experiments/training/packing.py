"""Compresses rollouts: only changes of observations (a twentieth or less), and masks as bits."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np
import torch

from wotr_experiments.training.rollouts import Rollout

_APART = ("observations", "masks")
_PLAIN = tuple(field.name for field in dataclasses.fields(Rollout) if field.name not in _APART)


def pack(rollout: Rollout) -> dict[str, np.ndarray]:
    """A compressed rollout."""
    rows = rollout.observations.numpy()
    inputs, narrow = rows.shape[2], np.min_scalar_type(rows[0].size)
    places = [np.flatnonzero(row != before).astype(narrow) for row, before in itertools.pairwise(rows)]
    values = [row[some // inputs, some % inputs] for row, some in zip(rows[1:], places, strict=True)]
    return {
        "first": rows[0].copy(),
        "changes": np.array([len(some) for some in places]),
        "places": np.concatenate([np.zeros(0, dtype=narrow), *places]),
        "values": np.concatenate([np.zeros(0, dtype=np.int8), *values]),
        "masks": np.packbits(rollout.masks.numpy().reshape(-1)),
        **{name: getattr(rollout, name).numpy() for name in _PLAIN},
    }


def unpack(packed: Mapping[str, np.ndarray], rollout: Rollout) -> None:
    """Decompresses into a rollout of the same shape."""
    bounds = np.cumsum([0, *packed["changes"]])
    rows = rollout.observations.numpy()
    inputs = rows.shape[2]
    rows[0] = packed["first"]
    for step in range(1, len(rows)):
        changed = slice(bounds[step - 1], bounds[step])
        places = packed["places"][changed]
        rows[step] = rows[step - 1]
        rows[step, places // inputs, places % inputs] = packed["values"][changed]
    masks = np.unpackbits(packed["masks"], count=rollout.masks.numel()).astype(np.bool_)
    rollout.masks[:] = torch.from_numpy(masks).view(rollout.masks.shape)
    for name in _PLAIN:
        getattr(rollout, name)[:] = torch.from_numpy(np.array(packed[name]))
