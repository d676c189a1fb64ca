"""Mordor: entering, the steps of the Track, idle turns (R11)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Reason, TileKind, TileValue, TileZone, Verb, Winner
from wotr_env.games.war_of_the_ring.components import (
    LAST_STEP,
    NUM_TILES,
    ON_THE_TRACK,
    TILE_KIND,
    TILE_VALUE,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import MordorIdle, MordorPoolReset, Option
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption, end_game


@kernel
def enter_mordor(state):
    """Moves the Fellowship to step 1; tiles return and special tiles join the pool (R11.1.2, R11.1.3,
    R11.1.4)."""
    state.mordor_step = 1
    state.fellowship_region = ON_THE_TRACK
    state.progress = 0
    eyes_only = state.options[Option.MORDOR_POOL_RESET] == MordorPoolReset.EYE_ONLY
    for tile in range(NUM_TILES):
        returns = TILE_KIND[tile] == TileKind.STANDARD and (
            not eyes_only or TILE_VALUE[tile] == TileValue.EYE
        )
        if (state.tile_zone[tile] == TileZone.DRAWN and returns) or state.tile_zone[tile] == TileZone.WAITING:
            state.tile_zone[tile] = TileZone.POOL


@kernel
def apply_enter_mordor(state, action):
    """Second edition: to enter Mordor is optional if the figure is at a gate (R11.1.1)."""
    if action == Block.VERB + Verb.ACCEPT:
        enter_mordor(state)


@kernel
def advance_on_track(state):
    """Moves the Fellowship one step; step 6 destroys the Ring (R11.3.5, R11.3.6, R12.2)."""
    state.mordor_step += 1
    if state.mordor_step == LAST_STEP:
        end_game(state, Winner.FREE_PEOPLES, Reason.RING_DESTROYED)


@kernel
def idle_so_far(state):
    """Whether the Fellowship is on the Track and has not attempted to move; with an option, also not to hide
    (R11.3.7)."""
    hiding_counts = state.options[Option.MORDOR_IDLE] == MordorIdle.MOVE_OR_HIDE
    tried = state.move_attempted == 1 or (hiding_counts and state.hide_attempted == 1)
    return state.mordor_step > 0 and not tried


@kernel
def idle_in_mordor(state):
    """Adds 1 Corruption for a turn on the Track without an attempt to move (R11.3.7)."""
    if idle_so_far(state):
        add_corruption(state, 1)
