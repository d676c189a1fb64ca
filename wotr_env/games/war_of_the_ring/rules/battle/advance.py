"""The attacker's advance after a battle in the field (R7.18.5, R7.18.6, R7.12.4)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Verb
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import settle_in, stacking_room, trim_to_stacking
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_units
from wotr_env.games.war_of_the_ring.rules.chosen import clear_chosen, nothing_chosen, transfer_chosen
from wotr_env.games.war_of_the_ring.rules.movement import army_enters
from wotr_env.games.war_of_the_ring.rules.parties import ADVANCE, apply_pick, legal_pick
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.spent import spent_army_goes
from wotr_env.games.war_of_the_ring.rules.stack import ask_again


@kernel
def can_advance(state, attacker):
    """Whether the field of the target is empty, and the attacker has units and room to advance there
    (R7.18.5).

    Also R7.16.2, R7.18.6.
    """
    target = int(state.battle_target)
    cleared = (
        state.units[target, 1 - attacker] == 0 or state.battle_withdrawn == 1 or state.battle_retreated == 1
    )
    return cleared and fighting_units(state, attacker) > 0 and stacking_room(state, attacker, target) > 0


@kernel
def legal_advance_figures(state, mask):
    """D24, R7.12.4, R7.18.5: advance with all or part of the attacking part, or not.

    The Corsairs of Umbar must land: they neither cease nor stay away (RG16).
    """
    side = deciding_side(state)
    target = int(state.battle_target)
    legal_pick(
        state, mask, ADVANCE, side, int(state.battle_origin), target, 0, stacking_room(state, side, target)
    )
    if nothing_chosen(state) and state.battle_no_cease == 0:
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_advance_figures(state, action):
    """Executes the advance: the effects of entering, and a siege if the defender has withdrawn (R7.5.11,
    R7.12.4, R7.13)."""
    side = deciding_side(state)
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    if action == Block.VERB + Verb.DECLINE:
        return
    if not apply_pick(state, action, ADVANCE, side, origin, target):
        ask_again(state, Decision.ADVANCE_FIGURES)
        return
    transfer_chosen(state, side, origin, target)
    army_enters(state, side, target, int(state.chosen_characters))
    clear_chosen(state)
    spent_army_goes(state, side, origin, target)
    settle_in(state, side, target)
    trim_to_stacking(state, 1 - side, target)
