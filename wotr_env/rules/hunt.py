"""The Hunt for the Ring (R10, and R11.3 for moves on the Mordor Track)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import (
    Character,
    Decision,
    HuntCause,
    HuntStage,
    Location,
    Nation,
    Side,
    TileKind,
    TileValue,
    TileZone,
    Verb,
)
from wotr_env.compile import kernel
from wotr_env.components import CHARACTER_LEVEL, NUM_TILES, TILE_KIND, TILE_REVEAL, TILE_STOP, TILE_VALUE
from wotr_env.rules.armies import holds_stronghold
from wotr_env.rules.chance import chance_member, die
from wotr_env.rules.characters import companions_in_fellowship, eliminate_character, in_fellowship
from wotr_env.rules.companions import separate_group
from wotr_env.rules.fellowship import choose_guide, is_hobbit, lose_companion, reveal_fellowship
from wotr_env.rules.mordor import advance_on_track
from wotr_env.rules.stack import STAGE, A, B, ask, get, pop, put
from wotr_env.rules.victory import add_corruption
from wotr_env.ruleset import GollumTiles, HuntAllocMin, HuntDiceCount, Option
from wotr_env.state import NUM_CHARACTERS

MAX_HUNT_DICE = 5
SUCCESS = 6
NO_TILE = -1

BY_ICON = 1  # what reveals the Fellowship (state.hunt_reveals)
BY_GOLLUM = 2

# --- Allocation (R5.2). ---


@kernel
def max_allocation(state):
    """As many dice as Companions, one for Gollum alone, never more than the pool (R5.2.1, R5.2.2, R5.2.4)."""
    return min(int(state.pool[Side.SHADOW]), max(1, companions_in_fellowship(state)))


@kernel
def min_allocation(state):
    """None, or by option one after a turn in which the Fellowship moved (R5.2.3)."""
    rule = state.options[Option.HUNT_ALLOC_MIN]
    return 1 if rule == HuntAllocMin.ONE_AFTER_MOVE and state.fellowship_moved_last_turn == 1 else 0


@kernel
def legal_hunt_allocation(state, mask):
    """D04: the number of dice put into the Hunt Box (R5.2.1)."""
    for count in range(min_allocation(state), max_allocation(state) + 1):
        mask[Block.COUNT + count] = True


@kernel
def apply_hunt_allocation(state, action):
    state.hunt_box[Side.SHADOW] = action - Block.COUNT
    state.fellowship_moved_last_turn = 0


# --- The Hunt. Frame: stage HuntStage, A cause, B 1 if a die pays for the move. ---


@kernel
def resume_hunt(state):
    """One stage of the Hunt (section 19.3 of the rules) (R11.3.3, R11.3.8, R10.6.5)."""
    stage = get(state, STAGE)
    cause = get(state, A)
    put(state, STAGE, stage + 1)
    if stage == HuntStage.ROLL:
        _begin(state, cause)
    elif stage == HuntStage.DRAW:
        _draw(state, cause)
    elif stage == HuntStage.REACT:
        if _can_react(state):
            ask(state, Side.FREE_PEOPLES, Decision.HUNT_REACTION)
    elif stage == HuntStage.DAMAGE:
        _settle_damage(state)
    elif stage == HuntStage.ADVANCE:
        if cause == HuntCause.MORDOR_MOVE and not _stops(state):
            advance_on_track(state)
    elif stage == HuntStage.REVEAL:
        if _will_reveal(state):
            reveal_fellowship(state)
    else:
        if get(state, B) == 1:  # R9.4.4: the die that moved the Fellowship
            state.dice_used[Side.FREE_PEOPLES] -= 1
            state.hunt_box[Side.FREE_PEOPLES] += 1
        clear_hunt(state)
        pop(state)


@kernel
def _begin(state, cause):
    """The Hunt roll, where there is one; without success no tile is drawn (R10.2.1, R10.4.1)."""
    clear_hunt(state)
    state.hunt_cause = cause
    if cause == HuntCause.MOVE or cause == HuntCause.CARD_ROLL:
        state.hunt_successes = hunt_roll(state)
        if state.hunt_successes == 0:
            put(state, STAGE, HuntStage.ADVANCE)


@kernel
def clear_hunt(state):
    """Forgets the Hunt, so that equal positions are equal bytes."""
    state.hunt_cause = 0
    state.hunt_tile = NO_TILE
    state.hunt_damage = 0
    state.hunt_reveals = 0
    state.hunt_casualty = 0
    state.hunt_successes = 0


@kernel
def hunt_level(state):
    """The dice that hunt: all in the box, or by option the Shadow's only (R10.3.1, RU1)."""
    dice = int(state.hunt_box[Side.SHADOW])
    if state.options[Option.HUNT_DICE_COUNT] == HuntDiceCount.ALL_DICE:
        dice += int(state.hunt_box[Side.FREE_PEOPLES])
    return dice


