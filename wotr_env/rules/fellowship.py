"""The Fellowship: the Guide, moving, declaring, being revealed, hiding (R9)."""

from __future__ import annotations

import numpy as np

from wotr_env.actions import Block
from wotr_env.codes import Character, Decision, Frame, HuntCause, Location, Settlement, Side, Verb
from wotr_env.compile import kernel
from wotr_env.components import (
    CHARACTER_LEVEL,
    FELLOWSHIP_DISTANCE,
    IS_COMPANION,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    Region,
)
from wotr_env.rules.armies import controller, holds_stronghold
from wotr_env.rules.characters import in_fellowship
from wotr_env.rules.mordor import enter_mordor
from wotr_env.rules.politics import activate, in_own_city_or_stronghold
from wotr_env.rules.stack import STAGE, A, ask, get, pop, push, put
from wotr_env.rules.victory import add_corruption
from wotr_env.ruleset import MordorEntry, MordorMandatoryDeclare, Option, RevealForbidden, StrongholdTileOn
from wotr_env.state import NUM_CHARACTERS

MAX_PROGRESS = 12

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
def choose_guide(state):
    """The Guide is chosen anew; without Companions Gollum guides the Ring-bearers (R9.3.2, R9.3.4)."""
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
    elif candidates > 1:
        push(state, Frame.GUIDE, 0, 0, 0, 0)


@kernel
def resume_guide(state):
    pop(state)
    ask(state, Side.FREE_PEOPLES, Decision.CHOOSE_GUIDE)


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
    """Progress +1, or a step on the Mordor Track, and the Hunt; needs a Hidden Fellowship (R9.4, R11.3.2).

    Also R9.1.1, R9.4.2, R9.4.3, R9.4.5, RG29.
    """
    state.move_attempted = 1
    if state.mordor_step > 0:
        push(state, Frame.HUNT, HuntCause.MORDOR_MOVE, paid_by_die, 0, 0)
    else:
        state.progress = min(MAX_PROGRESS, int(state.progress) + 1)
        push(state, Frame.HUNT, HuntCause.MOVE, paid_by_die, 0, 0)


@kernel
def hide_fellowship(state):
    """Revealed becomes Hidden, without a move (R9.7.1)."""
    state.revealed = 0
    state.hide_attempted = 1


# --- Declaring (R9.5). ---


@kernel
def is_gate(region):
    """Morannon and Minas Morgul, where the Fellowship enters Mordor (R9.5.6)."""
    return region == Region.MORANNON or region == Region.MINAS_MORGUL


@kernel
def can_declare(state):
    """R9.5.1: Hidden and not on the Mordor Track (R9.6.7)."""
    return state.revealed == 0 and state.mordor_step == 0


@kernel
def must_declare(state):
    """The obligation at the gates of Mordor, by option (R9.5.7, RU6)."""
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
def apply_declare_fellowship(state, action):
    """The figure moves; healing and activation in an FP City or Stronghold; the gates (R9.5.3-R9.5.6)."""
    if action == Block.VERB + Verb.DECLINE:
        return
    region = action - Block.REGION
    tiles = 0
    if state.options[Option.STRONGHOLD_TILE_ON] == StrongholdTileOn.DECLARE_OR_REVEAL:
        tiles = strongholds_on_path(state, region)
    state.fellowship_region = region
    state.progress = 0
    if in_own_city_or_stronghold(state, region):
        add_corruption(state, -1)
        activate(state, REGION_NATION[region])  # R8.2 c
    if is_gate(region) and state.options[Option.MORDOR_ENTRY] == MordorEntry.DECLARE:
        enter_mordor(state)  # R11.1.4: no Stronghold tile
        return
    draw_stronghold_tiles(state, tiles)


# --- Being revealed (R9.6). Frame REVEAL: A tiles left to draw; stage 0 choose the region, 1 draw. ---


@kernel
def is_forbidden_when_revealed(state, region):
    """R9.6.3: an FP-controlled Settlement of an FP nation; by option only a City or Stronghold."""
    if REGION_SIDE[region] != Side.FREE_PEOPLES or controller(state, region) != Side.FREE_PEOPLES:
        return False
    return (
        SETTLEMENT[region] != Settlement.TOWN
        or state.options[Option.REVEAL_FORBIDDEN] == RevealForbidden.FP_SETTLEMENT
    )


