"""The actions of The Two Towers by id."""

from __future__ import annotations

from wotr_env.core.declared import actions_of
from wotr_env.games.two_towers.components import GANDALF, KIND_NAMES

Act, ACTION_NAMES, BLOCKS = actions_of(
    {
        "take": (*KIND_NAMES, "hidden"),  # a card of the display, or of the pile
        "swap": KIND_NAMES,  # a card of the hand goes to the display, for two
        "lay": KIND_NAMES[:GANDALF],  # a card goes to the row of its colour
        "begin": KIND_NAMES[:GANDALF],  # the same, a new row with a Gandalf at its head
        "end": ("",),  # nothing more
    }
)
NUM_ACTIONS = len(ACTION_NAMES)
HIDDEN = ACTION_NAMES.index("take:hidden")
