"""Challenge of the King (fp-char-14): tiles drawn outside a Hunt, some of which leave the game."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Character, Side, TileValue, TileZone
from wotr_env.games.war_of_the_ring.components import NUM_TILES, TILE_VALUE
from wotr_env.games.war_of_the_ring.data.event_programs import Area, Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.characters import eliminate_character
from wotr_env.games.war_of_the_ring.rules.events.conditions import leader_of_army
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.hunt.tiles import draw_tile

CHALLENGERS = 1 << int(Character.STRIDER) | 1 << int(Character.ARAGORN)
EYES = 3


@kernel
def _take_tile(state):
    """Draws a tile into the hand, where it is not among the drawn tiles that return to the pool."""
    tile = draw_tile(state, Side.FREE_PEOPLES)
    if tile >= 0:
        state.tile_zone[tile] = TileZone.REMOVED
    return tile


@kernel
def run_challenge(state):
    """Draws three tiles. If all three are Eyes, Strider or Aragorn is eliminated. If not, the drawn Eyes
    leave the game. All other drawn tiles return to the pool."""
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


OPERATIONS = {Op.CHALLENGE: Operation(always, run_challenge)}