@kernel
def _can_be_revealed_at(state, region):
    within = FELLOWSHIP_DISTANCE[state.fellowship_region, region] <= state.progress
    return within and not is_forbidden_when_revealed(state, region)


@kernel
def reveal_fellowship(state):
    """Reveals a Hidden Fellowship; a Revealed one stays where it is (R9.6.1)."""
    if state.revealed == 0:
        push(state, Frame.REVEAL, 0, 0, 0, 0)


@kernel
def draw_stronghold_tiles(state, tiles):
    """One Hunt tile for each Shadow-controlled Stronghold of the path (R9.6.4)."""
    if tiles > 0:
        push(state, Frame.REVEAL, tiles, 0, 0, 0)
        put(state, STAGE, 1)


@kernel
def resume_reveal(state):
    if get(state, STAGE) == 0:
        put(state, STAGE, 1)
        if state.mordor_step == 0 and state.progress > 0:
            for region in range(NUM_REGIONS):
                if _can_be_revealed_at(state, region):
                    ask(state, Side.FREE_PEOPLES, Decision.REVEAL_REGION)
                    return
        settle_revealed(state, int(state.fellowship_region))
    elif get(state, A) > 0:
        put(state, A, get(state, A) - 1)
        push(state, Frame.HUNT, HuntCause.STRONGHOLD, 0, 0, 0)
    else:
        pop(state)


@kernel
def legal_reveal_region(state, mask):
    """D40, R9.6.2, R9.6.3: a region within progress that is no FP Settlement."""
    for region in range(NUM_REGIONS):
        if _can_be_revealed_at(state, region):
            mask[Block.REGION + region] = True


@kernel
def apply_reveal_region(state, action):
    region = action - Block.REGION
    put(state, A, strongholds_on_path(state, region))
    settle_revealed(state, region)


@kernel
def settle_revealed(state, region):
    """R9.6.2, R9.6.6: the figure stands there, progress 0, Revealed."""
    state.fellowship_region = region
    state.progress = 0
    state.revealed = 1


@kernel
def path_cost(state, destination):
    """Twice the Shadow-controlled Strongholds of the best path, plus 1 if it touches Moria (R9.6.5).

    Best is fewest Strongholds, then no Moria, over paths no longer than the progress; a Fellowship that stays
    has no path. This runs once in a reveal, so that its two work arrays do not matter for speed.
    """
    start = int(state.fellowship_region)
    if destination == start:
        return 0
    unreached = 999
    best = np.full(NUM_REGIONS, unreached, dtype=np.int64)
    longer = np.full(NUM_REGIONS, unreached, dtype=np.int64)
    best[start] = _region_cost(state, start)
    for _ in range(state.progress):
        for region in range(NUM_REGIONS):
            longer[region] = best[region]
            if FELLOWSHIP_DISTANCE[start, region] > state.progress:
                continue
            cost = _region_cost(state, region)
            for i in range(NUM_NEIGHBOURS[region]):
                longer[region] = min(longer[region], best[NEIGHBOURS[region, i]] + cost)
        best[:] = longer
    return best[destination]


@kernel
def _region_cost(state, region):
    cost = 1 if region == Region.MORIA else 0
    return cost + 2 if holds_stronghold(state, Side.SHADOW, region) else cost


@kernel
def strongholds_on_path(state, destination):
    """Different Shadow-controlled Strongholds entered or left on the way (R9.6.4, RU13)."""
    return path_cost(state, destination) // 2


# --- Casualties of the Fellowship. ---


@kernel
def is_hobbit(character):
    return character == Character.MERIADOC or character == Character.PEREGRIN


@kernel
def lose_companion(state, character):
    """A Companion is eliminated; a Hobbit may be taken alive; a new Guide (R10.6.2, R10.6.3)."""
    state.location[character] = Location.ELIMINATED
    choose_guide(state)
    if is_hobbit(character) and state.mordor_step == 0:
        push(state, Frame.TAKE_THEM_ALIVE, character, 0, 0, 0)
