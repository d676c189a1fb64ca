"""The Fellowship: the Guide, moving, declaring, revealing, hiding (R9)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.memory import local_numbers
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    CardTile,
    Character,
    Decision,
    Frame,
    HuntCause,
    Location,
    Region,
    Settlement,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_LEVEL,
    FELLOWSHIP_DISTANCE,
    IS_COMPANION,
    MAX_PROGRESS,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import (
    BalrogShelter,
    MordorEntry,
    MordorMandatoryDeclare,
    Option,
    RevealForbidden,
    RevealMoves,
    StrongholdStay,
    StrongholdTileOn,
)
from wotr_env.games.war_of_the_ring.rules.armies import controller, holds_stronghold
from wotr_env.games.war_of_the_ring.rules.characters import in_fellowship
from wotr_env.games.war_of_the_ring.rules.hunt.frame import start_hunt
from wotr_env.games.war_of_the_ring.rules.mordor import enter_mordor
from wotr_env.games.war_of_the_ring.rules.politics import in_own_city_or_stronghold, rouse
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_leader, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, discard_from_table, on_table
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS

# --- The Guide (R9.3). ---


@kernel
def highest_level(state):
    """The highest Level of a Companion in the Fellowship, -1 if there is none (R9.3.1)."""
    level = -1
    for character in range(NUM_CHARACTERS):
        if IS_COMPANION[character] and in_fellowship(state, character):
            level = max(level, int(CHARACTER_LEVEL[character]))
    return level


@kernel
def appoint_guide(state):
    """Makes a Companion of the highest Level, or Gollum, the Guide; returns the candidates (R9.3.1,
    R9.3.4)."""
    level = highest_level(state)
    stays = in_fellowship(state, int(state.guide)) and CHARACTER_LEVEL[state.guide] == level
    candidates = 0
    for character in range(NUM_CHARACTERS):
        if (
            IS_COMPANION[character]
            and in_fellowship(state, character)
            and CHARACTER_LEVEL[character] == level
        ):
            candidates += 1
            if not stays:
                state.guide = character
    if candidates == 0:
        state.guide = Character.GOLLUM
        state.location[Character.GOLLUM] = Location.IN_FELLOWSHIP
    return candidates


@kernel
def choose_guide(state):
    """Asks for the Guide among Companions of equal Level; the present Guide stays until the answer
    (R9.3.2)."""
    if appoint_guide(state) > 1:
        push(state, Frame.GUIDE)


@kernel
def resume_guide(state):
    pop(state)
    ask_leader(state, Side.FREE_PEOPLES, Decision.CHOOSE_GUIDE)


@kernel
def legal_choose_guide(state, mask):
    """D03, R9.3.1: one of the Companions of the highest Level."""
    level = highest_level(state)
    for character in range(NUM_CHARACTERS):
        if (
            IS_COMPANION[character]
            and in_fellowship(state, character)
            and CHARACTER_LEVEL[character] == level
        ):
            mask[Block.CHARACTER + character] = True


@kernel
def apply_choose_guide(state, action):
    state.guide = action - Block.CHARACTER


# --- Moving and hiding (R9.4, R9.7). ---


@kernel
def move_fellowship(state, paid_by_die):
    """Moves a Hidden Fellowship: progress +1, or a step on the Mordor Track, and a Hunt (R9.4, R11.3.2).

    Also R9.1.1, R9.4.2, R9.4.3, R9.4.5, RG29.
    """
    state.move_attempted = 1
    if state.mordor_step > 0:
        start_hunt(state, HuntCause.MORDOR_MOVE, paid_by_die, CardTile.NORMAL)
    else:
        state.progress = min(MAX_PROGRESS, int(state.progress) + 1)
        start_hunt(state, HuntCause.MOVE, paid_by_die, CardTile.NORMAL)


@kernel
def hide_fellowship(state):
    """Hides a Revealed Fellowship, without a move (R9.7.1)."""
    state.revealed = 0
    state.hide_attempted = 1


# --- Declaring (R9.5). ---


@kernel
def is_gate(region):
    """Whether the Fellowship can enter Mordor from a region; Morannon and Minas Morgul are such regions
    (R9.5.6)."""
    return region == Region.MORANNON or region == Region.MINAS_MORGUL


@kernel
def can_declare(state):
    """R9.5.1: whether the Fellowship is Hidden and not on the Mordor Track (R9.6.7)."""
    return state.revealed == 0 and state.mordor_step == 0


@kernel
def must_declare(state):
    """Whether the Fellowship must be declared at the gates of Mordor, by an option (R9.5.7, RU6)."""
    rule = state.options[Option.MORDOR_MANDATORY_DECLARE]
    if rule == MordorMandatoryDeclare.FIGURE_THERE:
        return is_gate(state.fellowship_region)
    if rule == MordorMandatoryDeclare.REACHABLE:
        return (
            FELLOWSHIP_DISTANCE[state.fellowship_region, Region.MORANNON] <= state.progress
            or FELLOWSHIP_DISTANCE[state.fellowship_region, Region.MINAS_MORGUL] <= state.progress
        )
    return False


@kernel
def legal_declare_fellowship(state, mask):
    """D02, R9.5.2: a region within progress, never past the gates (R9.5.8), or no declaration."""
    for region in range(NUM_REGIONS):
        if FELLOWSHIP_DISTANCE[state.fellowship_region, region] <= state.progress:
            mask[Block.REGION + region] = True
    if not must_declare(state):
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def enters_by_declaring(state, region):
    """Whether a declaration in a region enters Mordor, which is possible at a gate (R9.5.6, R11.1.1)."""
    return is_gate(region) and state.options[Option.MORDOR_ENTRY] == MordorEntry.DECLARE


@kernel
def apply_declare_fellowship(state, action):
    """Moves the figure; heals and activates in a City or Stronghold of the Free Peoples; discards table cards
    (R9.5.3-R9.5.6).

    fp-strat-01, sh-char-15 and sh-char-16 lapse (R9.5.5). At a gate, the Fellowship enters Mordor before any
    tile is drawn, and no tile is drawn for a Stronghold (R11.1.2, R11.1.4).
    """
    if action == Block.VERB + Verb.DECLINE:
        return
    region = action - Block.REGION
    with_tiles = state.options[Option.STRONGHOLD_TILE_ON] == StrongholdTileOn.DECLARE_OR_REVEAL
    cost = 0
    if with_tiles or on_table(state, Modifier.BALROG):
        cost = path_cost(state, region, STRONGHOLD_COST if with_tiles else 0)
    tiles = 0 if enters_by_declaring(state, region) else cost // STRONGHOLD_COST
    state.fellowship_region = region
    state.progress = 0
    discard_from_table(state, Modifier.LAST_BATTLE)
    if in_own_city_or_stronghold(state, region):
        add_corruption(state, -1)
        rouse(state, REGION_NATION[region])  # R8.2 c
        discard_from_table(state, Modifier.WORN_WITH_SORROW)
        discard_from_table(state, Modifier.FLOCKS_OF_CREBAIN)
    if enters_by_declaring(state, region):
        enter_mordor(state)
    push(state, Frame.REVEAL)
    put(state, STAGE, IN_MORIA)
    put(state, RevealFrame.TILES, tiles)
    put(state, RevealFrame.BY_MORIA, cost % STRONGHOLD_COST)
    put(state, RevealFrame.DECLARED, 1)


# --- Declared or revealed (R9.6). ---


class RevealFrame(Codes):
    """Slots of the frame ``REVEAL``."""

    TILES = 2  # left to draw for Strongholds on the path
    BY_MORIA = 3  # 1 if the path touches Moria
    DECLARED = 4  # 1 if the Fellowship was declared, not revealed


# Stages.
CHOOSE_REGION = 0
IN_MORIA = 1
DRAW_TILES = 2


@kernel
def is_forbidden_when_revealed(state, region):
    """R9.6.3: whether a region is a Settlement of a Free Peoples nation that the Free Peoples control; with
    an option, only a City or Stronghold."""
    if REGION_SIDE[region] != Side.FREE_PEOPLES or controller(state, region) != Side.FREE_PEOPLES:
        return False
    return (
        SETTLEMENT[region] != Settlement.TOWN
        or state.options[Option.REVEAL_FORBIDDEN] == RevealForbidden.FP_SETTLEMENT
    )


@kernel
def _can_be_revealed_at(state, region):
    """R9.6.2, R9.6.3: whether the Fellowship can be revealed in a region; with an option, a Fellowship with
    progress must leave its region (RG41)."""
    if region == state.fellowship_region and state.options[Option.REVEAL_MOVES] == RevealMoves.MUST_LEAVE:
        return False
    within = FELLOWSHIP_DISTANCE[state.fellowship_region, region] <= state.progress
    return within and not is_forbidden_when_revealed(state, region)


@kernel
def reveal_fellowship(state):
    """Reveals a Hidden Fellowship; a Revealed one stays where it is (R9.6.1)."""
    if state.revealed == 0:
        push(state, Frame.REVEAL)


@kernel
def resume_reveal(state):
    """Asks for the region of the revealed Fellowship, then draws the tile of the Balrog, then the tiles of
    Strongholds (R9.6.4, R9.5.5, R10.6.5)."""
    stage = get(state, STAGE)
    if stage == CHOOSE_REGION:
        put(state, STAGE, IN_MORIA)
        if state.mordor_step > 0:
            settle_revealed(state, int(state.fellowship_region))
            return
        if state.progress > 0:
            for region in range(NUM_REGIONS):
                if _can_be_revealed_at(state, region):
                    ask_leader(state, Side.FREE_PEOPLES, Decision.REVEAL_REGION)
                    return
        _be_revealed_at(state, int(state.fellowship_region))
    elif stage == IN_MORIA:
        put(state, STAGE, DRAW_TILES)
        if get(state, RevealFrame.BY_MORIA) == 1 and on_table(state, Modifier.BALROG):
            ask_leader(state, Side.SHADOW, Decision.BALROG)
    elif get(state, RevealFrame.TILES) > 0:
        put(state, RevealFrame.TILES, get(state, RevealFrame.TILES) - 1)
        start_hunt(state, HuntCause.STRONGHOLD, 0, CardTile.NORMAL)
    else:
        pop(state)


@kernel
def legal_reveal_region(state, mask):
    """D40, R9.6.2, R9.6.3: a region within the progress that is not a Settlement controlled by the Free
    Peoples."""
    for region in range(NUM_REGIONS):
        if _can_be_revealed_at(state, region):
            mask[Block.REGION + region] = True


@kernel
def apply_reveal_region(state, action):
    _be_revealed_at(state, action - Block.REGION)


@kernel
def _be_revealed_at(state, region):
    """Counts the tiles: one for each different Shadow-controlled Stronghold that the path enters or leaves
    (R9.6.4, RU13).

    With an option, also for a Stronghold in which the Fellowship stays; Moria then counts for the Balrog
    (RG62).
    """
    if region == state.fellowship_region and state.options[Option.STRONGHOLD_STAY] == StrongholdStay.TILE:
        cost = _region_cost(state, region, STRONGHOLD_COST)
    else:
        cost = path_cost(state, region, STRONGHOLD_COST)
    put(state, RevealFrame.TILES, cost // STRONGHOLD_COST)
    put(state, RevealFrame.BY_MORIA, cost % STRONGHOLD_COST)
    settle_revealed(state, region)


@kernel
def settle_revealed(state, region):
    """R9.6.2, R9.6.6: places the figure, sets the progress to 0 and reveals the Fellowship; fp-strat-01
    lapses."""
    state.fellowship_region = region
    state.progress = 0
    state.revealed = 1
    discard_from_table(state, Modifier.LAST_BATTLE)


@kernel
def apply_balrog(state, action):
    """sh-char-17: draws the tile; the Reveal icon is ignored after a declaration in a City or Stronghold of
    the Free Peoples (R9.5.5, RG63)."""
    if action == Block.VERB + Verb.DECLINE:
        return
    discard_from_table(state, Modifier.BALROG)
    unseen = get(state, RevealFrame.DECLARED) == 1 and _is_sheltered(state)
    start_hunt(state, HuntCause.CARD_TILE, 0, CardTile.BALROG_UNSEEN if unseen else CardTile.BALROG)


@kernel
def _is_sheltered(state):
    """Whether the figure is in a City or Stronghold of a Free Peoples nation; with an option, the Free
    Peoples must control it (RG63).

    On the Mordor Track, the figure is in no region (R11.2.1).
    """
    region = int(state.fellowship_region)
    if region < 0 or REGION_SIDE[region] != Side.FREE_PEOPLES:
        return False
    if state.options[Option.BALROG_SHELTER] == BalrogShelter.CONTROLLED:
        return in_own_city_or_stronghold(state, region)
    return SETTLEMENT[region] == Settlement.CITY or SETTLEMENT[region] == Settlement.STRONGHOLD


STRONGHOLD_COST = 2
MORIA_COST = 1


@kernel
def path_cost(state, destination, stronghold_cost):
    """The cost of the best path to a destination: ``stronghold_cost`` for each Shadow-controlled Stronghold,
    and 1 if the path touches Moria (R9.6.5).

    The best path has the lowest cost among the paths that are no longer than the progress: the fewest
    Strongholds, then without Moria; or only without Moria if Strongholds cost nothing. A Fellowship that
    stays has no path.
    """
    start = int(state.fellowship_region)
    if destination == start:
        return 0
    unreached = 999
    best = local_numbers(NUM_REGIONS)
    longer = local_numbers(NUM_REGIONS)
    for region in range(NUM_REGIONS):
        best[region] = unreached
    best[start] = _region_cost(state, start, stronghold_cost)
    for _ in range(state.progress):
        for region in range(NUM_REGIONS):
            longer[region] = best[region]
            if FELLOWSHIP_DISTANCE[start, region] > state.progress:
                continue
            cost = _region_cost(state, region, stronghold_cost)
            for i in range(NUM_NEIGHBOURS[region]):
                longer[region] = min(longer[region], best[NEIGHBOURS[region, i]] + cost)
        best, longer = longer, best
    return best[destination]


@kernel
def _region_cost(state, region, stronghold_cost):
    cost = MORIA_COST if region == Region.MORIA else 0
    return cost + stronghold_cost if holds_stronghold(state, Side.SHADOW, region) else cost


# --- Casualties of the Fellowship. ---


@kernel
def is_hobbit(character):
    return character == Character.MERIADOC or character == Character.PEREGRIN


@kernel
def lose_companion(state, character):
    """Eliminates a Companion; a Hobbit may be taken alive; appoints a new Guide (R10.6.2)."""
    state.location[character] = Location.ELIMINATED
    choose_guide(state)
    may_be_taken_alive(state, character)


class TakenFrame(Codes):
    """Slots of the frame ``TAKE_THEM_ALIVE``, which ``companions`` resumes."""

    HOBBIT = 2


@kernel
def may_be_taken_alive(state, character):
    """Whether Take Them Alive applies: the character is a Hobbit that was just eliminated in the Fellowship
    (R14.6)."""
    if is_hobbit(character) and state.mordor_step == 0:
        push(state, Frame.TAKE_THEM_ALIVE)
        put(state, TakenFrame.HOBBIT, character)


@kernel
def hobbit_taken(state):
    """The Hobbit that may be taken alive."""
    return get(state, TakenFrame.HOBBIT)
