"""Politics: activation, the political track, peace and war (R8)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Nation, Plan, Region, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    ACTIVATES,
    NATION_SIDE,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION, at_war, controller
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation, deciding_side
from wotr_env.games.war_of_the_ring.rules.spent import is_barred, spend_nations
from wotr_env.games.war_of_the_ring.rules.table.modifiers import (
    Modifier,
    discard_from_table,
    is_spellbound,
    is_threatened,
)
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_FREE_PEOPLES


@kernel
def rouse(state, nation):
    """Makes a Free Peoples nation active for good, by a cause that Wormtongue cannot stop (R8.2)."""
    state.active[nation] = 1


@kernel
def activate(state, nation):
    """Makes a Free Peoples nation active by an army or a card, unless Wormtongue prevents it (R8.2,
    R8.2.1)."""
    if not is_spellbound(state, nation):
        rouse(state, nation)


@kernel
def can_advance(state, nation):
    """Whether a step on the political track is possible; a passive nation cannot enter At War (R8.4,
    R8.1)."""
    steps = state.steps_to_war[nation]
    return steps > 1 or (steps == 1 and state.active[nation] == 1)


@kernel
def advance(state, nation):
    """Moves a nation one step towards war; a step that would bring a passive nation to war is lost (R8.3,
    R8.4)."""
    if can_advance(state, nation):
        state.steps_to_war[nation] -= 1


@kernel
def attacked(state, side, region):
    """Activates and then advances each nation with a unit in an attacked army (R7.8.7, R8.0, RU35).

    An attack on Edoras or Helm's Deep ends Wormtongue's spell (sh-char-22). The advance of a Free Peoples
    nation ends Threats and Promises (sh-strat-05).
    """
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if state.regular[region, nation] + state.elite[region, nation] > 0:
            if region == Region.EDORAS or region == Region.HELMS_DEEP:
                rouse(state, nation)
            else:
                activate(state, nation)
            if side == Side.FREE_PEOPLES and can_advance(state, nation):
                discard_from_table(state, Modifier.THREATS_AND_PROMISES)
            advance(state, nation)


@kernel
def shadow_army_enters(state, region):
    """Activates the Free Peoples nation whose region a Shadow army enters (R8.2 a); Osgiliath belongs to no
    nation (R8.2.1)."""
    if REGION_SIDE[region] == Side.FREE_PEOPLES:
        activate(state, REGION_NATION[region])


@kernel
def in_own_city_or_stronghold(state, region):
    """Whether a region is a City or Stronghold of a Free Peoples nation that the Shadow does not control
    (R8.2 c and d, R9.5.4)."""
    kind = SETTLEMENT[region]
    return (
        (kind == Settlement.CITY or kind == Settlement.STRONGHOLD)
        and REGION_SIDE[region] == Side.FREE_PEOPLES
        and controller(state, region) == Side.FREE_PEOPLES
    )


@kernel
def companions_arrive(state, region, companions):
    """Activates a nation when Companions (a bit set) that can influence it are in one of its Cities or
    Strongholds (R8.2 d)."""
    if in_own_city_or_stronghold(state, region):
        nation = REGION_NATION[region]
        for character in range(NUM_CHARACTERS):
            if companions >> character & 1 and ACTIVATES[character, nation]:
                rouse(state, nation)


@kernel
def can_muster_advance(state, nation):
    """Whether a Muster result can advance a nation; Threats and Promises forbids this for passive nations
    (R8.3 a, RG20).

    Only the nation's player can do this (R13.5.1), and a player without a partner not twice in a row
    (R13.7.3).
    """
    if not can_advance(state, nation) or is_threatened(state, nation):
        return False
    return controls_nation(state, NATION_SIDE[nation], nation) and not is_barred(state, nation)


@kernel
def some_nation_can_advance(state, side):
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if can_muster_advance(state, nation):
            return True
    return False


@kernel
def companion_can_advance(state, nation):
    """Whether Boromir, Legolas or Gimli can advance a nation with any die; each must be at a named place
    (R14.3-R14.5)."""
    if not can_advance(state, nation) or is_barred(state, nation):
        return False
    if nation == Nation.GONDOR:
        region = state.location[Character.BOROMIR]
    elif nation == Nation.ELVES:
        region = state.location[Character.LEGOLAS]
    elif nation == Nation.DWARVES:
        region = state.location[Character.GIMLI]
        if region != Region.EREBOR:
            return False
    else:
        return False
    return region >= 0 and REGION_NATION[region] == nation and in_own_city_or_stronghold(state, region)


@kernel
def some_companion_can_advance(state):
    for nation in range(NUM_FREE_PEOPLES):
        if companion_can_advance(state, nation):
            return True
    return False


@kernel
def legal_advance_nation(state, mask):
    """D09, D19: a nation of the deciding side that is not At War and that the step would move (R8.3 a, R8.3
    e)."""
    side = deciding_side(state)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if state.action_plan == Plan.COMPANION_ADVANCE:
            mask[Block.NATION + nation] = companion_can_advance(state, nation)
        else:
            mask[Block.NATION + nation] = can_muster_advance(state, nation)


@kernel
def apply_advance_nation(state, action):
    """Advances the nation; the ability of a Companion also ends Threats and Promises (R8.3 a, R8.3 e,
    sh-strat-05)."""
    if state.action_plan == Plan.COMPANION_ADVANCE:
        discard_from_table(state, Modifier.THREATS_AND_PROMISES)
    spend_nations(state, deciding_side(state), 1 << (action - Block.NATION))
    advance(state, action - Block.NATION)


@kernel
def all_at_war(state, side):
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if not at_war(state, nation):
            return False
    return True
