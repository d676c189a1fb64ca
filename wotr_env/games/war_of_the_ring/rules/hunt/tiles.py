"""Hunt tiles: the pool, drawing, and the effects of the number and the icons of a tile (R10.1, R10.4)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import (
    CardTile,
    Character,
    HuntCause,
    HuntStage,
    Reveals,
    Roll,
    Side,
    TileKind,
    TileValue,
    TileZone,
)
from wotr_env.games.war_of_the_ring.components import (
    NO_TILE,
    NUM_TILES,
    TILE_KIND,
    TILE_REVEAL,
    TILE_STOP,
    TILE_VALUE,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import GollumTiles, Option
from wotr_env.games.war_of_the_ring.rules.chance import draw_member, roll_die
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get, put
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption

# --- Drawing (R10.1.1, R10.4.1). ---


@kernel
def draw_tile(state, side):
    """Draws a random tile of the pool; when the last tile is drawn, the standard tiles return immediately
    (R10.1.1)."""
    if _pool_is_empty(state):
        return NO_TILE
    tile = draw_member(state, Roll.TILE, side, state.tile_zone, TileZone.POOL, NUM_TILES)
    state.tile_zone[tile] = TileZone.DRAWN
    if _pool_is_empty(state):
        for drawn in range(NUM_TILES):
            if state.tile_zone[drawn] == TileZone.DRAWN and TILE_KIND[drawn] == TileKind.STANDARD:
                state.tile_zone[drawn] = TileZone.POOL
    return tile


@kernel
def _pool_is_empty(state):
    for tile in range(NUM_TILES):
        if state.tile_zone[tile] == TileZone.POOL:
            return False
    return True


@kernel
def _is_dropped(tile, card_tile):
    """Whether a card discards the tile without effect: Eyes, and blue tiles except for the Balrog (section
    22.3)."""
    if card_tile == CardTile.NORMAL:
        return False
    if TILE_VALUE[tile] == TileValue.EYE:
        return True
    balrog = card_tile == CardTile.BALROG or card_tile == CardTile.BALROG_UNSEEN
    return TILE_KIND[tile] == TileKind.BLUE and not balrog


@kernel
def draw_hunt_tile(state):
    """Draws the tile of the Hunt; if there is none, or the card discards it, the Hunt ends (R10.4.1)."""
    tile = draw_tile(state, Side.SHADOW)
    state.hunt_tile = tile
    if tile == NO_TILE or _is_dropped(tile, get(state, HuntFrame.CARD_TILE)):
        put(state, STAGE, HuntStage.ADVANCE)


# --- The number (R10.4.2). ---


@kernel
def read_tile(state):
    """Sets the damage of the tile; negative damage heals (R10.4.2, R10.6.1).

    sh-char-14 uses only the number, and the Hunt is over (R10.5.1).
    """
    tile = int(state.hunt_tile)
    cause = get(state, HuntFrame.CAUSE)
    card_tile = get(state, HuntFrame.CARD_TILE)
    damage = TILE_VALUE[tile]
    if damage == TileValue.EYE:
        damage = _eye_value(state, cause)
    elif damage == TileValue.DIE:
        damage = roll_die(state, Roll.HUNT_DAMAGE, Side.SHADOW, 0)
    if damage < 0:
        add_corruption(state, damage)
        damage = 0
    if card_tile == CardTile.BREAKING:
        state.tile_number = damage
        put(state, STAGE, HuntStage.END)
        return
    state.hunt_damage = damage
    if cause != HuntCause.STRONGHOLD and card_tile != CardTile.BALROG_UNSEEN and TILE_REVEAL[tile]:
        state.hunt_reveals = Reveals.ICON


@kernel
def _eye_value(state, cause):
    """The value of an Eye: the successes of the roll; in Mordor, all dice of the box; otherwise 0 (R10.4.2,
    R11.3.4, R10.2.2)."""
    if cause == HuntCause.MORDOR_MOVE:
        return int(state.hunt_box[Side.FREE_PEOPLES]) + int(state.hunt_box[Side.SHADOW])
    return int(state.hunt_successes)


# --- The icons (R10.1.3, R10.6.5). ---


@kernel
def _gollum_ignores_reveal(state):
    """Whether Gollum is the Guide, so that the Reveal icon of numbered tiles has no effect (R14.10)."""
    tile = int(state.hunt_tile)
    if state.guide != Character.GOLLUM or TILE_VALUE[tile] == TileValue.EYE:
        return False
    return (
        TILE_KIND[tile] == TileKind.STANDARD or state.options[Option.GOLLUM_TILES] == GollumTiles.ALL_NUMBERED
    )


@kernel
def will_reveal(state):
    """Whether the Fellowship will be revealed: by Gollum's choice, or by an icon that the current Guide does
    not ignore (R10.6.5, R14.10)."""
    if state.hunt_reveals == Reveals.GOLLUM:
        return True
    return state.hunt_reveals == Reveals.ICON and not _gollum_ignores_reveal(state)


@kernel
def stops(state):
    """Whether the tile has a Stop icon; for blue tiles only with an option (R10.1.3, R11.3.5)."""
    tile = int(state.hunt_tile)
    if tile == NO_TILE:
        return False
    return TILE_STOP[tile] == 1 or (
        TILE_KIND[tile] == TileKind.BLUE and state.options[Option.BLUE_TILES_STOP] == 1
    )
