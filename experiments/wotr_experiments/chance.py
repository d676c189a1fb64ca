"""Unpredictable seeds and dice."""

from __future__ import annotations

import random

from wotr_env.core.descriptions import Asked

GENERATOR = random.SystemRandom()
"""The source of all of them."""


def new_seed() -> int:
    """A random, secret seed."""
    return GENERATOR.randrange(2**63)


def draw(asked: Asked) -> list[int]:
    """Random outcomes that a step needs; all possible values are equally likely."""
    return GENERATOR.choices(list(asked.possible), k=asked.number)
