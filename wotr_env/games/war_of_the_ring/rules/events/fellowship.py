"""Events about the Fellowship and the Hunt (section 22.2)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import (
    TileZone,
)
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.events.figures import roll_dice
from wotr_env.games.war_of_the_ring.rules.events.frame import next_op, parameter
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.fellowship import reveal_fellowship
from wotr_env.games.war_of_the_ring.rules.hunt.hunt import start_hunt_tile
from wotr_env.games.war_of_the_ring.rules.victory import add_corruption

(_TILE,) = columns(Op.TILE, "tile")
(_HUNT_CARD,) = columns(Op.HUNT_TILE, "card")
_AMOUNT, _GUIDE, _GUIDE_AMOUNT = columns(Op.HEAL, "amount", "guide", "guide-amount")
_DICE, _ON, _ROLLING_GUIDE, _GUIDE_ON = columns(Op.ROLL_HEAL, "dice", "on", "guide", "guide-on")
assert columns(Op.ROLL_CORRUPT, "dice", "on", "guide", "guide-on")


@kernel
def run_tile(state):
    """Adds a special tile to the Hunt Pool or to the waiting tiles (R10.1.3)."""
    state.tile_zone[parameter(state, _TILE)] = TileZone.POOL if state.mordor_step > 0 else TileZone.WAITING
    next_op(state)


@kernel
def some_corruption(state):
    return state.corruption > 0


@kernel
def run_heal(state):
    better = state.guide == parameter(state, _GUIDE)
    add_corruption(state, -(parameter(state, _GUIDE_AMOUNT) if better else parameter(state, _AMOUNT)))
    next_op(state)


@kernel
def _roll_by_guide(state):
    """Rolls a number of dice that depends on the Guide; returns the number of successes (fp-char-09,
    sh-char-08)."""
    guided = state.guide == parameter(state, _ROLLING_GUIDE)
    return roll_dice(state, parameter(state, _DICE), parameter(state, _GUIDE_ON if guided else _ON))


@kernel
def run_roll_heal(state):
    add_corruption(state, -_roll_by_guide(state))
    next_op(state)


@kernel
def run_roll_corrupt(state):
    add_corruption(state, _roll_by_guide(state))
    next_op(state)


@kernel
def run_wound(state):
    """Executes Morgul Wound (sh-char-12)."""
    add_corruption(state, 2 if state.corruption <= 3 else 1)
    next_op(state)


@kernel
def run_hunt_tile(state):
    kind = parameter(state, _HUNT_CARD)
    next_op(state)
    start_hunt_tile(state, kind)


@kernel
def is_hidden(state):
    return state.revealed == 0


@kernel
def run_reveal(state):
    next_op(state)
    reveal_fellowship(state)


OPERATIONS = {
    Op.TILE: Operation(always, run_tile),
    Op.HEAL: Operation(some_corruption, run_heal),
    Op.ROLL_HEAL: Operation(some_corruption, run_roll_heal),
    Op.ROLL_CORRUPT: Operation(always, run_roll_corrupt),
    Op.WOUND: Operation(always, run_wound),
    Op.HUNT_TILE: Operation(always, run_hunt_tile),
    Op.REVEAL: Operation(is_hidden, run_reveal),
}
