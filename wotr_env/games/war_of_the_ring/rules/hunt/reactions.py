"""Reactions of the Free Peoples to a Hunt: cards on the table, and abilities of the Guide (R10.5)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardTile, Character, HuntStage, Reveals, TileZone, Verb
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import HuntTableCards, Option
from wotr_env.games.war_of_the_ring.rules.characters import eliminate_character, in_fellowship
from wotr_env.games.war_of_the_ring.rules.companions import separate_group
from wotr_env.games.war_of_the_ring.rules.fellowship import choose_guide, is_hobbit
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame, HuntNote
from wotr_env.games.war_of_the_ring.rules.hunt.tiles import draw_hunt_tile, will_reveal
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, discard_from_table, on_table
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS

# --- Cards about the tile (R10.5.1, R10.5.2). ---


@kernel
def apply_wizards_staff(state, action):
    """D34: prevents the draw of a tile if the card is used; a move on the Mordor Track still advances
    (R10.5.1, R10.4.1, fp-char-08)."""
    if action == Block.VERB + Verb.ACCEPT:
        discard_from_table(state, Modifier.WIZARDS_STAFF)
        put(state, STAGE, HuntStage.ADVANCE)


@kernel
def apply_mithril_coat(state, action):
    """D35: draws a second tile, which counts; the first tile then returns to the pool (R10.5.2,
    fp-char-05)."""
    if action == Block.VERB + Verb.DECLINE:
        return
    discard_from_table(state, Modifier.MITHRIL_COAT)
    _note_card_used(state)
    first = int(state.hunt_tile)
    state.tile_zone[first] = TileZone.REMOVED  # not drawn again, nor among those that come back
    draw_hunt_tile(state)
    state.tile_zone[first] = TileZone.POOL


@kernel
def _note_card_used(state):
    """Records that a table card was used; with an option, only one table card may be used per tile
    (R10.5.3)."""
    if state.options[Option.HUNT_TABLE_CARDS] == HuntTableCards.ONE_PER_TILE:
        put(state, HuntFrame.NOTE, HuntNote.NO_MORE_CARDS)


# --- Lowering the damage (R10.5.3, R10.5.4). ---


@kernel
def _gollum_can_reveal(state):
    """Whether Gollum can reveal the Fellowship to lower the damage; not if the tile already reveals it
    (R14.10)."""
    return state.guide == Character.GOLLUM and state.revealed == 0 and not will_reveal(state)


@kernel
def _guide_can_react(state):
    return is_hobbit(state.guide) or _gollum_can_reveal(state)


@kernel
def _card_can_react(state, card):
    """Whether Axe and Bow or Horn of Gondor can be used; with an option, only one table card per tile
    (R10.5.3).

    The Companions of these cards are of Level 2, so the cards have lapsed when a Hobbit or Gollum is the
    Guide. Cards and abilities of the Guide are therefore never available together, and the different orders
    of the editions do not matter (R10.5.5).
    """
    return get(state, HuntFrame.NOTE) != HuntNote.NO_MORE_CARDS and on_table(state, card)


@kernel
def can_react(state):
    """Whether a reaction is possible: damage remains, and it is not from Isildur's Bane (R10.5.6,
    sh-char-06)."""
    if state.hunt_damage == 0 or get(state, HuntFrame.CARD_TILE) == CardTile.ISILDURS_BANE:
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
    """Uses a card (fp-char-06, fp-char-07), lets a Hobbit leave, or lets Gollum reveal; each lowers the
    damage by 1.

    On the Mordor Track, the Hobbit is eliminated (R10.5.3, R14.6, R14.10, R11.3.1).
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
        state.hunt_reveals = Reveals.GOLLUM
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
