"""The windows of a round in which the effects of both Combat cards take place one by one (R7.9.4)."""

from __future__ import annotations

from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.combat import COMBAT_INITIATIVE, COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.games.war_of_the_ring.codes import BattleStage, CombatColumn, Side, Verb
from wotr_env.games.war_of_the_ring.data.combat_programs import (
    FIRST,
    MAX_EFFECTS,
    OP,
    SECOND,
    WHEN,
    WINDOW,
    CombatOp,
    When,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import CombatCardOrder, Option
from wotr_env.games.war_of_the_ring.rules.battle import combat_choices, combat_effects
from wotr_env.games.war_of_the_ring.rules.battle.frame import (
    BattleFrame,
    Effect,
    choose_amount,
    chosen_number,
)
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_units, leadership, nazgul_points
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get, put
from wotr_env.games.war_of_the_ring.state import NUM_SIDES

NO_NUMBER = 99

EFFECTS: dict[CombatOp, Effect] = {**combat_effects.EFFECTS, **combat_choices.EFFECTS}
"""One row for each operation except ``CombatOp.NONE``."""

_CHOICES = {op: effect.choice for op, effect in EFFECTS.items() if effect.choice is not None}


@kernel
def is_window(stage):
    """Whether a stage of the battle is a window for effects of Combat cards (R7.9.4)."""
    return (
        stage == BattleStage.START_EFFECTS
        or stage == BattleStage.MODIFIERS
        or stage == BattleStage.BEFORE_REROLL
        or stage == BattleStage.AFTER_ROLLS
        or stage == BattleStage.BEFORE_CASUALTIES
        or stage == BattleStage.AFTER_CASUALTIES
    )


@kernel
def _number_in(state, side, window):
    """The printed number of a side's card in a window, or 99."""
    if state.combat_card[side] >= 0:
        title = COMBAT_TITLE[state.combat_card[side]]
        for index in range(MAX_EFFECTS):
            if COMBAT_PROGRAM[title, index, WINDOW] == window:
                return COMBAT_INITIATIVE[title, index]
    return NO_NUMBER


@kernel
def _first_side(state, window):
    """The side whose card comes first: the defender's card; with an option, the card with the lower number
    (R7.9.4, RU8)."""
    attacker = int(state.battle_attacker)
    lower = _number_in(state, attacker, window) < _number_in(state, 1 - attacker, window)
    if lower and state.options[Option.COMBAT_CARD_ORDER] == CombatCardOrder.INITIATIVE:
        return attacker
    return 1 - attacker


@kernel
def play_window(state, window):
    """Executes the next effect of a window, or ends the window; a destroyed army ends the round (R7.9.7)."""
    if fighting_units(state, 0) == 0 or fighting_units(state, 1) == 0:
        _end_window(state, BattleStage.LOSSES)
        return
    while get(state, BattleFrame.EFFECTS) < NUM_SIDES * MAX_EFFECTS:
        passed = get(state, BattleFrame.EFFECTS)
        index = passed % MAX_EFFECTS
        put(state, BattleFrame.EFFECTS, passed + 1)
        first = _first_side(state, window)
        side = first if passed < MAX_EFFECTS else 1 - first
        if index == 0:
            choose_amount(state, 0, 0)
        if _acts(state, side, index, window):
            row = COMBAT_PROGRAM[COMBAT_TITLE[state.combat_card[side]], index]
            _carry_out(row[OP], state, side, row[FIRST], row[SECOND])
            return
    _end_window(state, window + 1)


@kernel
def _end_window(state, stage):
    put(state, STAGE, stage)
    put(state, BattleFrame.EFFECTS, 0)
    choose_amount(state, 0, 0)


@kernel
def _acts(state, side, index, window):
    """Whether an effect is due: its card is not void, it belongs to this window, and its ``When`` holds."""
    if state.combat_card[side] < 0 or state.combat_void >> side & 1 == 1:
        return False
    title = COMBAT_TITLE[state.combat_card[side]]
    if COMBAT_PROGRAM[title, index, WINDOW] != window:
        return False
    when = COMBAT_PROGRAM[title, index, WHEN]
    own = int(state.hits[side])
    enemy = int(state.hits[1 - side])
    if when == When.OWN_MISSES:
        return state.misses[side] > 0
    if when == When.OWN_HITS:
        return own >= 1
    if when == When.ENEMY_HITS:
        return enemy >= 1
    if when == When.TWO_ENEMY_HITS:
        return enemy >= 2
    if when == When.MORE_HITS:  # extra attacks before the roll count
        return (
            own + state.combat[side, CombatColumn.EARLY_HITS]
            > enemy + state.combat[1 - side, CombatColumn.EARLY_HITS]
        )
    if when == When.DOUBLE_UNITS:
        return fighting_units(state, side) >= 2 * fighting_units(state, 1 - side)
    if when == When.NAZGUL_LEAD:
        return nazgul_points(state) >= leadership(state, Side.FREE_PEOPLES)
    if when == When.NO_ENEMY_CARD:
        return state.combat_card[1 - side] < 0
    return True


@dispatch(kernel, {op: effect.run for op, effect in EFFECTS.items()})
def _carry_out(op, state, side, first, second):
    """Executes one effect of a Combat card (section 22.5), or asks for its choice if it has one (R7.9.9)."""


# --- The choices (D30). ---


@kernel
def _chosen_op(state):
    return chosen_number(state, OP)


@dispatch(kernel, {op: choice.legal for op, choice in _CHOICES.items()}, by=(_chosen_op,))
def legal_combat_choice(state, mask):
    """D30, R7.9.9: COUNT of points, hits or dice; FIGURE, CHARACTER; REGION or withdrawal for Scouts."""


@dispatch(kernel, {op: choice.apply for op, choice in _CHOICES.items()}, by=(_chosen_op,))
def _apply_choice(state, action):
    """Executes the choice."""


@kernel
def apply_combat_choice(state, action):
    """D30: executes the choice for a Combat card (R7.9.9)."""
    if action != Block.VERB + Verb.DECLINE:
        _apply_choice(state, action)
