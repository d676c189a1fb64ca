"""The Hunt for the Ring (R10, and R11.3 for moves on the Mordor Track)."""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.codes import (
    CardTile,
    Character,
    Decision,
    Frame,
    HuntCause,
    HuntStage,
    Location,
    Roll,
    Side,
    TileKind,
    TileValue,
    TileZone,
    Verb,
)
from wotr_env.components import CHARACTER_LEVEL, NUM_TILES, TILE_KIND, TILE_REVEAL, TILE_STOP, TILE_VALUE
from wotr_env.kernels import kernel
from wotr_env.rules.chance import draw_member, roll_die
from wotr_env.rules.characters import companions_in_fellowship, eliminate_character, in_fellowship
from wotr_env.rules.companions import separate_group
from wotr_env.rules.fellowship import choose_guide, is_hobbit, may_be_taken_alive, reveal_fellowship
from wotr_env.rules.hunt.dice import hunt_level, hunt_roll
from wotr_env.rules.mordor import advance_on_track
from wotr_env.rules.stack import STAGE, A, B, C, D, ask, get, pop, push, put
from wotr_env.rules.table.modifiers import Modifier, discard_from_table, on_table
from wotr_env.rules.victory import add_corruption
from wotr_env.ruleset import GollumTiles, HuntTableCards, Option
from wotr_env.state import NUM_CHARACTERS

NO_TILE = -1

BY_ICON = 1  # what reveals the Fellowship (state.hunt_reveals)
BY_GOLLUM = 2

# --- The Hunt. Frame: stage HuntStage, A cause, B 1 if a die pays for the move, C CardTile, D marks. ---

CREBAIN = 1  # marks: Flocks of Crebain is used
NO_MORE_CARDS = 2  # table cards no longer lower the damage


@kernel
def start_hunt_tile(state, card_tile):
    """A card draws a tile: a Hunt without roll, with what the card changes (R10.2.1, RG32)."""
    push(state, Frame.HUNT, HuntCause.CARD_TILE, 0, card_tile, 0)


@kernel
def start_breaking_tile(state):
    """sh-char-14: draws a tile whose number is left in ``hunt_damage``, 0 if nothing comes of it (R10.5.1).

    The Hunt does nothing else with it; the card that reads the number sets it to 0.
    """
    start_hunt_tile(state, CardTile.BREAKING)


@kernel
def start_hunt_roll(state):
    """sh-char-11: a Hunt roll and what follows, without a move (R10.2.1)."""
    push(state, Frame.HUNT, HuntCause.CARD_ROLL, 0, CardTile.NORMAL, 0)


@kernel
def resume_hunt(state):
    """One stage of the Hunt (section 19.3 of the rules) (R11.3.3, R11.3.8, R10.6.5)."""
    stage = get(state, STAGE)
    cause = get(state, A)
    put(state, STAGE, stage + 1)
    if stage == HuntStage.BEGIN:
        _begin(state, cause)
    elif stage == HuntStage.ROLL:
        if _is_rolled(cause):
            state.hunt_successes = hunt_roll(state, get(state, D) & CREBAIN)
            if state.hunt_successes == 0:
                put(state, STAGE, HuntStage.ADVANCE)
    elif stage == HuntStage.BEFORE_TILE:
        if on_table(state, Modifier.WIZARDS_STAFF):
            ask(state, Side.FREE_PEOPLES, Decision.WIZARDS_STAFF)
    elif stage == HuntStage.DRAW:
        _accept(state, draw_tile(state, Side.SHADOW))
    elif stage == HuntStage.TILE_SEEN:
        if on_table(state, Modifier.MITHRIL_COAT):
            ask(state, Side.FREE_PEOPLES, Decision.MITHRIL_COAT)
    elif stage == HuntStage.VALUE:
        _value(state, cause)
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
        # R9.4.4: the die that moved the Fellowship; The Last Battle (fp-strat-01) sets it aside as used.
        if get(state, B) == 1 and not on_table(state, Modifier.LAST_BATTLE):
            state.dice_used[Side.FREE_PEOPLES] -= 1
            state.hunt_box[Side.FREE_PEOPLES] += 1
        number = int(state.hunt_damage)
        clear_hunt(state)
        if get(state, C) == CardTile.BREAKING:
            state.hunt_damage = number
        pop(state)


