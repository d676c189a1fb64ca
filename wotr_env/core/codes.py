"""Special numbers that mean the same in all games."""

from __future__ import annotations

GOING_ON = -1
"""Winner of a game that is not over. Other winners are the number of a team, or ``GameKind.draw``."""
NO_ACTION = -1
"""Action for a finished game, and for an empty mask."""
PUBLIC = -1
"""A viewer without a seat, who sees only public information."""
MAX_SEED = 2**63 - 1
"""The largest seed of a game or a world."""
