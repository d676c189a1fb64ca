"""The actions of The Two Towers by id."""

from __future__ import annotations

import itertools

from wotr_env.compiler.codes import Codes
from wotr_env.games.two_towers.components import GANDALF, KIND_NAMES, NUM_KINDS

_MEMBERS = {
    "take": (*KIND_NAMES, "hidden"),
    "swap": KIND_NAMES,
    "lay": KIND_NAMES[:GANDALF],
    "begin": KIND_NAMES[:GANDALF],
    "end": ("",),
}
_FIRSTS = dict(
    zip(_MEMBERS, itertools.accumulate([0, *(len(each) for each in _MEMBERS.values())]), strict=False)
)
BLOCKS = {name: range(_FIRSTS[name], _FIRSTS[name] + len(each)) for name, each in _MEMBERS.items()}
ACTION_NAMES = tuple(
    f"{block}:{member}" if member else block for block, members in _MEMBERS.items() for member in members
)
NUM_ACTIONS = len(ACTION_NAMES)


class Act(Codes):
    """The first action of each block."""

    TAKE = _FIRSTS["take"]  # a card of the display
    HIDDEN = _FIRSTS["take"] + NUM_KINDS  # from the pile
    SWAP = _FIRSTS["swap"]  # a card of the hand goes to the display, for two
    LAY = _FIRSTS["lay"]  # a card goes to the row of its colour
    BEGIN = _FIRSTS["begin"]  # the same, a new row with a Gandalf at its head
    END = _FIRSTS["end"]  # nothing more
