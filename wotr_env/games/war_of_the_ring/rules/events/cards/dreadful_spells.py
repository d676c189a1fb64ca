"""Dreadful Spells (sh-char-19): two armies are chosen, which may both be garrisons (22.4, RG11, RG12)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import MAX_DICE, NEIGHBOURS, NUM_NEIGHBOURS, NUM_REGIONS
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import WHOLE_ARMY, suffer_hits
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.conditions import nazgul_at
from wotr_env.games.war_of_the_ring.rules.events.figures import after_hits, roll_dice
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.regions import first_region, regions_with_units, without_first
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put


class SpellStep(Codes):
    TARGET = 0
    CASTERS = 1
    CAST = 2


@kernel
def _is_near(first, second):
    """Whether two regions are the same or adjacent (section 22.1)."""
    if first == second:
        return True
    for i in range(NUM_NEIGHBOURS[first]):
        if NEIGHBOURS[first, i] == second:
            return True
    return False


@kernel
def _casts_spells(state, source, target):
    """Whether a Shadow army with a Nazgul is near a Free Peoples army (sh-char-19)."""
    armed = state.units[source, Side.SHADOW] > 0 and nazgul_at(state, source) > 0
    return armed and state.units[target, Side.FREE_PEOPLES] > 0 and _is_near(source, target)


@kernel
def _some_caster(state, target):
    if state.units[target, Side.FREE_PEOPLES] == 0:
        return False
    low, high = regions_with_units(state, Side.SHADOW)
    while low | high != 0:
        if _casts_spells(state, first_region(low, high), target):
            return True
        low, high = without_first(low, high)
    return False


@kernel
def some_spell(state):
    low, high = regions_with_units(state, Side.FREE_PEOPLES)
    while low | high != 0:
        if _some_caster(state, first_region(low, high)):
            return True
        low, high = without_first(low, high)
    return False


@kernel
def run_dreadful_spells(state):
    if current_step(state) == SpellStep.CAST:
        after_hits(state, Side.FREE_PEOPLES, get(state, EventFrame.PLACE))
        next_op(state)
    else:
        ask(state, Side.SHADOW, Decision.EVENT_REGION)


@kernel
def legal_spell_target(state, mask):
    """D44: the army that is hit."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _some_caster(state, region)


@kernel
def apply_spell_target(state, action):
    put(state, EventFrame.PLACE, action - Block.REGION)
    go_to_step(state, SpellStep.CASTERS)


@kernel
def legal_spell_casters(state, mask):
    """D44: the army whose Nazgul cast the spells."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _casts_spells(state, region, get(state, EventFrame.PLACE))


@kernel
def apply_spell_casters(state, action):
    go_to_step(state, SpellStep.CAST)
    hits = roll_dice(state, min(MAX_DICE, nazgul_at(state, action - Block.REGION)), 5)
    suffer_hits(state, Side.FREE_PEOPLES, get(state, EventFrame.PLACE), hits, WHOLE_ARMY)


OPERATIONS = {
    Op.DREADFUL_SPELLS: Operation(
        some_spell,
        run_dreadful_spells,
        {
            (Decision.EVENT_REGION, SpellStep.TARGET): Choice(
                "D44",
                Asked.SHADOW,
                legal_spell_target,
                apply_spell_target,
                "which Free Peoples army {card} strikes",
                "strike the army of {}",
            ),
            (Decision.EVENT_REGION, SpellStep.CASTERS): Choice(
                "D44",
                Asked.SHADOW,
                legal_spell_casters,
                apply_spell_casters,
                "whose Nazgul cast {card} on {event_region}",
                "the Nazgul of {} cast them",
            ),
        },
    )
}