@kernel
def _begin(state, cause):
    """Before a roll Flocks of Crebain may be used; no dice, no tile (R10.2.1, R10.3.3, R10.3.5)."""
    clear_hunt(state)
    state.hunt_cause = cause
    if _is_rolled(cause):
        if hunt_level(state) == 0:
            put(state, STAGE, HuntStage.ADVANCE)
        elif on_table(state, Modifier.FLOCKS_OF_CREBAIN):
            ask(state, Side.SHADOW, Decision.FLOCKS_OF_CREBAIN)


@kernel
def _is_rolled(cause):
    """Moves off the Mordor Track and The Nazgul Strike! need a Hunt roll (R10.2.1)."""
    return cause == HuntCause.MOVE or cause == HuntCause.CARD_ROLL


@kernel
def legal_use_card(state, mask):
    """D33, D34, D35: use the table card or not (R10.3.5, R10.5.1, R10.5.2, R6.5.2)."""
    mask[Block.VERB + Verb.ACCEPT] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_flocks_of_crebain(state, action):
    """D33: +1 to all dice of this roll (R10.3.5)."""
    if action == Block.VERB + Verb.ACCEPT:
        discard_from_table(state, Modifier.FLOCKS_OF_CREBAIN)
        put(state, D, CREBAIN)


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
def draw_tile(state, side):
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
    tile = draw_member(state, Roll.TILE, side, state.tile_zone, TileZone.POOL, NUM_TILES)
    state.tile_zone[tile] = TileZone.DRAWN
    return tile


@kernel
def apply_wizards_staff(state, action):
    """D34: no tile is drawn; a move on the Mordor Track still advances (R10.5.1, R10.4.1, fp-char-08)."""
    if action == Block.VERB + Verb.ACCEPT:
        discard_from_table(state, Modifier.WIZARDS_STAFF)
        put(state, STAGE, HuntStage.ADVANCE)


@kernel
def _is_dropped(tile, card_tile):
    """Tiles that a card discards without effect: Eyes, and blue ones but for the Balrog (section 22.3)."""
    if card_tile == CardTile.NORMAL:
        return False
    if TILE_VALUE[tile] == TileValue.EYE:
        return True
    return TILE_KIND[tile] == TileKind.BLUE and card_tile <= CardTile.BREAKING


@kernel
def _accept(state, tile):
    """The tile just drawn; without one, or with one that the card drops, the Hunt ends (R10.4.1)."""
    state.hunt_tile = tile
    if tile == NO_TILE or _is_dropped(tile, get(state, C)):
        put(state, STAGE, HuntStage.ADVANCE)


@kernel
def apply_mithril_coat(state, action):
    """D35: a second tile counts, and the first goes back into the pool after it (R10.5.2, fp-char-05)."""
    if action == Block.VERB + Verb.DECLINE:
        return
    discard_from_table(state, Modifier.MITHRIL_COAT)
    _note_card_used(state)
    first = int(state.hunt_tile)
    state.tile_zone[first] = TileZone.REMOVED  # not drawn again, even if the pool must be filled up
    _accept(state, draw_tile(state, Side.SHADOW))
    state.tile_zone[first] = TileZone.POOL


@kernel
def _value(state, cause):
    """The damage of the tile; a negative one heals (R10.4.2, R10.6.1). sh-char-14 takes only the number."""
    tile = int(state.hunt_tile)
    damage = TILE_VALUE[tile]
    if damage == TileValue.EYE:
        damage = _eye_value(state, cause)
    elif damage == TileValue.DIE:
        damage = roll_die(state, Roll.HUNT_DAMAGE, Side.SHADOW, 0)
    if damage < 0:
        add_corruption(state, damage)
        damage = 0
    state.hunt_damage = damage
    card_tile = get(state, C)
    if card_tile == CardTile.BREAKING:
        put(state, STAGE, HuntStage.END)
    elif cause != HuntCause.STRONGHOLD and card_tile != CardTile.BALROG_UNSEEN and TILE_REVEAL[tile]:
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
def _guide_can_react(state):
    return is_hobbit(state.guide) or _gollum_can_reveal(state)


@kernel
def _card_can_react(state, card):
    """Axe and Bow, Horn of Gondor; by option one table card per tile (R10.5.3).

    Their Companions are of Level 2, so that they have lapsed when a Hobbit or Gollum guides: cards and Guide
    abilities never meet, whatever ``hunt_sequence`` and ``hobbit_ability`` say (R10.5.5).
    """
    return get(state, D) & NO_MORE_CARDS == 0 and on_table(state, card)


