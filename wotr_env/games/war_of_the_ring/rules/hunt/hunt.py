"""The course of a Hunt for the Ring (R10, and R11.3 for moves on the Mordor Track)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import CardTile, Decision, HuntCause, HuntStage, Reveals, Side
from wotr_env.games.war_of_the_ring.components import NO_TILE
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.fellowship import reveal_fellowship
from wotr_env.games.war_of_the_ring.rules.hunt.damage import settle_damage
from wotr_env.games.war_of_the_ring.rules.hunt.dice import hunt_level, roll_for_hunt
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame, start_hunt
from wotr_env.games.war_of_the_ring.rules.hunt.reactions import can_react
from wotr_env.games.war_of_the_ring.rules.hunt.tiles import draw_hunt_tile, read_tile, stops, will_reveal
from wotr_env.games.war_of_the_ring.rules.mordor import advance_on_track
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_leader, get, pop, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, on_table

# --- Hunts by cards (R10.2.1). ---


@kernel
def start_hunt_tile(state, card_tile):
    """Starts a Hunt without a roll, in which a card draws a tile and may change it (R10.2.1, RG32)."""
    start_hunt(state, HuntCause.CARD_TILE, 0, card_tile)


@kernel
def start_breaking_tile(state):
    """sh-char-14: draws a tile and leaves its number in ``tile_number``; 0 if the tile has no number
    (R10.5.1).

    The tile has no other effect. The card that reads the number sets it to 0.
    """
    start_hunt_tile(state, CardTile.BREAKING)


@kernel
def start_hunt_roll(state):
    """sh-char-11: starts a Hunt with a roll, but without a move (R10.2.1)."""
    start_hunt(state, HuntCause.CARD_ROLL, 0, CardTile.NORMAL)


# --- The stages (section 19.3 of the rules). ---


@kernel
def resume_hunt(state):
    """Runs the current stage of the Hunt, after it has stored the next stage (R11.3.3, R11.3.8, R10.6.5)."""
    stage = get(state, STAGE)
    cause = get(state, HuntFrame.CAUSE)
    put(state, STAGE, stage + 1)
    if stage == HuntStage.BEGIN:
        _begin(state, cause)
    elif stage == HuntStage.ROLL:
        if _is_rolled(cause):
            roll_for_hunt(state)
    elif stage == HuntStage.BEFORE_TILE:
        if on_table(state, Modifier.WIZARDS_STAFF):
            ask_leader(state, Side.FREE_PEOPLES, Decision.WIZARDS_STAFF)
    elif stage == HuntStage.DRAW:
        draw_hunt_tile(state)
    elif stage == HuntStage.TILE_SEEN:
        if on_table(state, Modifier.MITHRIL_COAT):
            ask_leader(state, Side.FREE_PEOPLES, Decision.MITHRIL_COAT)
    elif stage == HuntStage.VALUE:
        read_tile(state)
    elif stage == HuntStage.REACT:
        if can_react(state):
            ask_leader(state, Side.FREE_PEOPLES, Decision.HUNT_REACTION)
    elif stage == HuntStage.DAMAGE:
        settle_damage(state)
    elif stage == HuntStage.ADVANCE:
        if cause == HuntCause.MORDOR_MOVE and not stops(state):
            advance_on_track(state)
    elif stage == HuntStage.REVEAL:
        if will_reveal(state):
            reveal_fellowship(state)
    else:
        _end(state)


@kernel
def _is_rolled(cause):
    """Whether the Hunt needs a roll: for moves off the Mordor Track, and for The Nazgul Strike! (R10.2.1)."""
    return cause == HuntCause.MOVE or cause == HuntCause.CARD_ROLL


@kernel
def _begin(state, cause):
    """Begins a Hunt: Flocks of Crebain may be used before a roll; without dice, no tile is drawn (R10.2.1,
    R10.3.3, R10.3.5)."""
    _clear_hunt(state)
    state.hunt_cause = cause
    if _is_rolled(cause):
        if hunt_level(state) == 0:
            put(state, STAGE, HuntStage.ADVANCE)
        elif on_table(state, Modifier.FLOCKS_OF_CREBAIN):
            ask_leader(state, Side.SHADOW, Decision.FLOCKS_OF_CREBAIN)


@kernel
def _end(state):
    """Puts the die that moved the Fellowship into the Hunt Box (R9.4.4).

    With The Last Battle (fp-strat-01), the die is set aside as used instead.
    """
    if get(state, HuntFrame.BY_DIE) == 1 and not on_table(state, Modifier.LAST_BATTLE):
        state.dice_used[Side.FREE_PEOPLES] -= 1
        state.hunt_box[Side.FREE_PEOPLES] += 1
    _clear_hunt(state)
    pop(state)


@kernel
def _clear_hunt(state):
    """Clears the Hunt, so that equal positions have equal bytes."""
    state.hunt_cause = 0
    state.hunt_tile = NO_TILE
    state.hunt_damage = 0
    state.hunt_reveals = Reveals.NOTHING
    state.hunt_casualty = 0
    state.hunt_successes = 0
