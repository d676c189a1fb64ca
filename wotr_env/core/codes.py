"""Numbers that mean something in all games."""

from __future__ import annotations

GOING_ON = -1
"""The winner of a game that is not over; other winners are the number of a team or ``GameKind.draw``."""
NO_ACTION = -1
"""The action of a finished game, and of a mask without any."""
PUBLIC = -1
"""The viewer who has no seat and sees what everybody may see."""
MAX_SEED = 2**63 - 1
"""The largest seed of a game or a world."""
