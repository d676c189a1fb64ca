"""The frame of a Hunt, with its cause and notes."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.stack import push, put


class HuntFrame(Codes):
    """Slots of the frame ``HUNT``; its stage is a ``HuntStage``."""

    CAUSE = 2  # HuntCause
    BY_DIE = 3  # 1 if a die pays for the move
    CARD_TILE = 4  # CardTile
    NOTE = 5  # HuntNote


class HuntNote(Codes):
    """A note about a Hunt; a later note replaces the earlier one."""

    NONE = 0
    FLOCKS_OF_CREBAIN = 1  # used: they add to the roll
    NO_MORE_CARDS = 2  # table cards no longer lower the damage


@kernel
def start_hunt(state, cause, by_die, card_tile):
    """Starts a Hunt (R10.2); ``by_die`` is 1 if a die pays for the move that causes it."""
    push(state, Frame.HUNT)
    put(state, HuntFrame.CAUSE, cause)
    put(state, HuntFrame.BY_DIE, by_die)
    put(state, HuntFrame.CARD_TILE, card_tile)
