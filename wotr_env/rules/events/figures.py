"""Events that recruit, replace and hit figures: RECRUIT, SWAP, HITS (section 22.2, R6.4.6-R6.4.10)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.events import EVENT_OPS
from wotr_env.codes import Character, Decision, Figure, Nation, Region, Roll, Settlement, Side
from wotr_env.components import (
    COASTAL,
    EASTERN_EDGE,
    NATION_SIDE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT,
)
from wotr_env.data.event_programs import ArmyChoice, Op, Place
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    FIRST_NATION,
    GARRISON_LIMIT,
    WHOLE_ARMY,
    besieged,
    controller,
    eliminate_unit,
    is_besieger,
    is_free,
    is_garrison,
    recruit_figure,
    reinforcements_of,
    stacking_room,
    suffer_hits,
    trim_to_stacking,
)
from wotr_env.rules.chance import roll_die
from wotr_env.rules.events.conditions import companion_at, leader_of_army, nazgul_at
from wotr_env.rules.events.frame import current_op, next_op, parameter
from wotr_env.rules.movement import capture_if_undefended
from wotr_env.rules.stack import STAGE, A, B, C, D, ask, get, put
from wotr_env.state import NUM_FREE_PEOPLES, NUM_NATIONS

MAX_DICE = 5

# --- RECRUIT (R6.4.7, R6.4.8). Steps: 0 choose the place, then units of free kind; C place, D how many. ---

(
    RECRUIT_NATION,
    RECRUIT_REGULAR,
    RECRUIT_UNIT,
    RECRUIT_ELITE,
    RECRUIT_LEADER,
    RECRUIT_PLACE,
    RECRUIT_PLACES,
) = range(1, 8)


@kernel
def is_open_to(state, side, region):
    """Whether a card may recruit there: no enemy units in the field, no enemy Settlement (R6.4.7)."""
    if is_garrison(state, side, region) or is_besieger(state, side, region):
        return True
    return state.units[region, 1 - side] == 0 and controller(state, region) != 1 - side


@kernel
def unit_room(state, side, region):
    """Units that a card may still add: 5 in a garrison under siege, else 10 in the field (R6.4.7, R7.2.1)."""
    if is_garrison(state, side, region):
        return GARRISON_LIMIT - int(state.units[region, side])
    return stacking_room(state, side, region)


@kernel
def _is_place(state, place, region):
    """Whether a region is one of the places a card names."""
    if place < NUM_REGIONS:
        return region == place
    nation = REGION_NATION[region]
    if place == Place.WITH_BOROMIR:
        return state.location[Character.BOROMIR] == region
    if place == Place.WITH_WITCH_KING:
        return state.location[Character.WITCH_KING] == region
    if place == Place.COAST_WITH_ARMY:
        return COASTAL[region] == 1 and state.units[region, Side.FREE_PEOPLES] > 0
    if place == Place.EDORAS_OR_COMPANION:
        return region == Region.EDORAS or (nation == Nation.ROHAN and companion_at(state, region))
    if place == Place.FREE_ROHAN_SETTLEMENT:
        settled = nation == Nation.ROHAN and SETTLEMENT[region] != Settlement.NONE
        return settled and is_free(state, Side.FREE_PEOPLES, region)
    if place == Place.WITH_SHADOW_ARMY:
        return state.units[region, Side.SHADOW] > 0
    if place == Place.FREE_EASTERN_EDGE:
        edge = nation == Nation.SOUTHRONS and EASTERN_EDGE[region] == 1
        return edge and is_free(state, Side.SHADOW, region)
    if place == Place.SOUTHRON_SETTLEMENT:
        return nation == Nation.SOUTHRONS and SETTLEMENT[region] != Settlement.NONE
    if place == Place.SAURON_STRONGHOLD:
        return nation == Nation.SAURON and SETTLEMENT[region] == Settlement.STRONGHOLD
    return region == Region.MOUNT_GRAM or region == Region.MORIA


@kernel
def _can_recruit_in(state, card, place, region):
    """Whether the card can place at least one of its figures in the region."""
    row = EVENT_OPS[card, place]
    nation = row[RECRUIT_NATION]
    side = NATION_SIDE[nation]
    if not _is_place(state, row[RECRUIT_PLACE], region) or not is_open_to(state, side, region):
        return False
    regulars = (
        row[RECRUIT_REGULAR] + row[RECRUIT_UNIT] > 0 and reinforcements_of(state, nation, Figure.REGULAR) > 0
    )
    elites = row[RECRUIT_ELITE] + row[RECRUIT_UNIT] > 0 and reinforcements_of(state, nation, Figure.ELITE) > 0
    if (regulars or elites) and unit_room(state, side, region) > 0:
        return True
    leaders = row[RECRUIT_LEADER] > 0 and reinforcements_of(state, nation, Figure.LEADER) > 0
    return leaders and (side == Side.SHADOW or state.units[region, side] > 0)


@kernel
def _was_chosen(state, region):
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            return True
    return False


@kernel
def run_recruit(state):
    """Chooses each place, then places the figures: Regulars, Elites, free units, Leaders."""
    if get(state, B) == 0:
        if _recruit_places(state) == 0 or get(state, D) == parameter(state, RECRUIT_PLACES):
            state.moved_count = 0
            next_op(state)
        else:
            ask(state, int(state.acting), Decision.EVENT_REGION)
        return
    region = get(state, C)
    nation = parameter(state, RECRUIT_NATION)
    if get(state, B) <= parameter(state, RECRUIT_UNIT) and _unit_choices(state, nation, region) > 0:
        ask(state, int(state.acting), Decision.EVENT_FIGURE)
        return
    _place(state, region, nation, Figure.LEADER, parameter(state, RECRUIT_LEADER))
    put(state, B, 0)
    put(state, D, get(state, D) + 1)
    trim_to_stacking(state, NATION_SIDE[nation], region)


@kernel
def _recruit_places(state):
    places = 0
    for region in range(NUM_REGIONS):
        if _can_recruit_in(state, get(state, A), get(state, STAGE), region) and not _was_chosen(
            state, region
        ):
            places += 1
    return places


@kernel
def _place(state, region, nation, figure, count):
    """Places as many of the figures as there are and as fit (R0.11, R6.4.4, R6.4.8)."""
    side = NATION_SIDE[nation]
    for _ in range(count):
        if reinforcements_of(state, nation, figure) == 0:
            return
        if figure == Figure.LEADER:
            if side == Side.FREE_PEOPLES and state.units[region, side] == 0:
                return
        elif unit_room(state, side, region) <= 0:
            return
        recruit_figure(state, region, nation, figure)


@kernel
def _unit_choices(state, nation, region):
    """Kinds of units that can be placed for a unit of the player's choice."""
    if unit_room(state, NATION_SIDE[nation], region) <= 0:
        return 0
    choices = 1 if reinforcements_of(state, nation, Figure.REGULAR) > 0 else 0
    return choices + (1 if reinforcements_of(state, nation, Figure.ELITE) > 0 else 0)


