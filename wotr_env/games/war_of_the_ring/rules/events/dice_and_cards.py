"""Events about action dice and event cards (section 22.2)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import CardZone, Face, Side
from wotr_env.games.war_of_the_ring.data.event_programs import DeckKind, Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.cards import (
    character_deck,
    draw_card,
    keep_hand_limit,
    strategy_deck,
)
from wotr_env.games.war_of_the_ring.rules.events.frame import current_card, next_op, parameter
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.seats import seat_of

_DECK, _CARDS = columns(Op.DRAW, "deck", "cards")


@kernel
def run_table(state):
    """Puts the card on the table (R6.5.1)."""
    state.card_zone[current_card(state)] = CardZone.TABLE
    next_op(state)


@kernel
def _deck(state, kind):
    side = int(state.acting)
    return character_deck(side) if kind == DeckKind.CHARACTER else strategy_deck(side)


@kernel
def can_draw(state, card, place):
    return state.deck_size[_deck(state, EVENT_OPS[card, place, _DECK])] > 0


@kernel
def run_draw(state):
    deck = _deck(state, parameter(state, _DECK))
    seat = seat_of(state, int(state.acting))
    for _ in range(parameter(state, _CARDS)):
        draw_card(state, deck, seat)
    next_op(state)
    keep_hand_limit(state, seat)


@kernel
def can_mirror(state):
    return state.dice[Side.FREE_PEOPLES, Face.CHARACTER] > 0


@kernel
def run_mirror(state):
    """Executes Mirror of Galadriel (fp-char-13)."""
    state.dice[Side.FREE_PEOPLES, Face.CHARACTER] -= 1
    state.dice[Side.FREE_PEOPLES, Face.WILL] += 1
    next_op(state)


@kernel
def some_will(state):
    return state.dice[Side.FREE_PEOPLES, Face.WILL] > 0


@kernel
def run_dawn_lost(state):
    """Executes The Day Without Dawn (sh-strat-04)."""
    lost = state.dice[Side.FREE_PEOPLES, Face.WILL]
    state.dice[Side.FREE_PEOPLES, Face.WILL] = 0
    state.dice_used[Side.FREE_PEOPLES] += lost
    next_op(state)


OPERATIONS = {
    Op.TABLE: Operation(always, run_table),
    Op.DRAW: Operation(can_draw, run_draw),
    Op.MIRROR_DIE: Operation(can_mirror, run_mirror),
    Op.DAWN_LOST: Operation(some_will, run_dawn_lost),
}
