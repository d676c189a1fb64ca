"""What waits on the stack: slots with names, which only the rules read by number."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.positions import Position, region, wait
from wotr_env import STATE
from wotr_env.games.war_of_the_ring.codes import Frame, Side
from wotr_env.games.war_of_the_ring.rules.frames import SLOTS, FrameView, frames, top_frame
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.state import FRAME_SIZE, MAX_DEPTH

ROOT = Path(__file__).parents[4]
PACKAGES = ("wotr_env", "agents", "experiments", "benchmarks")


@pytest.mark.parametrize("kind", SLOTS)
def test_slots_are_in_the_frame_and_leave_its_kind_alone(kind):
    slots = {int(slot) for slot in SLOTS[kind]}
    assert slots and slots <= set(range(STAGE, FRAME_SIZE)) and KIND not in slots


def test_a_business_is_read_by_the_names_of_its_slots():
    position = Position().waiting(Frame.TRIM, side=Side.SHADOW, region=region("dale"), limit=10)
    frame = top_frame(position.state)
    assert (frame.kind, frame.stage) == (Frame.TRIM, 0)
    assert (frame.side, frame.region, frame.limit) == (Side.SHADOW, region("dale"), 10)
    assert [frame.kind for frame in frames(position.state)] == [Frame.TURN, Frame.TRIM]


def test_a_slot_may_have_a_name_for_each_of_its_meanings():
    state = Position().waiting(Frame.EVENT, 2, card=7, lured=3).state
    frame = top_frame(state)
    assert (frame.stage, frame.card, frame.lured, frame.count) == (2, 7, 3, 3)
    assert top_frame(Position().waiting(Frame.MOVE_ARMIES, 2).state).steps_left == 2


def test_another_frames_slot_is_no_attribute():
    with pytest.raises(AttributeError, match="TRIM.* has no slot hits"):
        _ = top_frame(Position().waiting(Frame.TRIM).state).hits


def test_states_that_no_game_has_come_to_have_nothing_on_top():
    state = np.zeros(1, dtype=STATE)[0]
    assert top_frame(state).kind is None and list(frames(state)) == []
    wait(state, Frame.HUNT)
    state["stack"][0, KIND] = 99
    assert top_frame(state).kind is None
    state["depth"] = MAX_DEPTH + 1
    assert top_frame(state).kind is None and len(list(frames(state))) == MAX_DEPTH
    assert FrameView([-1] * FRAME_SIZE).kind is None


def test_only_the_rules_know_where_a_slot_is():
    """Encoding, words and bots ask functions such as ``moving_from``, or a ``FrameView``."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if path.is_relative_to(ROOT / "wotr_env" / "rules"):
                continue
            source = path.read_text(encoding="utf-8")
            imported = re.findall(r"from wotr_env\.rules\.stack import (.*)", source)
            assert set(", ".join(imported).split(", ")) <= {"", "KIND", "STAGE"}, path