@kernel
def legal_recruit(state, mask):
    """D44: Regular or Elite for each unit that the card leaves open (22.4)."""
    nation = parameter(state, RECRUIT_NATION)
    for figure in range(Figure.LEADER):
        if reinforcements_of(state, nation, figure) > 0:
            mask[Block.FIGURE + 3 * nation + figure] = True


@kernel
def apply_recruit(state, action):
    recruit_figure(state, get(state, C), (action - Block.FIGURE) // 3, (action - Block.FIGURE) % 3)
    put(state, B, get(state, B) + 1)


# --- SWAP: The Grey Company in one army, Hill-trolls anywhere. Step: figures replaced so far. ---


@kernel
def _can_promote(state, region, nation):
    return state.regular[region, nation] > 0 and reinforcements_of(state, nation, Figure.ELITE) > 0


@kernel
def _promote(state, region, nation):
    """A Regular gives way to an Elite; the FP Regular is eliminated (fp-char-24), the Shadow's goes back."""
    eliminate_unit(state, region, nation, Figure.REGULAR)
    recruit_figure(state, region, nation, Figure.ELITE)


@kernel
def _army_to_promote(state, card, place):
    leader = leader_of_army(state, EVENT_OPS[card, place, 1], 0)
    return int(state.location[leader]) if leader >= 0 else -1


@kernel
def run_promote(state):
    if not is_possible(state, get(state, A), get(state, STAGE)):
        next_op(state)
    elif current_op(state) == Op.PROMOTE_IN_ARMY:
        ask(state, int(state.acting), Decision.EVENT_NATION)
    elif get(state, B) < parameter(state, 2):
        ask(state, int(state.acting), Decision.EVENT_REGION)
    else:
        next_op(state)


@kernel
def legal_promote(state, mask):
    """D44: the nation of the Regular that becomes an Elite (fp-char-24)."""
    region = _army_to_promote(state, get(state, A), get(state, STAGE))
    for nation in range(NUM_FREE_PEOPLES):
        if _can_promote(state, region, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_promote(state, action):
    _promote(state, _army_to_promote(state, get(state, A), get(state, STAGE)), action - Block.NATION)
    next_op(state)


# --- HITS outside a battle (R6.4.6, R6.4.10). C region hit; step 1: after the casualties. ---


@kernel
def roll_dice(state, dice, on):
    """How many of so many dice show the number or more."""
    found = 0
    for _ in range(dice):
        if roll_die(state, Roll.EVENT, int(state.acting), on) >= on:
            found += 1
    return found


@kernel
def nations_in(state, side, region):
    """Nations with units of a side in a region."""
    count = 0
    for nation in range(FIRST_NATION[side], NUM_NATIONS if side == Side.SHADOW else NUM_FREE_PEOPLES):
        if state.regular[region, nation] + state.elite[region, nation] > 0:
            count += 1
    return count


@kernel
def _can_be_hit(state, choice, region):
    if state.units[region, Side.SHADOW] == 0:
        return False
    if choice == ArmyChoice.OF_TWO_NATIONS:
        return nations_in(state, Side.SHADOW, region) >= 2
    return region == Region.OSGILIATH or region == Region.SOUTH_ITHILIEN or region == Region.NORTH_ITHILIEN


@kernel
def run_hits(state):
    """One Shadow army, chosen by the card's player, suffers the hits of the roll."""
    if get(state, B) == 0:
        if is_possible(state, get(state, A), get(state, STAGE)):
            ask(state, int(state.acting), Decision.EVENT_REGION)
        else:
            next_op(state)
    else:
        after_hits(state, Side.SHADOW, get(state, C))
        next_op(state)


@kernel
def after_hits(state, side, region):
    """A garrison destroyed by a card loses its Stronghold to the besieger at once (R6.4.10)."""
    if state.units[region, side] == 0 and state.units[region, 1 - side] > 0:
        capture_if_undefended(state, 1 - side, region)


# Dreadful Spells: C the army hit, then the Nazgul's army; both may be garrisons (22.4, RG11, RG12).


@kernel
def _is_near(first, second):
    """The same region or an adjacent one (section 22.1)."""
    if first == second:
        return True
    for i in range(NUM_NEIGHBOURS[first]):
        if NEIGHBOURS[first, i] == second:
            return True
    return False


@kernel
def _casts_spells(state, source, target):
    """A Shadow army with a Nazgul near an FP army (sh-char-19)."""
    armed = state.units[source, Side.SHADOW] > 0 and nazgul_at(state, source) > 0
    return armed and state.units[target, Side.FREE_PEOPLES] > 0 and _is_near(source, target)


@kernel
def _some_caster(state, target):
    if state.units[target, Side.FREE_PEOPLES] == 0:
        return False
    for source in range(NUM_REGIONS):
        if _casts_spells(state, source, target):
            return True
    return False


@kernel
def run_dreadful_spells(state):
    if get(state, B) < 2:
        ask(state, int(state.acting), Decision.EVENT_REGION)
    else:
        after_hits(state, Side.FREE_PEOPLES, get(state, C))
        next_op(state)


# Return to Valinor: step counts the Elven Strongholds, C is the army just hit.


@kernel
def _valinor_dice(state, region):
    """One die per Elven unit with an FP army in an unbesieged Elven Stronghold (RG37)."""
    elven = REGION_NATION[region] == Nation.ELVES and SETTLEMENT[region] == Settlement.STRONGHOLD
    if not elven or besieged(state, region):
        return 0
    units = int(state.regular[region, Nation.ELVES]) + int(state.elite[region, Nation.ELVES])
    return min(MAX_DICE, units)


@kernel
def run_valinor(state):
    """Each Elven Stronghold in the order of the map: hits on the whole army there (sh-strat-01)."""
    for region in range(get(state, B), NUM_REGIONS):
        dice = _valinor_dice(state, region)
        if dice > 0:
            put(state, B, region + 1)
            suffer_hits(state, Side.FREE_PEOPLES, region, roll_dice(state, dice, 6), WHOLE_ARMY)
            return
    next_op(state)


# --- Regions for these events, and whether they have any effect. ---


@kernel
def legal_region(state, mask):
    """D44: the place of recruits or of the Regular to replace; the army hit, and who casts the spells."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _is_choice(state, current_op(state), region)


@kernel
def _is_choice(state, op, region):
    if op == Op.RECRUIT:
        usable = _can_recruit_in(state, get(state, A), get(state, STAGE), region)
        return usable and not _was_chosen(state, region)
    if op == Op.PROMOTE_ANYWHERE:
        return _can_promote(state, region, parameter(state, 1))
    if op == Op.HITS:
        return _can_be_hit(state, parameter(state, 3), region)
    if get(state, B) == 0:
        return _some_caster(state, region)
    return _casts_spells(state, region, get(state, C))


@kernel
def apply_region(state, action):
    region = action - Block.REGION
    op = current_op(state)
    if op == Op.RECRUIT:
        _recruit_there(state, region)
    elif op == Op.PROMOTE_ANYWHERE:
        _promote(state, region, parameter(state, 1))
        put(state, B, get(state, B) + 1)
    elif op == Op.HITS:
        put(state, B, 1)
        put(state, C, region)
        hits = roll_dice(state, parameter(state, 1), parameter(state, 2))
        suffer_hits(state, Side.SHADOW, region, hits, WHOLE_ARMY)
    elif get(state, B) == 0:
        put(state, B, 1)
        put(state, C, region)
    else:
        put(state, B, 2)
        hits = roll_dice(state, min(MAX_DICE, nazgul_at(state, region)), 5)
        suffer_hits(state, Side.FREE_PEOPLES, get(state, C), hits, WHOLE_ARMY)


@kernel
def _recruit_there(state, region):
    """The figures of fixed kind at once; units of the player's choice are asked for (22.4)."""
    nation = parameter(state, RECRUIT_NATION)
    state.moved_to[state.moved_count] = region
    state.moved_count += 1
    put(state, B, 1)
    put(state, C, region)
    _place(state, region, nation, Figure.REGULAR, parameter(state, RECRUIT_REGULAR))
    _place(state, region, nation, Figure.ELITE, parameter(state, RECRUIT_ELITE))


@kernel
def is_possible(state, card, place):
    """Whether the operation would change anything (R6.4.4)."""
    op = EVENT_OPS[card, place, 0]
    if op == Op.PROMOTE_IN_ARMY:
        region = _army_to_promote(state, card, place)
        for nation in range(NUM_FREE_PEOPLES):
            if region >= 0 and _can_promote(state, region, nation):
                return True
        return False
    for region in range(NUM_REGIONS):
        if op == Op.RECRUIT and _can_recruit_in(state, card, place, region):
            return True
        if op == Op.PROMOTE_ANYWHERE and _can_promote(state, region, EVENT_OPS[card, place, 1]):
            return True
        if op == Op.HITS and _can_be_hit(state, EVENT_OPS[card, place, 3], region):
            return True
        if op == Op.DREADFUL_SPELLS and _some_caster(state, region):
            return True
        if op == Op.VALINOR and _valinor_dice(state, region) > 0:
            return True
    return False
