"""Return to Valinor (sh-strat-01): hits on several armies, one after another."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import MAX_DICE, NUM_REGIONS, REGION_NATION, SETTLEMENT
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import WHOLE_ARMY, besieged, suffer_hits
from wotr_env.games.war_of_the_ring.rules.events.figures import after_hits, roll_dice
from wotr_env.games.war_of_the_ring.rules.events.frame import current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation


@kernel
def _dice_at(state, region):
    """The number of dice: one per Elven unit of a Free Peoples army in an unbesieged Elven Stronghold
    (RG37)."""
    elven = REGION_NATION[region] == Nation.ELVES and SETTLEMENT[region] == Settlement.STRONGHOLD
    if not elven or besieged(state, region):
        return 0
    units = int(state.regular[region, Nation.ELVES]) + int(state.elite[region, Nation.ELVES])
    return min(MAX_DICE, units)


@kernel
def some_elf_can_return(state):
    for region in range(NUM_REGIONS):
        if _dice_at(state, region) > 0:
            return True
    return False


@kernel
def run_valinor(state):
    """Rolls for each Elven Stronghold in the order of the map; the step counts them (sh-strat-01,
    R6.4.10)."""
    struck = current_step(state) - 1
    if struck >= 0:
        after_hits(state, Side.FREE_PEOPLES, struck)
    for region in range(struck + 1, NUM_REGIONS):
        dice = _dice_at(state, region)
        if dice > 0:
            go_to_step(state, region + 1)
            suffer_hits(state, Side.FREE_PEOPLES, region, roll_dice(state, dice, 6), WHOLE_ARMY)
            return
    next_op(state)


OPERATIONS = {Op.VALINOR: Operation(some_elf_can_return, run_valinor)}
