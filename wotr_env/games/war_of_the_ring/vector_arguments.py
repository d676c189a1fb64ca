"""Arguments of batches of games of War of the Ring, on the CPU or on a GPU."""

from __future__ import annotations

from wotr_env.core.codes import NO_ACTION
from wotr_env.core.errors import IllegalAction
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision, Reason
from wotr_env.games.war_of_the_ring.state import NUM_SIDES

NO_EPISODE = -1
"""The number of an episode that is never played. Its seed determines the random choices of
``random_steps``."""
STREAM_KEY = 2**32 - 1
"""The half of a random stream's key that distinguishes it from other streams; the other half counts its
choices."""
REASONS = {int(reason): reason for reason in Reason}
"""The reasons of ends, by their numbers."""
PREFERENCES = (NUM_SIDES, NUM_ACTIONS)
"""The shape of the preferences of ``random_steps``."""


def refusal(game: int, action: int, decision: int, is_over: bool) -> IllegalAction:
    """The error for an illegal action in a game of a batch."""
    name = f" ({ACTION_NAMES[action]})" if 0 <= action < NUM_ACTIONS else ""
    if is_over:
        why = f"the game is over and takes {NO_ACTION}"
    else:
        why = f"it is illegal in decision {Decision(decision).name.lower()}"
    return IllegalAction(f"action {action}{name} of game {game}: {why}; no game has changed")
