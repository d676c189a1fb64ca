"""Events beyond the common operations (section 22.8): each says why the vocabulary does not reach."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.event_programs import EVENT_OPS, Area, Op
from wotr_env.codes import (
    Character,
    Decision,
    Figure,
    Nation,
    Roll,
    Settlement,
    Side,
    TileValue,
    TileZone,
    Verb,
)
from wotr_env.components import (
    CHARACTER_SIDE,
    IS_COMPANION,
    NATION_SIDE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    NUM_TILES,
    REGION_NATION,
    SETTLEMENT,
    TILE_VALUE,
    Region,
)
from wotr_env.kernels import kernel
from wotr_env.rules.armies import (
    END_NATION,
    FIELD_LIMIT,
    FIRST_NATION,
    WHOLE_ARMY,
    controller,
    eliminate_leader,
    eliminate_unit,
    is_free,
    recruit_figure,
    remove_lone_leaders,
    suffer_hits,
)
from wotr_env.rules.battle.retreat import retreat_army
from wotr_env.rules.chance import roll_die
from wotr_env.rules.characters import eliminate_character
from wotr_env.rules.events.conditions import companion_at, has_visitor, leader_of_army
from wotr_env.rules.events.figures import after_hits, roll_dice
from wotr_env.rules.events.frame import current_op, next_op
from wotr_env.rules.hunt.tiles import draw_tile
from wotr_env.rules.movement import capture
from wotr_env.rules.politics import companions_arrive
from wotr_env.rules.stack import B, C, D, ask, get, put
from wotr_env.ruleset import Option
from wotr_env.state import NUM_CHARACTERS, NUM_FREE_PEOPLES

FIRST_BOX = 3  # steps from war of the first box of the political track
EYES = 3
CHALLENGERS = 1 << int(Character.STRIDER) | 1 << int(Character.ARAGORN)
RECRUITS = 3


@kernel
def is_possible(state, card, place):
    """Whether the operation would change anything now (R6.4.4)."""
    op = EVENT_OPS[card, place, 0]
    if op == Op.EXTRA_CARD:
        return False  # never a reason to play The Ents Awake
    if op == Op.ENTS:
        army = state.units[Region.ORTHANC, Side.SHADOW] > 0
        return army or state.location[Character.SARUMAN] == Region.ORTHANC
    if op == Op.STORMCROW:
        for nation in range(NUM_FREE_PEOPLES):
            if _can_step_back(state, nation):
                return True
        return False
    if op == Op.EAGLES:
        for region in range(NUM_REGIONS):
            if _eagles_may_strike(state, region):
                return True
        return False
    return True


# --- Challenge of the King (fp-char-14): tiles drawn outside a Hunt, some leave the game. ---


@kernel
def _take_tile(state):
    """A tile in the hand is not among the drawn ones that come back."""
    tile = draw_tile(state, Side.FREE_PEOPLES)
    if tile >= 0:
        state.tile_zone[tile] = TileZone.REMOVED
    return tile


@kernel
def run_challenge(state):
    """Three Eyes cost Strider or Aragorn, else the Eyes drawn leave the game; the rest go back."""
    eyes = 0
    first = _take_tile(state)
    second = _take_tile(state)
    third = _take_tile(state)
    for tile in range(NUM_TILES):
        if (tile == first or tile == second or tile == third) and TILE_VALUE[tile] == TileValue.EYE:
            eyes += 1
    for tile in range(NUM_TILES):
        if tile == first or tile == second or tile == third:
            lost = eyes < EYES and TILE_VALUE[tile] == TileValue.EYE
            state.tile_zone[tile] = TileZone.REMOVED if lost else TileZone.POOL
    if eyes == EYES:
        challenger = leader_of_army(state, CHALLENGERS, Area.GONDOR_OR_ROHAN)
        if challenger >= 0:
            eliminate_character(state, challenger)
    next_op(state)


# --- The Eagles Are Coming! (fp-char-18): C the army struck; step 0 choose it, 1 where the Nazgul go. ---


@kernel
def _eagles_may_strike(state, region):
    """A Shadow army with a Nazgul near an FP army with a Companion; the Witch-king is none here."""
    if state.units[region, Side.SHADOW] == 0 or state.leader[region, Nation.SAURON] == 0:
        return False
    if _friends_at(state, region):
        return True
    for i in range(NUM_NEIGHBOURS[region]):
        if _friends_at(state, NEIGHBOURS[region, i]):
            return True
    return False


@kernel
def _friends_at(state, region):
    return state.units[region, Side.FREE_PEOPLES] > 0 and companion_at(state, region)


@kernel
def _is_nazgul_refuge(state, region):
    """A Sauron Stronghold not controlled by the Free Peoples."""
    sauron = REGION_NATION[region] == Nation.SAURON and SETTLEMENT[region] == Settlement.STRONGHOLD
    return sauron and controller(state, region) == Side.SHADOW


@kernel
def run_eagles(state):
    """A roll per Nazgul, then the survivors flee together: a kill and a move that depends on it."""
    step = get(state, B)
    if step == 0:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
    elif step == 1 and state.leader[get(state, C), Nation.SAURON] > 0 and _some_refuge(state):
        ask(state, Side.SHADOW, Decision.EVENT_REGION)
    else:
        next_op(state)


@kernel
def _some_refuge(state):
    for region in range(NUM_REGIONS):
        if _is_nazgul_refuge(state, region):
            return True
    return False


@kernel
def _eagles_strike(state, region):
    put(state, B, 1)
    put(state, C, region)
    dice = min(5, int(state.leader[region, Nation.SAURON]))
    for _ in range(roll_dice(state, dice, 5)):
        eliminate_leader(state, region, Nation.SAURON)


@kernel
def _nazgul_flee(state, region):
    origin = get(state, C)
    nazgul = state.leader[origin, Nation.SAURON]
    state.leader[origin, Nation.SAURON] = 0
    state.leader[region, Nation.SAURON] += nazgul
    next_op(state)


# --- The Ents Awake (fp-char-19 to 21): hits, and what dies with the army. Step 1: after the casualties. ---


@kernel
def run_ents(state):
    """Hits on the army of Orthanc; Nazgul and Minions die with it, Saruman without one."""
    army = state.units[Region.ORTHANC, Side.SHADOW] > 0
    if get(state, B) == 0 and army:
        put(state, B, 1)
        suffer_hits(state, Side.SHADOW, Region.ORTHANC, roll_dice(state, 3, 4), WHOLE_ARMY)
        return
    if get(state, B) == 1 and not army:
        _kill_retinue(state, Region.ORTHANC)
        after_hits(state, Side.SHADOW, Region.ORTHANC)
    if not army and state.location[Character.SARUMAN] == Region.ORTHANC:
        eliminate_character(state, Character.SARUMAN)
    next_op(state)


@kernel
def _kill_retinue(state, region):
    """Nazgul and Minions die with their army."""
    while state.leader[region, Nation.SAURON] > 0:
        eliminate_leader(state, region, Nation.SAURON)
    for character in range(NUM_CHARACTERS):
        if CHARACTER_SIDE[character] == Side.SHADOW and state.location[character] == region:
            eliminate_character(state, character)


@kernel
def extra_card_allowed(state):
    """By option a further Character card, with Gandalf the White in Fangorn or Rohan (22.4)."""
    region = int(state.location[Character.GANDALF_WHITE])
    if state.options[Option.ENTS_EXTRA_CARD] == 0 or region < 0:
        return False
    return region == Region.FANGORN or REGION_NATION[region] == Nation.ROHAN


# --- Dead Men of Dunharrow (fp-char-22). Steps: 0 where, 1 who goes along, 2 hits, 3 retreat, 4 recruits.
# C the destination, D recruits placed. ---


@kernel
def _dead_men_leader(state):
    """Strider or Aragorn in a region of Rohan."""
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if CHALLENGERS >> character & 1 and region >= 0 and REGION_NATION[region] == Nation.ROHAN:
            return character
    return -1


@kernel
def _is_dead_men_end(region):
    return region == Region.ERECH or region == Region.LAMEDON or region == Region.PELARGIR


@kernel
def run_dead_men(state):
    """A chain of move, hits, retreat or destruction, recruits and control of one place."""
    step = get(state, B)
    region = get(state, C)
    if step == 0:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
    elif step == 1:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CHARACTER)
    elif step == 2:
        if state.units[region, Side.SHADOW] > 0:
            put(state, B, 3)
            hits = roll_die(state, Roll.EVENT, Side.FREE_PEOPLES, 0)
            suffer_hits(state, Side.SHADOW, region, hits, WHOLE_ARMY)
        else:
            put(state, B, 4)
    elif step == 3:
        if state.units[region, Side.SHADOW] > 0 and _can_flee(state, region):
            ask(state, Side.SHADOW, Decision.EVENT_REGION)
        else:
            _destroy(state, region)
            put(state, B, 4)
    elif get(state, D) < RECRUITS and _can_raise_gondor(state, region):
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_FIGURE)
    else:
        next_op(state)


@kernel
def _can_flee(state, region):
    """RG17: a retreat legal by R7.18.3."""
    for i in range(NUM_NEIGHBOURS[region]):
        if is_free(state, Side.SHADOW, NEIGHBOURS[region, i]):
            return True
    return False


@kernel
def _destroy(state, region):
    """The rest of the army dies with its Nazgul and Minions."""
    side = int(Side.SHADOW)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        while state.regular[region, nation] > 0:
            eliminate_unit(state, region, nation, Figure.REGULAR)
        while state.elite[region, nation] > 0:
            eliminate_unit(state, region, nation, Figure.ELITE)
    _kill_retinue(state, region)


@kernel
def _can_raise_gondor(state, region):
    """Room for a Gondor Regular of the reinforcements; Shadow control of the Settlement is no bar."""
    room = state.units[region, Side.FREE_PEOPLES] < FIELD_LIMIT and state.units[region, Side.SHADOW] == 0
    return room and state.reinforcement_regular[Nation.GONDOR] > 0


@kernel
def legal_dead_men_companion(state, mask):
    """D44: Companions of his region who go along, or done."""
    leader = _dead_men_leader(state)
    for character in range(NUM_CHARACTERS):
        together = state.location[character] == state.location[leader]
        if IS_COMPANION[character] and character != leader and together:
            if state.chosen_characters >> character & 1 == 0:
                mask[Block.CHARACTER + character] = True
    mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_dead_men_companion(state, action):
    if action != Block.VERB + Verb.DONE:
        state.chosen_characters |= 1 << (action - Block.CHARACTER)
        return
    region = get(state, C)
    company = int(state.chosen_characters) | 1 << _dead_men_leader(state)
    state.chosen_characters = 0
    for character in range(NUM_CHARACTERS):
        if company >> character & 1:
            state.location[character] = region
    companions_arrive(state, region, company)
    put(state, B, 2)


# --- Stormcrow (sh-strat-06). C the nation, D the region; steps: 0 nation, 1 region, 2 figure. ---


@kernel
def _can_step_back(state, nation):
    """A visited nation that the card would change: a step back, or a figure to lose (R6.4.4)."""
    return has_visitor(state, nation) and (
        state.steps_to_war[nation] < FIRST_BOX or _has_figure(state, nation)
    )


@kernel
def run_stormcrow(state):
    """The nation steps back, and its owner chooses a figure of it anywhere to lose."""
    step = get(state, B)
    if step == 0:
        ask(state, Side.SHADOW, Decision.EVENT_NATION)
    elif step == 1:
        if _has_figure(state, get(state, C)):
            ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
        else:
            next_op(state)
    else:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_FIGURE)


@kernel
def legal_stormcrow(state, mask):
    """D44: the nation that steps back."""
    for nation in range(NUM_FREE_PEOPLES):
        if _can_step_back(state, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_stormcrow(state, action):
    nation = action - Block.NATION
    put(state, C, nation)
    put(state, B, 1)
    state.steps_to_war[nation] = min(FIRST_BOX, int(state.steps_to_war[nation]) + 1)


@kernel
def _figures_of(state, nation, region):
    figures = int(state.regular[region, nation]) + int(state.elite[region, nation])
    return figures + int(state.leader[region, nation])


@kernel
def _has_figure(state, nation):
    for region in range(NUM_REGIONS):
        if _figures_of(state, nation, region) > 0:
            return True
    return False


@kernel
def _lose_figure(state, action):
    """D45: a Leader or unit of the nation; Leaders left alone go too (R7.3.4)."""
    nation = get(state, C)
    region = get(state, D)
    figure = (action - Block.FIGURE) % 3
    next_op(state)
    if figure == Figure.LEADER:
        eliminate_leader(state, region, nation)
    else:
        eliminate_unit(state, region, nation, figure)
        remove_lone_leaders(state, region)
        after_hits(state, NATION_SIDE[nation], region)


# --- Their choices of regions and figures. ---


@kernel
def legal_region(state, mask):
    """D44, D45: the Eagles' prey, the Nazgul's refuge, the way of the Dead Men, where a figure is lost."""
    op = current_op(state)
    step = get(state, B)
    for region in range(NUM_REGIONS):
        if op == Op.EAGLES:
            legal = _eagles_may_strike(state, region) if step == 0 else _is_nazgul_refuge(state, region)
        elif op == Op.STORMCROW:
            legal = _figures_of(state, get(state, C), region) > 0
        elif step == 0:
            legal = _is_dead_men_end(region)
        else:
            legal = False
        mask[Block.REGION + region] = legal
    if op == Op.DEAD_MEN and step == 3:
        for i in range(NUM_NEIGHBOURS[get(state, C)]):
            region = NEIGHBOURS[get(state, C), i]
            mask[Block.REGION + region] = is_free(state, Side.SHADOW, region)


@kernel
def apply_region(state, action):
    op = current_op(state)
    step = get(state, B)
    region = action - Block.REGION
    if op == Op.EAGLES and step == 0:
        _eagles_strike(state, region)
    elif op == Op.EAGLES:
        _nazgul_flee(state, region)
    elif op == Op.STORMCROW:
        put(state, D, region)
        put(state, B, 2)
    elif step == 0:
        put(state, C, region)
        put(state, B, 1)
    else:
        put(state, B, 4)
        retreat_army(state, Side.SHADOW, get(state, C), region)


@kernel
def legal_figure(state, mask):
    """D44, D45: a Gondor Regular or enough; the figure that Stormcrow costs."""
    if current_op(state) == Op.DEAD_MEN:
        mask[Block.FIGURE + 3 * Nation.GONDOR + Figure.REGULAR] = True
        mask[Block.VERB + Verb.DONE] = True
        return
    nation = get(state, C)
    region = get(state, D)
    mask[Block.FIGURE + 3 * nation + Figure.REGULAR] = state.regular[region, nation] > 0
    mask[Block.FIGURE + 3 * nation + Figure.ELITE] = state.elite[region, nation] > 0
    mask[Block.FIGURE + 3 * nation + Figure.LEADER] = state.leader[region, nation] > 0


@kernel
def apply_figure(state, action):
    if current_op(state) == Op.STORMCROW:
        _lose_figure(state, action)
    elif action == Block.VERB + Verb.DONE:
        next_op(state)
    else:
        recruit_figure(state, get(state, C), Nation.GONDOR, Figure.REGULAR)
        capture(state, Side.FREE_PEOPLES, get(state, C))
        put(state, D, get(state, D) + 1)
