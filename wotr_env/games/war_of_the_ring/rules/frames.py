"""The slots of every kind of frame by name, for readers in Python: words, pictures, tests.

Rules and bots use the accessor functions of the modules that resume the frames.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import Frame
from wotr_env.games.war_of_the_ring.rules.armies import CasualtyFrame, TrimFrame
from wotr_env.games.war_of_the_ring.rules.battle.frame import BattleFrame
from wotr_env.games.war_of_the_ring.rules.battle.retreat import RetreatFrame
from wotr_env.games.war_of_the_ring.rules.cards import HandFrame
from wotr_env.games.war_of_the_ring.rules.command import MeetFrame
from wotr_env.games.war_of_the_ring.rules.companions import CompanionFrame
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame
from wotr_env.games.war_of_the_ring.rules.fellowship import RevealFrame, TakenFrame
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame
from wotr_env.games.war_of_the_ring.rules.minions import MinionFrame
from wotr_env.games.war_of_the_ring.rules.recruiting import RecruitFrame
from wotr_env.games.war_of_the_ring.rules.sharing import ShareFrame
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.table.play import AfterEventFrame, BuyOffFrame
from wotr_env.games.war_of_the_ring.rules.walks import MoveFrame
from wotr_env.games.war_of_the_ring.state import FRAME_SIZE, MAX_DEPTH

SLOTS: dict[Frame, type[Codes]] = {
    Frame.MOVE_ARMIES: MoveFrame,
    Frame.BATTLE: BattleFrame,
    Frame.CASUALTIES: CasualtyFrame,
    Frame.TRIM: TrimFrame,
    Frame.HUNT: HuntFrame,
    Frame.REVEAL: RevealFrame,
    Frame.MOVE_COMPANIONS: CompanionFrame,
    Frame.MOVE_MINIONS: MinionFrame,
    Frame.RECRUIT: RecruitFrame,
    Frame.TAKE_THEM_ALIVE: TakenFrame,
    Frame.HAND_LIMIT: HandFrame,
    Frame.EVENT: EventFrame,
    Frame.BUY_OFF: BuyOffFrame,
    Frame.AFTER_EVENT: AfterEventFrame,
    Frame.RETREAT: RetreatFrame,
    Frame.SIDE_DRAWS: ShareFrame,
    Frame.ARMIES_MEET: MeetFrame,
}
"""The slots of each kind of frame; kinds that are missing have only the stage."""


class FrameView:
    """One frame on the stack, with its slots by name: ``frame.stage``, ``frame.origin``.

    Args:
        numbers: a row of ``state["stack"]``.
    """

    def __init__(self, numbers: np.ndarray | list[int]) -> None:
        self._numbers = [int(number) for number in numbers]
        kind = self._numbers[KIND]
        self.kind = Frame(kind) if 0 <= kind < len(Frame) else None
        """The kind of the frame; None in an impossible state."""
        self.stage = self._numbers[STAGE]

    def __getattr__(self, name: str) -> int:
        slots = SLOTS[self.kind].__members__ if self.kind is not None and self.kind in SLOTS else {}
        if name.upper() not in slots:
            raise AttributeError(f"a frame of kind {self.kind!r} has no slot {name}")
        return self._numbers[slots[name.upper()]]


def frames(state: np.record) -> Iterator[FrameView]:
    """The frames on the stack of a state, from the bottom."""
    depth = max(0, min(MAX_DEPTH, int(state["depth"])))
    return map(FrameView, state["stack"][:depth])


def top_frame(state: np.record) -> FrameView:
    """The frame on top of the stack of a state; a view without a kind if the stack is empty."""
    depth = int(state["depth"])
    return FrameView(state["stack"][depth - 1] if 0 < depth <= MAX_DEPTH else [-1] * FRAME_SIZE)