@kernel
def _can_react(state):
    """While damage is left, unless by Isildur's Bane (R10.5.6, sh-char-06)."""
    if state.hunt_damage == 0 or get(state, C) == CardTile.ISILDURS_BANE:
        return False
    cards = _card_can_react(state, Modifier.AXE_AND_BOW) or _card_can_react(state, Modifier.HORN_OF_GONDOR)
    return cards or _guide_can_react(state)


@kernel
def legal_hunt_reaction(state, mask):
    """D36, R10.5.3, R10.5.4: table cards, the Guide's ability; both Hobbits at once (R14.6, RG27)."""
    mask[Block.VERB + Verb.DONE] = True
    mask[Block.CARD + Modifier.AXE_AND_BOW] = _card_can_react(state, Modifier.AXE_AND_BOW)
    mask[Block.CARD + Modifier.HORN_OF_GONDOR] = _card_can_react(state, Modifier.HORN_OF_GONDOR)
    if not _guide_can_react(state):
        return
    mask[Block.VERB + Verb.GUIDE_ABILITY] = True
    both = in_fellowship(state, Character.MERIADOC) and in_fellowship(state, Character.PEREGRIN)
    if is_hobbit(state.guide) and both and state.hunt_damage > 1:
        mask[Block.VERB + Verb.BOTH_HOBBITS] = True


@kernel
def apply_hunt_reaction(state, action):
    """A card (fp-char-06, fp-char-07), a Hobbit who leaves, or Gollum who reveals: damage -1 each.

    On the Mordor Track the Hobbit dies (R10.5.3, R14.6, R14.10, R11.3.1).
    """
    if action == Block.VERB + Verb.DONE:
        return
    put(state, STAGE, HuntStage.REACT)
    state.hunt_damage -= 1
    if action >= Block.CARD:
        discard_from_table(state, action - Block.CARD)
        _note_card_used(state)
        return
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
def _note_card_used(state):
    """By option one table card per tile (R10.5.3)."""
    if state.options[Option.HUNT_TABLE_CARDS] == HuntTableCards.ONE_PER_TILE:
        put(state, D, NO_MORE_CARDS)


@kernel
def _settle_damage(state):
    """A casualty is a choice while a Companion is there and none was taken for this tile (R10.6.1).

    Isildur's Bane forbids it, Foul Thing from the Deep forces it (R10.5.6, sh-char-06, sh-char-07).
    """
    card_tile = get(state, C)
    if state.hunt_damage == 0:
        return
    no_casualty = companions_in_fellowship(state) == 0 or state.hunt_casualty == 1
    if no_casualty or card_tile == CardTile.ISILDURS_BANE:
        _take_corruption(state)
    elif card_tile == CardTile.FOUL_THING:
        _lose_by_hunt(state, random_companion(state))
    else:
        ask(state, Side.FREE_PEOPLES, Decision.HUNT_DAMAGE)


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
    if action == Block.VERB + Verb.TAKE_CORRUPTION:
        _take_corruption(state)
    elif action == Block.VERB + Verb.SACRIFICE_RANDOM:
        _lose_by_hunt(state, random_companion(state))
    else:
        _lose_by_hunt(state, int(state.guide))


@kernel
def random_companion(state):
    """A random Companion of the Fellowship, the Guide included (R10.6.1, RU33)."""
    return draw_member(
        state,
        Roll.COMPANION,
        Side.FREE_PEOPLES,
        state.location,
        Location.IN_FELLOWSHIP,
        Character.GOLLUM,
    )


@kernel
def _lose_by_hunt(state, victim):
    """A casualty absorbs damage up to his Level, the excess is Corruption (R10.6.2, R10.5.5).

    Then Take Them Alive, Worn with Sorrow and Toil, a new Guide, in this order (R10.6.3): the last pushed
    comes first.
    """
    state.hunt_casualty = 1
    put(state, D, NO_MORE_CARDS)
    state.hunt_damage = max(0, int(state.hunt_damage) - CHARACTER_LEVEL[victim])
    if victim == state.guide and state.options[Option.GUIDE_ABILITY_AFTER_CASUALTY] == 1:
        put(state, STAGE, HuntStage.REACT)
    else:
        _take_corruption(state)
    state.location[victim] = Location.ELIMINATED
    choose_guide(state)
    if on_table(state, Modifier.WORN_WITH_SORROW):
        push(state, Frame.LOSE_CARD, 0, 0, 0, 0)
    may_be_taken_alive(state, victim)