@kernel
def hunt_rerolls(state):
    """One re-roll for a Shadow Stronghold, a Shadow unit, a Nazgul in the figure's region (R10.3.4)."""
    region = int(state.fellowship_region)
    if region < 0:
        return 0
    rerolls = 1 if holds_stronghold(state, Side.SHADOW, region) else 0
    if state.units[region, Side.SHADOW] > 0:
        rerolls += 1
    if state.leader[region, Nation.SAURON] > 0 or state.location[Character.WITCH_KING] == region:
        rerolls += 1
    return rerolls


@kernel
def _hunt_die(state):
    """One die: +1 per Free Peoples die in the box, success on 6; a natural 1 fails (R10.3.2)."""
    roll = die(state)
    if roll == 1 and state.options[Option.HUNT_ONE_FAILS] == 1:
        return 0
    return 1 if roll + state.hunt_box[Side.FREE_PEOPLES] >= SUCCESS else 0


@kernel
def hunt_roll(state):
    """Rolls at most 5 dice and re-rolls failures; returns the successes (R10.3, R10.3.3)."""
    dice = min(MAX_HUNT_DICE, hunt_level(state))
    successes = 0
    for _ in range(dice):
        successes += _hunt_die(state)
    for _ in range(min(dice - successes, hunt_rerolls(state))):
        successes += _hunt_die(state)
    return successes


@kernel
def draw_tile(state):
    """A random tile of the pool; an empty pool first takes back the drawn standard tiles (R10.1.1)."""
    in_pool = False
    for tile in range(NUM_TILES):
        in_pool = in_pool or state.tile_zone[tile] == TileZone.POOL
    if not in_pool:
        for tile in range(NUM_TILES):
            if state.tile_zone[tile] == TileZone.DRAWN and TILE_KIND[tile] == TileKind.STANDARD:
                state.tile_zone[tile] = TileZone.POOL
                in_pool = True
    if not in_pool:
        return NO_TILE
    tile = chance_member(state, state.tile_zone, TileZone.POOL, NUM_TILES)
    state.tile_zone[tile] = TileZone.DRAWN
    return tile


@kernel
def _draw(state, cause):
    """Draws the tile and finds its damage; a negative one heals (R10.4, R10.6.1)."""
    tile = draw_tile(state)
    state.hunt_tile = tile
    if tile == NO_TILE:
        put(state, STAGE, HuntStage.ADVANCE)
        return
    damage = TILE_VALUE[tile]
    if damage == TileValue.EYE:
        damage = _eye_value(state, cause)
    elif damage == TileValue.DIE:
        damage = die(state)
    if damage < 0:
        add_corruption(state, damage)
        damage = 0
    state.hunt_damage = damage
    if cause != HuntCause.STRONGHOLD and TILE_REVEAL[tile]:
        state.hunt_reveals = BY_ICON


@kernel
def _eye_value(state, cause):
    """Successes of the roll; all dice of the box in Mordor; else 0 (R10.4.2, R11.3.4, R10.2.2)."""
    if cause == HuntCause.MORDOR_MOVE:
        return int(state.hunt_box[Side.FREE_PEOPLES]) + int(state.hunt_box[Side.SHADOW])
    return int(state.hunt_successes)


@kernel
def _gollum_ignores_reveal(state):
    """With Gollum as Guide the Reveal icon of numbered tiles has no effect (R14.10)."""
    tile = int(state.hunt_tile)
    if state.guide != Character.GOLLUM or TILE_VALUE[tile] == TileValue.EYE:
        return False
    return (
        TILE_KIND[tile] == TileKind.STANDARD or state.options[Option.GOLLUM_TILES] == GollumTiles.ALL_NUMBERED
    )


