"""Unpredictable seeds and dice."""

from __future__ import annotations

import random
from collections.abc import Sequence

GENERATOR = random.SystemRandom()


def new_seed() -> int:
    """A random, secret seed."""
    return GENERATOR.randrange(2**63)


def draw(possible: Sequence[int], number: int) -> list[int]:
    """Draws outcomes, each of them equally likely, with replacement."""
    return GENERATOR.choices(possible, k=number)
