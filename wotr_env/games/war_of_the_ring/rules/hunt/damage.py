"""Hunt damage: Corruption or a casualty of the Fellowship (R10.6)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    CardTile,
    Character,
    Decision,
    HuntStage,
    Location,
    Roll,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import CHARACTER_LEVEL
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.chance import draw_member
from wotr_env.games.war_of_the_ring.rules.characters import companions_in_fellowship
from wotr_env.games.war_of_the_ring.rules.fellowship import choose_guide, may_be_taken_alive
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame, HuntNote
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_leader, get, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, on_table
from wotr_env.games.war_of_the_ring.rules.table.play import start_lose_card
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption


@kernel
def settle_damage(state):
    """Asks for a casualty if a Companion is in the Fellowship and none was lost for this tile (R10.6.1).

    Isildur's Bane forbids a casualty, Foul Thing from the Deep forces one (R10.5.6, sh-char-06, sh-char-07).
    """
    card_tile = get(state, HuntFrame.CARD_TILE)
    if state.hunt_damage == 0:
        return
    no_casualty = companions_in_fellowship(state) == 0 or state.hunt_casualty == 1
    if no_casualty or card_tile == CardTile.ISILDURS_BANE:
        _take_corruption(state)
    elif card_tile == CardTile.FOUL_THING:
        _lose_by_hunt(state, random_companion(state))
    else:
        ask_leader(state, Side.FREE_PEOPLES, Decision.HUNT_DAMAGE)


@kernel
def _take_corruption(state):
    """Adds the remaining damage to the Corruption, which may end the game immediately (R10.6.4)."""
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
    """Draws a random Companion of the Fellowship, including the Guide (R10.6.1, RU33)."""
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
    """Eliminates a casualty, who absorbs damage up to its Level; the excess becomes Corruption (R10.6.2,
    R10.5.5).

    Then come Take Them Alive, Worn with Sorrow and Toil, and a new Guide, in this order (R10.6.3). The frame
    that is pushed last comes first.
    """
    state.hunt_casualty = 1
    put(state, HuntFrame.NOTE, HuntNote.NO_MORE_CARDS)
    state.hunt_damage = max(0, int(state.hunt_damage) - CHARACTER_LEVEL[victim])
    if victim == state.guide and state.options[Option.GUIDE_ABILITY_AFTER_CASUALTY] == 1:
        put(state, STAGE, HuntStage.REACT)
    else:
        _take_corruption(state)
    state.location[victim] = Location.ELIMINATED
    choose_guide(state)
    if on_table(state, Modifier.WORN_WITH_SORROW):
        start_lose_card(state)
    may_be_taken_alive(state, victim)
