"""Factors of a network's inputs, which bring them to the order of 1."""

from __future__ import annotations

import numpy as np

from wotr_env.core.kind import GameKind

ADVICE_SCALE = 1 / 64


def input_scale(kind: GameKind, advice: bool = False) -> np.ndarray:
    """The factor of each input: ``float32[D]`` for an observation, more with advice."""
    scale = np.ones(kind.layout.size, dtype=np.float32)
    parts = kind.layout.named(scale)
    for field in kind.layout.fields:
        parts[field.name][...] = field.scale
    behind = np.full(kind.actions.size if advice else 0, ADVICE_SCALE, dtype=np.float32)
    return np.concatenate([scale, behind])
