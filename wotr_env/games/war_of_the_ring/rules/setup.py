"""Set-up (R3): the first position of a game; the players make no choice."""

from __future__ import annotations

from wotr_env.compiler.memory import copy_bytes
from wotr_env.games.war_of_the_ring.codes import (
    Character,
    Figure,
    Frame,
    Location,
    Nation,
    Region,
    Side,
    TileKind,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    ELVEN_RINGS,
    NATION_SIDE,
    NO_TILE,
    NUM_REGIONS,
    NUM_TILES,
    REGION_SIDE,
    REINFORCEMENT_ELITE,
    REINFORCEMENT_LEADER,
    REINFORCEMENT_REGULAR,
    SETTLEMENT_REGIONS,
    SETUP_ELITE,
    SETUP_LEADER,
    SETUP_REGULAR,
    START_ACTIVE,
    START_STEPS_TO_WAR,
    TILE_KIND,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import DwarfSetup, Option
from wotr_env.games.war_of_the_ring.rules.armies import recruit_figure
from wotr_env.games.war_of_the_ring.rules.cards import shuffle_decks
from wotr_env.games.war_of_the_ring.rules.chance import seed_chance
from wotr_env.games.war_of_the_ring.rules.stack import push
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_LEADER_NATIONS, NUM_NATIONS, NUM_SIDES


@kernel
def set_up(state, options, max_turns, seed):
    """Sets up a game on a record of zeros (R3.1-R3.9)."""
    copy_bytes(state.options, 0, options)
    state.max_turns = max_turns
    seed_chance(state, seed)
    state.winner = Winner.NONE
    state.hunt_tile = NO_TILE
    state.combat_card[:] = -1
    state.turn = 1
    for side in range(NUM_SIDES):
        state.charge[side] = side
        state.next_seat[side] = side
    state.fellowship_region = Region.RIVENDELL
    for character in range(NUM_CHARACTERS):
        starts = character <= Character.PEREGRIN
        state.location[character] = Location.IN_FELLOWSHIP if starts else Location.ASIDE
    state.guide = Character.GANDALF_GREY
    state.rings[Side.FREE_PEOPLES] = ELVEN_RINGS
    for tile in range(NUM_TILES):
        state.tile_zone[tile] = TileZone.POOL if TILE_KIND[tile] == TileKind.STANDARD else TileZone.ASIDE
    for index in range(SETTLEMENT_REGIONS.size):
        state.control[index] = REGION_SIDE[SETTLEMENT_REGIONS[index]]
    _deploy(state)
    shuffle_decks(state)
    push(state, Frame.TURN)


@kernel
def _deploy(state):
    """Sets up the nations, and the figures on the board and in the reinforcements (R3.7, R3.8)."""
    for nation in range(NUM_NATIONS):
        state.steps_to_war[nation] = START_STEPS_TO_WAR[nation]
        state.active[nation] = START_ACTIVE[nation]
        state.reinforcement_regular[nation] = REINFORCEMENT_REGULAR[nation]
        state.reinforcement_elite[nation] = REINFORCEMENT_ELITE[nation]
        for region in range(NUM_REGIONS):
            state.regular[region, nation] = SETUP_REGULAR[region, nation]
            state.elite[region, nation] = SETUP_ELITE[region, nation]
            state.units[region, NATION_SIDE[nation]] += (
                SETUP_REGULAR[region, nation] + SETUP_ELITE[region, nation]
            )
    for nation in range(NUM_LEADER_NATIONS):
        state.reinforcement_leader[nation] = REINFORCEMENT_LEADER[nation]
        for region in range(NUM_REGIONS):
            state.leader[region, nation] = SETUP_LEADER[region, nation]
    if state.options[Option.DWARF_SETUP] == DwarfSetup.SECOND:
        recruit_figure(state, Region.EREBOR, Nation.DWARVES, Figure.ELITE)
