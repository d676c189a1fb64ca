"""Corsairs of Umbar (sh-strat-10): a landing, or a battle between regions that are not adjacent."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Nation, Side
from wotr_env.games.war_of_the_ring.components import COASTAL, NUM_REGIONS, REGION_NATION, Region
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import is_besieger, is_garrison
from wotr_env.games.war_of_the_ring.rules.battle.attack import is_target, start_battle
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.carrying import (
    CarryStep,
    can_be_carried,
    carry_party,
    legal_party,
    picks_party,
)
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.parties import ATTACK, MOVE, UNLIMITED, can_form
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put


@kernel
def _is_landing(state, region):
    """Whether a region is a coastal Gondor region that Umbar's army may enter or attack (sh-strat-10,
    RG16)."""
    sailing = state.units[Region.UMBAR, Side.SHADOW] > 0 and not is_garrison(state, Side.SHADOW, Region.UMBAR)
    if REGION_NATION[region] != Nation.GONDOR or COASTAL[region] == 0 or not sailing:
        return False
    if _is_attack(state, region):
        return can_form(state, ATTACK, Side.SHADOW, Region.UMBAR, region, 0, UNLIMITED)
    return can_be_carried(state, Side.SHADOW, Region.UMBAR, region)


@kernel
def _is_attack(state, region):
    """Whether a Free Peoples army is in the field of the region, so that the landing is a battle (RG16)."""
    return state.units[region, Side.FREE_PEOPLES] > 0 and not is_besieger(state, Side.SHADOW, region)


@kernel
def corsairs_can_land(state):
    for region in range(NUM_REGIONS):
        if _is_landing(state, region):
            return True
    return False


@kernel
def run_corsairs(state):
    """Executes the landing; an assault may follow if the army then besieges a Stronghold."""
    step = current_step(state)
    if step == CarryStep.ORIGIN:
        put(state, EventFrame.PLACE, Region.UMBAR)
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    elif step == CarryStep.FIGURES:
        ask(state, Side.SHADOW, Decision.EVENT_FIGURE)
    elif step == CarryStep.ARRIVED:
        region = get(state, EventFrame.TARGET)
        go_to_step(state, CarryStep.OVER)
        if (
            is_besieger(state, Side.SHADOW, region)
            and is_target(state, Side.SHADOW, region, region)
            and can_form(state, ATTACK, Side.SHADOW, region, region, 0, UNLIMITED)
        ):
            state.battle_origin = region
            state.battle_target = region
            ask(state, Side.SHADOW, Decision.ATTACK_FIGURES)
    else:
        next_op(state)


@kernel
def legal_landing(state, mask):
    """D44: the region of the landing."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_landing(state, region)


@kernel
def apply_landing(state, action):
    put(state, EventFrame.TARGET, action - Block.REGION)
    go_to_step(state, CarryStep.FIGURES)


@kernel
def legal_corsair(state, mask):
    """D44: the figures that land."""
    attack = _is_attack(state, get(state, EventFrame.TARGET))
    legal_party(state, mask, ATTACK if attack else MOVE)


@kernel
def apply_corsair(state, action):
    if not _is_attack(state, get(state, EventFrame.TARGET)):
        if picks_party(state, action, MOVE):
            carry_party(state)
    elif picks_party(state, action, ATTACK):
        go_to_step(state, CarryStep.OVER)
        state.battle_origin = get(state, EventFrame.PLACE)
        state.battle_target = get(state, EventFrame.TARGET)
        start_battle(state, Side.SHADOW)
        state.battle_no_cease = 1


OPERATIONS = {
    Op.CORSAIRS: Operation(
        corsairs_can_land,
        run_corsairs,
        {
            Decision.EVENT_REGION: Choice(
                "D44",
                Asked.SHADOW,
                legal_landing,
                apply_landing,
                "where the army of Umbar lands by {card}",
                "land in {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D44",
                Asked.SHADOW,
                legal_corsair,
                apply_corsair,
                "which figures go from {event_region} to {event_place} by {card}; picked: {chosen}",
                "take {} along",
            ),
        },
    )
}
