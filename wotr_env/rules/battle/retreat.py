"""How a defending army leaves a battle: retreat to another region, or into its Stronghold (R7.12, R7.18)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import BattleKind, BattleStage, Verb
from wotr_env.components import NEIGHBOURS, NUM_NEIGHBOURS
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    free_for_movement,
    holds_stronghold,
    is_free,
    is_garrison,
    trim_to_stacking,
)
from wotr_env.rules.movement import army_enters
from wotr_env.rules.parties import choose_whole_army, clear_chosen, transfer_chosen
from wotr_env.rules.seats import deciding_side
from wotr_env.rules.stack import STAGE, put
from wotr_env.ruleset import Option, RetreatInto


@kernel
def _may_retreat_to(state, defender, region):
    """A free region; by option an enemy-controlled Settlement does not close it (R7.18.3, RG42)."""
    if state.options[Option.RETREAT_INTO] == RetreatInto.FREE_FOR_MOVEMENT:
        return free_for_movement(state, defender, region)
    return is_free(state, defender, region)


@kernel
def can_retreat(state, defender):
    """Whether a region next to the battle is free for a retreat (R7.18.3)."""
    for i in range(NUM_NEIGHBOURS[state.battle_target]):
        if _may_retreat_to(state, defender, NEIGHBOURS[state.battle_target, i]):
            return True
    return False


@kernel
def mark_retreats(state, mask, defender):
    """The regions for a retreat (R7.18.3, R7.18.4, R7.15.2)."""
    for i in range(NUM_NEIGHBOURS[state.battle_target]):
        region = NEIGHBOURS[state.battle_target, i]
        if _may_retreat_to(state, defender, region):
            mask[Block.REGION + region] = True


@kernel
def legal_retreat(state, mask):
    """D27, R7.18.3: stay, or one adjacent free region (R7.15.2, R7.18.4)."""
    mask[Block.VERB + Verb.STAY] = True
    mark_retreats(state, mask, deciding_side(state))


@kernel
def apply_retreat(state, action):
    if action != Block.VERB + Verb.STAY:
        retreat_from_battle(state, deciding_side(state), action - Block.REGION)


@kernel
def retreat_from_battle(state, defender, region):
    """The battle ends with a retreat; the top frame is the battle (R7.18.3, R7.18.7)."""
    put(state, STAGE, BattleStage.AFTERMATH)
    state.battle_retreated = 1
    retreat_army(state, defender, int(state.battle_target), region)


@kernel
def retreat_army(state, side, origin, region):
    """The whole army goes, Saruman excepted; the army it joins is trimmed to 10 (R7.18.3, R7.2.3)."""
    choose_whole_army(state, side, origin)
    transfer_chosen(state, side, origin, region)
    army_enters(state, side, region, int(state.chosen_characters))
    clear_chosen(state)
    trim_to_stacking(state, side, region)


@kernel
def can_withdraw(state, defender):
    """The army stands in the region of its own Stronghold and is not besieged there (R7.12.1)."""
    target = int(state.battle_target)
    free_stronghold = holds_stronghold(state, defender, target) and not is_garrison(state, defender, target)
    return state.battle_kind == BattleKind.FIELD and free_stronghold


@kernel
def withdraw_from_battle(state):
    """R7.12.4: withdrawing ends the battle; whether a siege begins is the attacker's choice (RG5)."""
    state.battle_withdrawn = 1
    put(state, STAGE, BattleStage.AFTERMATH)
