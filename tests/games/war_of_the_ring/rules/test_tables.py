"""The tables of decisions, frames and operations: complete, and whom they say is asked."""

from __future__ import annotations

import inspect
import re
import string

import numpy as np
import pytest

from tests.random_play import PLAYS, positions
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Side
from wotr_env.games.war_of_the_ring.data.combat_programs import CombatOp
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.rules.battle.combat_windows import EFFECTS
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.rules.flow import FRAMES

CHOICES: dict[str, Choice] = {
    **{decision.name: choice for decision, choice in DECISIONS.items()},
    **{
        f"{op.name}-{decision.name}{''.join(f'-{code.name}' for code in step)}": choice
        for op, operation in OPERATIONS.items()
        for decision, step, choice in operation.questions()
    },
    **{op.name: effect.choice for op, effect in EFFECTS.items() if effect.choice},
}


def test_every_decision_frame_operation_and_effect_has_a_row():
    assert set(DECISIONS) == set(Decision) - {Decision.NONE}
    assert set(FRAMES) == set(Frame)
    assert set(OPERATIONS) == set(Op) - {Op.END, Op.IF}
    assert set(EFFECTS) == set(CombatOp) - {CombatOp.NONE}


def test_every_operation_of_the_vocabulary_is_used_by_a_card():
    assert {Op(code) for code in np.unique(EVENT_OPS[:, :, 0])} == set(Op)


@pytest.mark.parametrize("name", CHOICES)
def test_a_row_holds_together(name):
    choice = CHOICES[name]
    legal, apply = choice.legal, choice.apply
    assert list(inspect.signature(legal).parameters) == ["state", "mask"]
    assert list(inspect.signature(apply).parameters) == ["state", "action"]
    assert legal.__name__.startswith("legal_") and apply.__name__.startswith("apply_")
    assert re.fullmatch(r"D\d\d(, D\d\d)*|R\d+(\.\d+)+", choice.sources)
    assert choice.question.startswith(("whether", "wh", "how", "from", "to"))
    assert [field for _, field, _, _ in string.Formatter().parse(choice.answer) if field is not None] == [""]


def test_the_decisions_of_events_say_whom_they_ask():
    of_events = {decision for decision, choice in DECISIONS.items() if choice.asked == Asked.EVENT}
    asked = {decision for row in OPERATIONS.values() for decision, _, _ in row.questions()}
    assert of_events == asked - {Decision.EVENT_CARD}
    assert not [name for name, choice in CHOICES.items() if "-" in name and choice.asked == Asked.EVENT]


@pytest.mark.parametrize("name", PLAYS)
def test_in_random_play_those_are_asked_whom_the_tables_name(name):
    check_batch(positions(name))


@pytest.mark.parametrize("decision", [Decision.HUNT_ALLOCATION, Decision.ACTION_DIE, Decision.CASUALTY])
def test_a_decision_of_the_wrong_player_is_found(decision):
    found = np.concatenate([positions(name) for name in ("first", "cards", "sieges")])
    found = found[found["decision"] == decision][:1].copy()
    check_batch(found)
    found["seat"] = Side.SHADOW - found["seat"]
    with pytest.raises(ValueError, match=DECISIONS[decision].asked.value):
        check_batch(found)


def test_columns_are_those_of_the_programs():
    assert columns(Op.DRAW, "deck", "cards") == (1, 2)
    with pytest.raises(ValueError, match="the parameters of DRAW are"):
        columns(Op.DRAW, "cards", "deck")