@kernel
def _will_reveal(state):
    """Gollum's choice, or an icon that the Guide of the moment does not ignore (R10.6.5, R14.10)."""
    if state.hunt_reveals == BY_GOLLUM:
        return True
    return state.hunt_reveals == BY_ICON and not _gollum_ignores_reveal(state)


@kernel
def _stops(state):
    """Whether the tile has a Stop icon; blue tiles by option only (R10.1.3, R11.3.5)."""
    tile = int(state.hunt_tile)
    if tile == NO_TILE:
        return False
    return TILE_STOP[tile] == 1 or (
        TILE_KIND[tile] == TileKind.BLUE and state.options[Option.BLUE_TILES_STOP] == 1
    )


# --- Reactions of the Free Peoples and damage (R10.5, R10.6). ---


@kernel
def _gollum_can_reveal(state):
    """Gollum has the Fellowship revealed to lower the damage, if the tile does not (R14.10)."""
    return state.guide == Character.GOLLUM and state.revealed == 0 and not _will_reveal(state)


@kernel
def _can_react(state):
    return state.hunt_damage > 0 and (is_hobbit(state.guide) or _gollum_can_reveal(state))


@kernel
def legal_hunt_reaction(state, mask):
    """D36, R10.5.4: the Guide's ability; both Hobbits while damage remains (R14.6, RG27)."""
    mask[Block.VERB + Verb.DONE] = True
    mask[Block.VERB + Verb.GUIDE_ABILITY] = True
    both = in_fellowship(state, Character.MERIADOC) and in_fellowship(state, Character.PEREGRIN)
    if is_hobbit(state.guide) and both and state.hunt_damage > 1:
        mask[Block.VERB + Verb.BOTH_HOBBITS] = True


@kernel
def apply_hunt_reaction(state, action):
    """A Hobbit leaves, or dies on the Mordor Track, or Gollum reveals: damage -1 each (R14.6, R14.10)."""
    if action == Block.VERB + Verb.DONE:
        return
    put(state, STAGE, HuntStage.REACT)
    state.hunt_damage -= 1
    if state.guide == Character.GOLLUM:
        state.hunt_reveals = BY_GOLLUM
        return
    hobbits = 1 << int(state.guide)
    if action == Block.VERB + Verb.BOTH_HOBBITS:
        hobbits = 1 << Character.MERIADOC | 1 << Character.PEREGRIN
        state.hunt_damage -= 1
    if state.mordor_step > 0:
        for character in range(NUM_CHARACTERS):
            if hobbits >> character & 1:
                eliminate_character(state, character)
        choose_guide(state)
    else:
        separate_group(state, hobbits)


@kernel
def _settle_damage(state):
    """A casualty is a choice while a Companion is there and none was taken for this tile (R10.6.1)."""
    if state.hunt_damage == 0:
        return
    if companions_in_fellowship(state) > 0 and state.hunt_casualty == 0:
        ask(state, Side.FREE_PEOPLES, Decision.HUNT_DAMAGE)
    else:
        _take_corruption(state)


@kernel
def _take_corruption(state):
    """The damage left is Corruption, which may end the game at once (R10.6.4)."""
    add_corruption(state, int(state.hunt_damage))
    state.hunt_damage = 0


@kernel
def legal_hunt_damage(state, mask):
    """D37, R10.6.1: Corruption, the Guide, or a random Companion (R14.15)."""
    mask[Block.VERB + Verb.TAKE_CORRUPTION] = True
    mask[Block.VERB + Verb.SACRIFICE_GUIDE] = True
    mask[Block.VERB + Verb.SACRIFICE_RANDOM] = True


@kernel
def apply_hunt_damage(state, action):
    """A casualty absorbs damage up to his Level, the excess is Corruption (R10.6.2, R10.5.5)."""
    if action == Block.VERB + Verb.TAKE_CORRUPTION:
        _take_corruption(state)
        return
    victim = int(state.guide)
    if action == Block.VERB + Verb.SACRIFICE_RANDOM:
        victim = chance_member(state, state.location, Location.IN_FELLOWSHIP, Character.GOLLUM)
    state.hunt_casualty = 1
    state.hunt_damage = max(0, int(state.hunt_damage) - CHARACTER_LEVEL[victim])
    if victim == state.guide and state.options[Option.GUIDE_ABILITY_AFTER_CASUALTY] == 1:
        put(state, STAGE, HuntStage.REACT)
    else:
        _take_corruption(state)
    lose_companion(state, victim)
